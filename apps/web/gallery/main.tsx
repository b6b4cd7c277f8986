/** The UI components on two screens, for tests and manual inspection. Not part of the application. */
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { IconHome, IconUsers, IconDots, IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { chooseLanguage } from '../src/language/language.ts';
import { loadGrid } from '../src/ui/grid/load-grid.ts';
import { Shell } from '../src/ui/shell/shell.tsx';
import { startThemeSwitch } from '../src/ui/themes/theme-switch.ts';
import { ToastRegion, toast } from '../src/ui/toast/toast.tsx';
import { GridScreen } from './grid-screen.tsx';
import { galleryThemes } from './gallery-themes.ts';
import { Badge } from '../src/ui/marks/badge.tsx';
import { Button } from '../src/ui/button.tsx';
import { Dialog } from '../src/ui/dialog/dialog.tsx';
import { EmptyState, Failure, Skeleton } from '../src/ui/states.tsx';
import { Menu } from '../src/ui/menu/menu.tsx';
import { Card, Page } from '../src/ui/shell/page.tsx';
import { DateField } from '../src/ui/fields/date-field.tsx';
import { Form, SubmitButton } from '../src/ui/fields/form.tsx';
import { NumberField } from '../src/ui/fields/number-field.tsx';
import { useForm } from '../src/ui/fields/use-form.ts';
import { SelectField, TextArea, TextField } from '../src/ui/fields/field.tsx';

const wanted = new URLSearchParams(window.location.search);
startThemeSwitch({ initial: wanted.get('theme') });
Object.assign(window, { galleryThemes });
// If loading the grid fails, the grid screen shows the error.
void loadGrid(wanted.get('key'));

const menu = [
  { to: 'parts', label: 'Parts', icon: <IconHome size={20} stroke={1.75} /> },
  { to: 'grid', label: 'People', icon: <IconUsers size={20} stroke={1.75} /> },
];

function Gallery() {
  const [path, setPath] = useState(wanted.get('screen') ?? 'parts');
  return (
    <>
      <Shell
        productName="Vestibule"
        menu={menu}
        links={[]}
        routePath={path}
        person={{ name: 'Ada Lovelace', email: 'ada@example.com' }}
        onProfile={() => {}}
        onSignOut={() => {}}
        renderLink={({ to, className, onClick, children }) => (
          <a
            key={to}
            href={`?screen=${to}`}
            className={className}
            aria-current={to === path ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault();
              onClick?.();
              setPath(to);
            }}
          >
            {children}
          </a>
        )}
      >
        {path === 'grid' ? <GridScreen /> : <PartsScreen />}
      </Shell>
      <ToastRegion />
    </>
  );
}

const root = document.querySelector('#root');
await chooseLanguage(wanted.get('language') === 'de' ? 'de' : 'en');
if (root)
  createRoot(root).render(
    <I18nProvider i18n={i18n}>
      <Gallery />
    </I18nProvider>,
  );

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** All components except the grid. */
function PartsScreen() {
  const [inviting, setInviting] = useState(false);
  const [reading, setReading] = useState(false);
  const [saved, setSaved] = useState(0);
  const invite = () => setInviting(true);
  const more = [
    { label: 'Rename', onSelect: () => {} },
    { label: 'Invite from menu', onSelect: invite },
    { label: 'Read the rules', onSelect: () => setReading(true) },
    { label: 'Remove', danger: true, onSelect: () => {} },
  ];
  return (
    <Page
      title="Parts"
      description="What screens are made of."
      actions={
        <Button variant="primary" onClick={invite}>
          Invite someone
        </Button>
      }
    >
      <Card
        title="Buttons and badges"
        actions={
          <Menu items={more}>
            <Button variant="quiet" aria-label="More">
              <IconDots size={18} aria-hidden="true" />
            </Button>
          </Menu>
        }
      >
        <p className="gallery-row">
          <Button
            variant="primary"
            onClick={async () => {
              await wait(400);
              setSaved((count) => count + 1);
            }}
          >
            Save
          </Button>
          <Button>Cancel</Button>
          <Button variant="danger">Remove</Button>
          <Button variant="quiet">Later</Button>
          <Button busy>Busy</Button>
          <Button size="small">Small</Button>
          <span>Saved {saved} times</span>
        </p>
        <p className="gallery-row">
          <Badge>Pending</Badge>
          <Badge tone="accent">Opened</Badge>
          <Badge tone="success">Redeemed</Badge>
          <Badge tone="warning">Expired</Badge>
          <Badge tone="danger">Revoked</Badge>
          <a href="?screen=grid">A link</a>
        </p>
      </Card>
      <Card>
        <EmptyState icon={<IconMail size={26} stroke={1.5} />} title="No invitations yet">
          People join by invitation only.
        </EmptyState>
      </Card>
      <Card>
        <Failure
          title="The list could not be loaded"
          reference="01J9ZK3-7Q"
          onRetry={() => wait(400)}
          message="Check your connection and try again."
        />
      </Card>
      <Card title="Numbers and dates">
        <HoursForm />
      </Card>
      <Card title="On its way">
        <Skeleton />
      </Card>
      {reading && (
        <Dialog title="The rules" onClose={() => setReading(false)}>
          {Array.from({ length: 12 }, (_, index) => (
            <p key={index}>{`${index + 1}. Members follow the rules. `.repeat(6)}</p>
          ))}
        </Dialog>
      )}
      {inviting && <InviteForm onClose={() => setInviting(false)} />}
    </Page>
  );
}

type Values = { hours: number | null; day: string };

/** A form with a number and a date, which shows the values that it submitted. */
function HoursForm() {
  const [submitted, setSubmitted] = useState('');
  const form = useForm<Values>({
    initial: { hours: 1.5, day: '' },
    validate: ({ hours }): Record<string, string> => (hours === null ? { hours: 'Enter the hours.' } : {}),
    onSubmit: (values) => {
      setSubmitted(JSON.stringify(values));
      return Promise.resolve();
    },
  });
  return (
    <Form form={form}>
      <NumberField
        label="Hours"
        description="In quarters of an hour."
        required
        min={0}
        max={24}
        step={0.25}
        {...form.number('hours')}
      />
      <DateField
        label="Day (optional)"
        description="A day of 2026."
        min="2026-01-01"
        max="2026-12-31"
        {...form.text('day')}
      />
      <div className="gallery-row">
        <SubmitButton form={form}>Record hours</SubmitButton>
        <output>{submitted}</output>
      </div>
    </Form>
  );
}

/** A form in a dialog, with field errors, a form error and a failure toast. */
function InviteForm({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initial: { name: '', email: '', role: 'member', message: '' },
    draft: 'gallery',
    validate: ({ email }): Record<string, string> =>
      email.includes('@') ? {} : { email: 'Type an e-mail address, such as name@example.com.' },
    onSubmit: async ({ email }) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (email.startsWith('taken')) return { email: 'This address has been invited already.' };
      if (email.startsWith('lost'))
        return { form: 'The invitation could not be sent. Try again in a minute.' };
      toast.success(`Invited ${email}`);
      onClose();
      return undefined;
    },
  });
  const fail = () =>
    toast.failure('The draft could not be kept.', {
      reference: '01J9ZK3-7Q',
      action: { label: 'Try again', onClick: () => toast.success('Kept this time') },
    });
  return (
    <Dialog
      title="Invite someone"
      onClose={onClose}
      actions={
        <>
          <Menu
            items={[
              { label: 'Greet', onSelect: () => toast.success('Hello') },
              { label: 'Wave', onSelect: () => {} },
            ]}
          >
            <Button variant="quiet">Options</Button>
          </Menu>
          <Button onClick={fail}>Keep</Button>
          <SubmitButton form={form}>Send invitation</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <TextField label="Name (optional)" placeholder="As in the greeting" {...form.text('name')} />
        <TextField label="E-mail address" type="email" {...form.text('email')} />
        <SelectField
          label="Role"
          description="Administrators see all members."
          options={[
            { value: 'member', label: 'Member' },
            { value: 'admin', label: 'Administrator' },
          ]}
          {...form.text('role')}
        />
        <TextArea label="Personal message (optional)" {...form.text('message')} />
      </Form>
    </Dialog>
  );
}

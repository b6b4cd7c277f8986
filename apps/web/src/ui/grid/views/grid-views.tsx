// Named views: a menu with one's own and the shared ones, and the dialogs to keep, rename and delete them.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconBookmark, IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../../button.tsx';
import { ConfirmDialog } from '../../dialog/confirm-dialog.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { Form, SubmitButton } from '../../fields/form.tsx';
import type { GridLook, GridServer, GridViewRecord } from '../rows/grid-server.ts';
import { Menu, type MenuItem } from '../../menu/menu.tsx';
import { TextField } from '../../fields/text-field.tsx';
import { toast } from '../../toast/toast.tsx';
import { useForm } from '../../fields/use-form.ts';

/** The contract's limit. */
const nameMaximum = 60;

type Asked = { what: 'keep' } | { what: 'change' | 'delete'; view: GridViewRecord };

/** The button "Views" and all that it leads to. */
export function ViewsMenu({
  server,
  grid,
  views,
  mayShare,
  current,
  look,
  onViews,
  onChoose,
  onReset,
  describeFailure,
}: {
  server: GridServer;
  grid: string;
  views: readonly GridViewRecord[];
  /** Whether this person may share views, and change shared ones. */
  mayShare: boolean;
  /** The view that was chosen last, whatever has been changed since. */
  current: GridViewRecord | undefined;
  /** How the grid looks now. */
  look: () => GridLook;
  onViews: (views: readonly GridViewRecord[]) => void;
  onChoose: (view: GridViewRecord | null) => void;
  onReset: () => void;
  describeFailure: (error: unknown) => { message: string; reference?: string };
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const replace = (view: GridViewRecord) =>
    onViews([...views.filter(({ id }) => id !== view.id), view].sort(byName));
  const tell = (error: unknown) => {
    toast.failure(describeFailure(error));
  };
  const update = async (view: GridViewRecord) => {
    try {
      const changed = await server.changeView(view, { look: look() });
      replace(changed);
      onChoose(changed);
      toast.success(t`The view “${view.name}” shows what you see now.`);
    } catch (error) {
      tell(error);
    }
  };

  const items: MenuItem[] = views.map((view) => ({
    label: viewLabel(view),
    icon: view.id === current?.id ? <IconCheck size={16} /> : <span className="grid-no-icon" />,
    onSelect: () => onChoose(view),
  }));
  items.push({ label: t`Save as a view …`, onSelect: () => setAsked({ what: 'keep' }) });
  // What is shared belongs to all who may share; only its owner can take it back.
  const changeable = current && (current.shared ? mayShare : current.own);
  if (changeable) {
    items.push(
      { label: t`Update “${current.name}”`, onSelect: () => void update(current) },
      {
        label: mayShare ? t`Rename or share “${current.name}” …` : t`Rename “${current.name}” …`,
        onSelect: () => setAsked({ what: 'change', view: current }),
      },
    );
  }
  items.push({ label: t`Everything as at the beginning`, onSelect: onReset });
  if (changeable) {
    items.push({
      label: t`Delete “${current.name}” …`,
      danger: true,
      onSelect: () => setAsked({ what: 'delete', view: current }),
    });
  }

  return (
    <>
      <Menu items={items}>
        <Button
          variant="quiet"
          className="grid-tool"
          aria-label={current ? t`Views: ${current.name}` : t`Views`}
        >
          <IconBookmark size={18} stroke={1.75} aria-hidden="true" />
          <span className="grid-tool-text">{current?.name ?? t`Views`}</span>
        </Button>
      </Menu>
      {asked?.what === 'keep' && (
        <ViewDialog
          title={t`Save as a view`}
          submit={t`Save view`}
          initial={{ name: '', shared: false }}
          mayShare={mayShare}
          taken={views}
          onClose={() => setAsked(null)}
          onSubmit={async ({ name, shared }) => {
            const view = await server.createView(grid, { name, shared, look: look() });
            replace(view);
            onChoose(view);
            toast.success(t`The view “${name}” is saved.`);
          }}
          describeFailure={describeFailure}
        />
      )}
      {asked?.what === 'change' && (
        <ViewDialog
          title={mayShare ? t`Rename or share` : t`Rename`}
          submit={t`Save`}
          initial={asked.view}
          mayShare={mayShare}
          keepShared={!asked.view.own}
          taken={views.filter(({ id }) => id !== asked.view.id)}
          onClose={() => setAsked(null)}
          onSubmit={async ({ name, shared }) => {
            const view = await server.changeView(asked.view, { name, shared });
            replace(view);
            onChoose(view);
          }}
          describeFailure={describeFailure}
        />
      )}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={t`Delete the view “${asked.view.name}”`}
          confirm={t`Delete view`}
          danger
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            try {
              await server.deleteView(asked.view);
              onViews(views.filter(({ id }) => id !== asked.view.id));
              onChoose(null);
            } catch (error) {
              tell(error);
            }
            setAsked(null);
          }}
        >
          <p>
            {asked.view.shared
              ? t`It goes away for everybody. The rows stay as they are.`
              : t`The rows stay as they are.`}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function viewLabel({ name, shared, own, owner }: GridViewRecord): string {
  if (!shared) return name;
  return owner && !own ? t`${name} (by ${owner})` : t`${name} (shared)`;
}

function byName(one: GridViewRecord, other: GridViewRecord): number {
  return one.name.localeCompare(other.name);
}

function ViewDialog({
  title,
  submit,
  initial,
  mayShare,
  keepShared = false,
  taken,
  onSubmit,
  onClose,
  describeFailure,
}: {
  title: string;
  submit: string;
  initial: { name: string; shared: boolean };
  mayShare: boolean;
  keepShared?: boolean;
  taken: readonly GridViewRecord[];
  onSubmit: (view: { name: string; shared: boolean }) => Promise<void>;
  onClose: () => void;
  describeFailure: (error: unknown) => { message: string; reference?: string };
}) {
  const form = useForm({
    initial: { name: initial.name, shared: initial.shared },
    validate: ({ name }): Record<string, string> => {
      if (!name.trim()) return { name: t`Give the view a name.` };
      const same = taken.some((view) => view.own && view.name === name.trim());
      return same ? { name: t`You have a view of that name. Choose another name.` } : {};
    },
    onSubmit: async ({ name, shared }) => {
      try {
        await onSubmit({ name: name.trim(), shared });
        onClose();
      } catch (error) {
        return { form: describeFailure(error).message };
      }
      return undefined;
    },
  });
  return (
    <Dialog
      title={title}
      width={480}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <SubmitButton form={form}>{submit}</SubmitButton>
        </>
      }
    >
      <Form form={form}>
        <TextField
          label={t`Name`}
          description={t`It brings back the columns, their order, the filters, the search and the sorting.`}
          autoComplete="off"
          maxLength={nameMaximum}
          {...form.text('name')}
        />
        {mayShare && (
          <label className="grid-value">
            <input
              type="checkbox"
              checked={form.values.shared}
              disabled={keepShared}
              onChange={({ currentTarget }) => form.set('shared', currentTarget.checked)}
            />
            <Trans>All administrators can use and change it</Trans>
          </label>
        )}
      </Form>
    </Dialog>
  );
}

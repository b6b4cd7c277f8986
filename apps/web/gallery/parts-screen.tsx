import { IconDots, IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { Badge } from '../src/ui/marks/badge.tsx';
import { Button } from '../src/ui/button.tsx';
import { Dialog } from '../src/ui/dialog/dialog.tsx';
import { EmptyState, Failure, Skeleton } from '../src/ui/states.tsx';
import { Menu } from '../src/ui/menu/menu.tsx';
import { Card, Page } from '../src/ui/shell/page.tsx';
import { HoursForm } from './hours-form.tsx';
import { InviteForm } from './invite-form.tsx';

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** All components except the grid. */
export function PartsScreen() {
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

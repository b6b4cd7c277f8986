/** `/layout/invitations`: who was asked in and what became of it (administrators only). */
import { IconMail } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { listInvitations, revokeInvitation, type Invitation } from '@vestibule/contract/invitations';
import { useRef, useState } from 'react';
import { copyInvitationLink } from '../features/invitations/copy-link.ts';
import { InviteDialog, inviteDraft } from '../features/invitations/invite-dialog.tsx';
import { describeFailure } from '../lib/call-failure.ts';
import { call } from '../lib/call.ts';
import { fetchPageFrom } from '../lib/fetch-page.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { GridColumn } from '../ui/grid-column.ts';
import { DataGrid, type GridHandle } from '../ui/grid.tsx';
import { loadGrid } from '../ui/load-grid.ts';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { hasDraft } from '../ui/use-form.ts';

export const Route = createFileRoute('/layout/invitations')({
  staticData: { access: 'admin', menu: { label: 'Invitations', order: 2, icon: IconMail } },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: Invitations,
});

const statuses = {
  pending: { label: 'Pending', tone: 'neutral' },
  opened: { label: 'Opened', tone: 'accent' },
  redeemed: { label: 'Redeemed', tone: 'success' },
  expired: { label: 'Expired', tone: 'warning' },
  revoked: { label: 'Revoked', tone: 'danger' },
} as const;
const mailStates = {
  none: { label: 'No mail', tone: 'neutral' },
  queued: { label: 'Queued', tone: 'neutral' },
  sent: { label: 'Sent', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
} as const;

const fetchPage = fetchPageFrom(listInvitations);

const columns: GridColumn<Invitation>[] = [
  { id: 'email', title: 'E-mail', kind: 'text', text: ({ email }) => email, flex: 2, minWidth: 190 },
  { id: 'name', title: 'Name', kind: 'text', text: ({ name }) => name },
  { id: 'status', title: 'Status', kind: 'badge', badge: ({ status }) => statuses[status] },
  {
    id: 'mailState',
    title: 'Mail',
    kind: 'badge',
    badge: ({ mailState }) => mailStates[mailState],
    narrow: 'hidden',
  },
  {
    id: 'role',
    title: 'Role',
    kind: 'text',
    text: ({ role }) => (role === 'admin' ? 'Admin' : 'Member'),
  },
  {
    id: 'createdAt',
    title: 'Invited',
    kind: 'date-time',
    time: ({ createdAt }) => createdAt,
    minWidth: 160,
    narrow: 'detail',
  },
  { id: 'expiresAt', title: 'Expires', kind: 'date-time', time: ({ expiresAt }) => expiresAt, minWidth: 160 },
];

const isOpen = ({ status }: Invitation) => status === 'pending' || status === 'opened';

function Invitations() {
  const [inviting, setInviting] = useState(() => hasDraft(inviteDraft));
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const grid = useRef<GridHandle>(null);

  const revoke = async (invitation: Invitation) => {
    try {
      await call(revokeInvitation, { params: { invitationId: invitation.id } });
      toast.success(`The invitation of ${invitation.email} is revoked. Its link no longer works.`);
    } catch (error) {
      const { message, reference } = describeFailure(error);
      toast.failure(message, { reference });
    }
    setRevoking(null);
    grid.current?.refresh();
  };

  return (
    <Page
      title="Invitations"
      fill
      actions={
        <Button variant="primary" onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      }
    >
      <DataGrid
        ref={grid}
        label="Invitations"
        unit={['invitation', 'invitations']}
        describeFailure={describeFailure}
        columns={columns}
        rowId={({ id }) => id}
        fetchPage={fetchPage}
        rowActions={(invitation) =>
          isOpen(invitation)
            ? [
                { label: 'Copy link', onSelect: () => void copyInvitationLink(invitation) },
                { label: 'Revoke', danger: true, onSelect: () => setRevoking(invitation) },
              ]
            : []
        }
        emptyState={
          <EmptyState
            icon={<IconMail size={32} stroke={1.5} />}
            title="Nobody has been invited yet"
            action={<Button onClick={() => setInviting(true)}>Invite somebody</Button>}
          >
            People come in only by invitation. Invite the first one.
          </EmptyState>
        }
      />
      {inviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(invitation) => {
            setInviting(false);
            toast.success(`The invitation for ${invitation.email} is on its way.`, {
              action: { label: 'Copy link', onClick: () => copyInvitationLink(invitation) },
            });
            grid.current?.refresh();
          }}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title="Revoke invitation"
          confirm="Revoke invitation"
          danger
          onClose={() => setRevoking(null)}
          onConfirm={() => revoke(revoking)}
        >
          <p>
            The link that {revoking.email} received stops working at once. You can invite the address again
            later.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

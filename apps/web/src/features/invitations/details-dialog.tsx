/** One invitation: why it has or has not worked, what it says, and everything that happened to it. */
import { useQuery } from '@tanstack/react-query';
import { getInvitation, type Invitation, type InvitationDetails } from '@vestibule/contract/invitations';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { countOf, describeEvent, languages, mailStates, roles, statuses } from './invitation-words.ts';
import './invitations.css';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const at = (time: string) => moment.format(new Date(time));

export function DetailsDialog({
  invitationId,
  version,
  actions,
  onClose,
}: {
  invitationId: string;
  /** Another value reads the invitation again. */
  version: number;
  /** What can be done about it. */
  actions: (invitation: Invitation) => readonly MenuItem[];
  onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['invitation', invitationId, version],
    queryFn: ({ signal }) => call(getInvitation, { params: { invitationId }, signal }),
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.mailState === 'queued' ? 2_000 : false),
  });
  const invitation = query.data;
  const failure = query.error && describeFailure(query.error);
  const items = invitation ? actions(invitation) : [];
  return (
    <Dialog
      title={invitation ? `Invitation of ${invitation.email}` : 'Invitation'}
      width={720}
      onClose={onClose}
      actions={
        <>
          {items.length > 0 && (
            <Menu items={items}>
              <Button>Actions</Button>
            </Menu>
          )}
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {invitation ? (
        <Details invitation={invitation} />
      ) : failure ? (
        <Failure
          title="This invitation could not be loaded"
          reference={failure.reference}
          onRetry={() => query.refetch()}
        >
          {failure.message}
        </Failure>
      ) : (
        <Skeleton lines={8} />
      )}
    </Dialog>
  );
}

function Details({ invitation }: { invitation: InvitationDetails }) {
  const { explanation, timeline, status, mailState, mailError, name, role, language, message } = invitation;
  return (
    <div className="invitation">
      <p className="invitation-why">{explanation}</p>
      <Facts
        items={[
          { name: 'Status', value: <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge> },
          {
            name: 'Mail',
            value: (
              <>
                <Badge tone={mailStates[mailState].tone}>{mailStates[mailState].label}</Badge>
                {mailError && <p>The mail server said: “{mailError}”.</p>}
              </>
            ),
          },
          ...(name ? [{ name: 'Name', value: name }] : []),
          { name: 'Role', value: roles[role] },
          { name: 'Language', value: languages[language] },
          {
            name: 'Invited',
            value: `${at(invitation.createdAt)}${invitation.createdBy ? `, by ${invitation.createdBy}` : ''}`,
          },
          { name: status === 'expired' ? 'Expired' : 'Expires', value: at(invitation.expiresAt) },
          ...(message
            ? [{ name: 'Message', value: <span className="invitation-message">{message}</span> }]
            : []),
        ]}
      />
      <section aria-label="Timeline">
        <h3>What happened</h3>
        <ol className="timeline">
          {timeline.map((event) => (
            <li key={`${event.kind} ${event.at}`}>
              <span>{describeEvent(event)}</span>
              {event.note && <span>{event.note}</span>}
              <small>
                {at(event.at)}
                {event.times > 1 && `, ${countOf(event.times, 'time')}, last ${at(event.lastAt)}`}
              </small>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

/** Detail panel of an invitation with its facts and timeline. */
import { routeHere } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { getInvitation, type Invitation, type InvitationDetails } from '@vestibule/contract/invitations';
import { isSmtpReply } from '@vestibule/contract/rules/smtp-reply';
import { formatMessage } from '../../language/format-message.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { SidePanel, type PanelAction, type SidePanelProps } from '../../ui/grid/side-panel.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import {
  describeEvent,
  canExpire,
  isOpen,
  languages,
  mailStates,
  roleText,
  statuses,
} from './invitation-texts.ts';
import '../../ui/record-list.css';
import './invitations.css';

export default function InvitationPanel({
  actions,
  ...panel
}: {
  actions: (invitation: Invitation) => readonly PanelAction[];
} & Pick<SidePanelProps, 'id' | 'onShow' | 'onClose'>) {
  const { id } = panel;
  const query = useApiQuery(routeHere(getInvitation), {
    key: ['invitation', id],
    params: { invitationId: id },
    staleTime: 0,
    changesOf: 'invitations',
  });
  const invitation = query.data;
  return (
    <SidePanel
      {...panel}
      label={invitation ? t`Invitation of ${invitation.email}` : t`Invitation`}
      title={invitation?.email ?? t`Invitation`}
      avatar={
        invitation && {
          id: invitation.person?.id ?? id,
          name: (invitation.person?.displayName ?? invitation.name) || invitation.email,
        }
      }
      actions={invitation ? actions(invitation) : []}
    >
      {invitation ? (
        <Details invitation={invitation} />
      ) : (
        <Loading query={query} title={t`This invitation could not be loaded`} lines={8} />
      )}
    </SidePanel>
  );
}

function Details({ invitation }: { invitation: InvitationDetails }) {
  const { explanationTexts, personId, timeline, status, mailState, mailError, name, language, message } =
    invitation;
  const inviter = personOrEmail(invitation.createdBy, invitation.inviter);
  return (
    <div className="side-panel-parts">
      <p className="invitation-why">
        {explanationTexts.map(formatMessage).join(' ')}
        {personId && (
          <Link to="/layout/people" search={{ show: personId }}>
            {t`Show the person`}
          </Link>
        )}
      </p>
      <Facts
        items={[
          { name: t`Status`, value: <StateBadge of={statuses()[status]} /> },
          {
            name: t`Delivery`,
            value: (
              <>
                <StateBadge of={mailStates()[mailState]} />
                {mailError && isSmtpReply(mailError) && <p>{t`The mail server said: “${mailError}”.`}</p>}
              </>
            ),
          },
          ...(name ? [{ name: t`Name`, value: name }] : []),
          { name: t`Role`, value: roleText(invitation) },
          { name: t`Language`, value: languages()[language] },
          { name: t`Invited`, value: <Moment at={invitation.createdAt} /> },
          ...(inviter ? [{ name: t`Invited by`, value: <PersonCell person={inviter} /> }] : []),
          ...(canExpire(invitation)
            ? [
                {
                  name: status === 'expired' ? t`Expired` : t`Expires`,
                  value: <Moment at={invitation.expiresAt} ends={isOpen(invitation)} />,
                },
              ]
            : []),
          ...(message
            ? [{ name: t`Message`, value: <span className="invitation-message">{message}</span> }]
            : []),
        ]}
      />
      <section aria-label={t`Timeline`}>
        <h3>{t`What happened`}</h3>
        <ol className="timeline">
          {timeline.map((event) => (
            <li key={`${event.kind} ${event.at}`}>
              <span>{describeEvent(event)}</span>
              {event.note && <span>{event.noteText ? formatMessage(event.noteText) : event.note}</span>}
              <small>
                <Moment at={event.at} />
                {event.times > 1 && (
                  <>
                    {', '}
                    <Plural value={event.times} one="# time" other="# times" />
                    {', '}
                    <Trans>
                      last <Moment at={event.lastAt} />
                    </Trans>
                  </>
                )}
              </small>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

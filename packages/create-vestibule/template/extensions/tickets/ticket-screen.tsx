/** One ticket with its files. */
import { t } from '@lingui/core/macro';
import {
  Card,
  Facts,
  Loading,
  Moment,
  Page,
  RecordFiles,
  useApiQuery,
  useOrganization,
  useScreenParams,
} from '@vestibule/web/screens';
import { getTicket } from './contract.ts';

export default function TicketScreen() {
  const { organizationId } = useOrganization();
  const { ticketId = '' } = useScreenParams();
  const query = useApiQuery(getTicket, {
    key: ['ticket', ticketId],
    params: { organizationId, ticketId },
    changesOf: 'tickets',
  });
  const ticket = query.data;
  return (
    <Page title={ticket?.subject ?? t`Ticket`}>
      <Card>
        <Loading query={query} title={t`The ticket could not be loaded`} lines={4} />
        {ticket && (
          <div className="stack">
            <p>{ticket.description}</p>
            <Facts
              items={[
                { name: t`Status`, value: ticket.status === 'open' ? t`Open` : t`Closed` },
                { name: t`Opened by`, value: ticket.author ?? '–' },
                { name: t`Opened`, value: <Moment at={ticket.openedAt} /> },
              ]}
            />
          </div>
        )}
      </Card>
      {ticket && (
        <Card>
          <RecordFiles of="ticket" id={ticket.id} />
        </Card>
      )}
    </Page>
  );
}

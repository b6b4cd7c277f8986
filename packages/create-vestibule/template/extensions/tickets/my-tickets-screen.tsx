/** `/layout/tickets`: the tickets that the user opened, in all organizations; also as search results of the command palette. */
import { t } from '@lingui/core/macro';
import { IconTicket } from '@tabler/icons-react';
import {
  Badge,
  call,
  Card,
  Loading,
  matchesWords,
  Moment,
  Page,
  RecordList,
  ScreenLink,
  useApiQuery,
  type Finder,
} from '@vestibule/web/screens';
import { listMyTickets } from './contract.ts';

export default function MyTicketsScreen() {
  const query = useApiQuery(listMyTickets, { key: ['my tickets'], changesOf: 'tickets', staleTime: 0 });
  return (
    <Page title={t`My tickets`}>
      <Card>
        <Loading query={query} title={t`Your tickets could not be loaded`} lines={4} />
        {query.data && (
          <RecordList
            empty={t`You have not opened a ticket yet.`}
            entries={query.data.rows.map(({ id, subject, status, openedAt, organization }) => ({
              id,
              text: (
                <ScreenLink to={`/layout/organization/${organization.slug}/tickets/${id}`}>
                  {subject}
                </ScreenLink>
              ),
              detail: (
                <>
                  {organization.name} · <Moment at={openedAt} />
                </>
              ),
              badges: status === 'open' && <Badge tone="warning">{t`Open`}</Badge>,
            }))}
          />
        )}
      </Card>
    </Page>
  );
}

export function ticketsFinder(): Finder {
  return {
    title: t`My tickets`,
    icon: IconTicket,
    order: 0.5,
    async search(text, signal) {
      const { rows } = await call(listMyTickets, { signal });
      return rows
        .filter(({ subject }) => matchesWords(text, subject))
        .map(({ id, subject, organization }) => ({
          id: `ticket-${id}`,
          label: subject,
          detail: organization.name,
          target: { to: `/layout/organization/${organization.slug}/tickets/${id}` },
        }));
    },
  };
}

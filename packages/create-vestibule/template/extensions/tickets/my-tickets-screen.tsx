/** `/layout/tickets`: the tickets that the user opened, in all organizations. */
import { t } from '@lingui/core/macro';
import {
  Badge,
  Card,
  Loading,
  Moment,
  Page,
  RecordList,
  ScreenLink,
  useApiQuery,
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

/** Card of the dashboard: number of open tickets of the user. */
import { plural, t } from '@lingui/core/macro';
import { Card, Loading, ScreenLink, useApiQuery } from '@vestibule/web/screens';
import { listMyTickets } from './contract.ts';

export default function OpenTicketsCard() {
  const query = useApiQuery(listMyTickets, { key: ['my tickets'], changesOf: 'tickets', staleTime: 0 });
  const open = query.data?.rows.filter(({ status }) => status === 'open').length ?? 0;
  return (
    <Card title={t`My tickets`} actions={<ScreenLink to="/layout/tickets">{t`All my tickets`}</ScreenLink>}>
      <Loading query={query} title={t`Your tickets could not be loaded`} lines={1} />
      {query.data && <p>{plural(open, { one: '# open ticket', other: '# open tickets' })}</p>}
    </Card>
  );
}

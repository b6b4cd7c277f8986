/** Card of the dashboard: number of open tickets of the user. */
import { plural, t } from '@lingui/core/macro';
import { Card, Loading, useApiQuery } from '@vestibule/web/screens';
import { countMyTickets } from './contract.ts';

export default function OpenTicketsCard() {
  const query = useApiQuery(countMyTickets, { key: ['my tickets'] });
  return (
    <Card title={t`My tickets`}>
      <Loading query={query} title={t`Your tickets could not be loaded`} lines={1} />
      {query.data && (
        <p>
          {plural(query.data.open, { 0: 'No open tickets', one: '# open ticket', other: '# open tickets' })}
        </p>
      )}
    </Card>
  );
}

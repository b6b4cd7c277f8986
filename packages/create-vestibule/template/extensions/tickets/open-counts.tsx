/** Column of the list of organizations: the number of open tickets of each. */
import { call, formatNumber } from '@vestibule/web/screens';
import { countOpenTickets } from './contract.ts';

export default async function loadOpenCounts(organizationIds: readonly string[], signal: AbortSignal) {
  const { counts } = await call(countOpenTickets, {
    body: { organizationIds: [...organizationIds] },
    signal,
  });
  return Object.fromEntries(Object.entries(counts).map(([id, count]) => [id, formatNumber(count)]));
}

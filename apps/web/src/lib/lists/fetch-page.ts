import type { RouteDefinition, RouteResult } from '@vestibule/contract/route';
import { call } from '../call.ts';
import { countMaximum } from '@vestibule/contract/rules/limits';

/** A route whose query is the contract's `listQuery` and whose response is a `page`. */
type ListRoute<Row> = RouteDefinition & {
  response: { _zod: { output: { rows: Row[]; total: number | null } } };
};

type PageRequest = {
  offset: number;
  limit: number;
  sort?: { column: string; direction: 'asc' | 'desc' };
  search?: string;
  filters?: readonly object[];
};

type Page<Row> = {
  rows: Row[];
  total?: number;
  count?: () => Promise<number>;
  estimate?: () => Promise<number | null>;
};

/** Returns a grid's `fetchPage`. The first page may lack a total: counting many rows is slow, so `count` and `estimate` load it separately. */
export function fetchPageFrom<Row>(route: ListRoute<Row>) {
  const fetchRows = async (query: object, signal: AbortSignal) =>
    (await call(route as RouteDefinition, { query, signal } as never)) as RouteResult<ListRoute<Row>>;
  return async ({ sort, filters, ...window }: PageRequest, signal: AbortSignal): Promise<Page<Row>> => {
    const query = {
      ...window,
      ...(sort && { sort: sort.column, direction: sort.direction }),
      ...(filters && filters.length > 0 && { filters: JSON.stringify(filters) }),
    };
    if (window.limit === 0) {
      const { total } = await fetchRows({ ...query, limit: 1, part: 'total' }, signal);
      return { rows: [], total: total ?? 0 };
    }
    if (window.offset > 0) return { rows: (await fetchRows(query, signal)).rows };
    const { rows, total } = await fetchRows({ ...query, part: 'rows' }, signal);
    if (total !== null) return { rows, total };
    const fetchTotal = async (part: 'total' | 'estimate') =>
      (await fetchRows({ ...query, limit: 1, part }, signal)).total;
    return {
      rows,
      count: async () => (await fetchTotal('total')) ?? 0,
      estimate: () => fetchTotal('estimate'),
    };
  };
}

type CountsRoute = RouteDefinition & { response: { _zod: { output: Record<string, number> } } };

/** Returns a grid's `countTabs` for a counting route; tab names are the route's group names. */
export const fetchCountsFrom =
  (route: CountsRoute) =>
  async (signal: AbortSignal): Promise<Record<string, { count: number; more: boolean }>> => {
    const counts = await call(route, { signal });
    return Object.fromEntries(
      Object.entries(counts).map(([group, count]) => [
        group,
        { count: Math.min(count, countMaximum), more: count > countMaximum },
      ]),
    );
  };

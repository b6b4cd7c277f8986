/** Ties a grid to a list route of the contract. */
import type { RouteDefinition, RouteResult } from '@vestibule/contract/route';
import { call } from '../call.ts';

/** A route whose query is the contract's `listQuery` and whose answer is a `page`. */
type ListRoute<Row> = RouteDefinition & {
  answer: { _zod: { output: { rows: Row[]; total: number | null } } };
};

type Window = {
  offset: number;
  limit: number;
  sort?: { column: string; direction: 'asc' | 'desc' };
  search?: string;
  filters?: readonly object[];
};

type Page<Row> = { rows: Row[]; total?: number; count?: () => Promise<number> };

/**
 * The grid's `fetchPage` for a list route. The columns of the grid carry the names that the route sorts by. Of a first page
 * the rows come alone: counting very many takes longer, and is done by `count`; a page of no rows is counted alone.
 */
export function fetchPageFrom<Row>(route: ListRoute<Row>) {
  const ask = async (query: object, signal: AbortSignal) =>
    (await call(route as RouteDefinition, { query, signal } as never)) as RouteResult<ListRoute<Row>>;
  return async ({ sort, filters, ...window }: Window, signal: AbortSignal): Promise<Page<Row>> => {
    const query = {
      ...window,
      ...(sort && { sort: sort.column, direction: sort.direction }),
      ...(filters && filters.length > 0 && { filters: JSON.stringify(filters) }),
    };
    if (window.limit === 0) {
      const { total } = await ask({ ...query, limit: 1, part: 'total' }, signal);
      return { rows: [], total: total ?? 0 };
    }
    if (window.offset > 0) return { rows: (await ask(query, signal)).rows };
    const { rows, total } = await ask({ ...query, part: 'rows' }, signal);
    if (total !== null) return { rows, total };
    return { rows, count: async () => (await ask({ ...query, part: 'total' }, signal)).total ?? 0 };
  };
}

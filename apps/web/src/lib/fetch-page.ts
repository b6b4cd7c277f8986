/** Ties a grid to a list route of the contract. */
import type { RouteDefinition, RouteResult } from '@vestibule/contract/route';
import { call } from './call.ts';

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

/** The grid's `fetchPage` for a list route. The columns of the grid carry the names that the route sorts by. */
export function fetchPageFrom<Row>(route: ListRoute<Row>) {
  return async (
    { sort, filters, ...window }: Window,
    signal: AbortSignal,
  ): Promise<{ rows: Row[]; total?: number }> => {
    const query = {
      ...window,
      ...(sort && { sort: sort.column, direction: sort.direction }),
      ...(filters && filters.length > 0 && { filters: JSON.stringify(filters) }),
    };
    const answer = (await call(route as RouteDefinition, { query, signal } as never)) as RouteResult<
      ListRoute<Row>
    >;
    return { rows: answer.rows, ...(answer.total !== null && { total: answer.total }) };
  };
}

/**
 * Reads one page of a table for a grid: a window by offset, sorted by one column with the id as tie-breaker, and
 * a "contains" search. The ids of the window are found in an index first and joined to their rows afterwards, so
 * that far pages of a million rows stay quick.
 */
import type { Queryable } from './database.ts';

export type ListSource = {
  table: string;
  /** Sortable columns: the name in the contract → the SQL column. Each has an index `(column, id)`. */
  columns: Record<string, string>;
  /** Sorted by this, downwards, when the query names nothing. */
  newestFirst: string;
};

export type ListQuery = {
  offset: number;
  limit: number;
  sort?: string | undefined;
  direction: 'asc' | 'desc';
  search?: string | undefined;
};

/** A count that was slow is shown for this long before it is counted again. */
const rememberTotalMilliseconds = 10_000;
const slowCountMilliseconds = 8;

/** Makes the reader of one table. `total` is null but for the first page (offset 0). */
export function createPageReader<Row>(database: Queryable, source: ListSource, now: () => number) {
  const totals = new Map<string, { until: number; total: number }>();

  async function count(pattern: string | null): Promise<number> {
    const key = pattern ?? '';
    const remembered = totals.get(key);
    if (remembered && remembered.until > now()) return remembered.total;
    const startedAt = performance.now();
    const { rows } = await database.query<{ total: number }>({
      name: `count-${source.table}-${pattern === null ? 'all' : 'matching'}`,
      text: `select count(*) as total from ${source.table} ${where(pattern)}`,
      values: pattern === null ? [] : [pattern],
    });
    const total = rows[0]?.total ?? 0;
    if (performance.now() - startedAt > slowCountMilliseconds) {
      if (totals.size > 1000) totals.clear();
      totals.set(key, { until: now() + rememberTotalMilliseconds, total });
    }
    return total;
  }

  return async (query: ListQuery): Promise<{ rows: Row[]; total: number | null }> => {
    const column = source.columns[query.sort ?? ''] ?? source.newestFirst;
    const direction = query.sort ? query.direction : 'desc';
    const nulls = direction === 'asc' ? 'nulls last' : 'nulls first';
    const order = `${column} ${direction} ${nulls}, id ${direction}`;
    const pattern = query.search
      ? `%${query.search.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      : null;
    const window = pattern === null ? [query.limit, query.offset] : [pattern, query.limit, query.offset];
    const { rows } = await database.query<Row>({
      text: `with page as (
               select id as page_id from ${source.table} ${where(pattern)}
               order by ${order} limit $${window.length - 1} offset $${window.length})
             select ${source.table}.* from page join ${source.table} on id = page_id order by ${order}`,
      values: window,
    });
    return { rows, total: query.offset === 0 ? await count(pattern) : null };
  };
}

function where(pattern: string | null): string {
  return pattern === null ? '' : 'where search like $1';
}

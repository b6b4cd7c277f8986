/**
 * Reads one page of a table for a grid: a window by offset, sorted by one column with the id as tie-breaker, and
 * a "contains" search. The ids of the window are found in an index first and joined to their rows afterwards, so
 * that far pages of a million rows stay quick; past the middle, the index is read from its other end.
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

/** Totals from here on take long to count and change little in comparison: they are remembered for a while. */
const rememberedFrom = 10_000;
const rememberMilliseconds = 30_000;
const rememberedSearches = 1_000;

/** Makes the reader of one table. `total` is null but for the first page (offset 0). */
export function createPageReader<Row>(database: Queryable, source: ListSource, now: () => number) {
  const { table } = source;
  const totals = new Map<string | null, { until: number; total: number }>();

  function rememberedTotal(pattern: string | null): number | null {
    const remembered = totals.get(pattern);
    return remembered && remembered.until > now() ? remembered.total : null;
  }

  async function count(pattern: string | null): Promise<number> {
    const remembered = rememberedTotal(pattern);
    if (remembered !== null) return remembered;
    const { rows } = await database.query<{ total: number }>({
      text: `select count(*) as total from ${table} ${where(pattern)}`,
      values: pattern === null ? [] : [pattern],
    });
    const total = rows[0]?.total ?? 0;
    if (total >= rememberedFrom) {
      if (totals.size >= rememberedSearches) totals.clear();
      totals.set(pattern, { until: now() + rememberMilliseconds, total });
    }
    return total;
  }

  async function read(query: ListQuery, pattern: string | null): Promise<Row[]> {
    const column = source.columns[query.sort ?? ''] ?? source.newestFirst;
    const direction = query.sort ? query.direction : 'desc';
    const window = nearerEnd(query, rememberedTotal(pattern));
    const values = [window.limit, window.offset, ...(pattern === null ? [] : [pattern])];
    // Not prepared: the best plan depends on the offset and on how rare the searched text is.
    const { rows } = await database.query<Row>({
      text: `with page as (
               select id as page_id from ${table} ${where(pattern, '$3')}
               order by ${order(column, window.backwards ? opposite(direction) : direction)} limit $1 offset $2)
             select ${table}.* from page join ${table} on id = page_id order by ${order(column, direction)}`,
      values,
    });
    return rows;
  }

  return async (query: ListQuery): Promise<{ rows: Row[]; total: number | null }> => {
    const pattern = query.search ? containing(query.search) : null;
    const [rows, total] = await Promise.all([
      read(query, pattern),
      query.offset === 0 ? count(pattern) : null,
    ]);
    return { rows, total };
  };
}

/** The same window counted from the end, where that is nearer. */
function nearerEnd({ offset, limit }: ListQuery, total: number | null) {
  if (total === null || offset < total / 2) return { backwards: false, offset, limit };
  const end = Math.min(offset + limit, total);
  return { backwards: true, offset: total - end, limit: Math.max(0, end - offset) };
}

/** An index on `(column, id)` serves both: read forwards its nulls come last, read backwards first. */
function order(column: string, direction: 'asc' | 'desc'): string {
  return `${column} ${direction} ${direction === 'asc' ? 'nulls last' : 'nulls first'}, id ${direction}`;
}

function opposite(direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return direction === 'asc' ? 'desc' : 'asc';
}

/** The LIKE pattern of a "contains" search; the column `search` is in lower case. */
function containing(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

function where(pattern: string | null, parameter = '$1'): string {
  return pattern === null ? '' : `where search like ${parameter}`;
}

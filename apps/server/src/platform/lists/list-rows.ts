/**
 * Reads the rows of a page. Ids are found in an index first and joined to their rows afterwards, so that distant pages
 * of a million rows are fast. Pages in the second half are read from the end of the index.
 */
import { rowsOf, type Queryable } from '../database/database.ts';
import { scopedTable, whereClause } from './list-conditions.ts';
import { columnOf, type ListMatch, type ListSource, type Scope } from './list-source.ts';

export type ListOrder = { sort?: string | undefined; direction: 'asc' | 'desc' };

export type ListQuery = ListMatch & ListOrder & { offset: number; limit: number; part?: ListPart };

/** Requests only the rows or only the total, so that neither waits for the other. */
type ListPart = 'rows' | 'total' | undefined;

/**
 * Maximum number of rows scanned for a text: a fixed number, plus a number for each requested row. If they contain too
 * few matches, the text index is used.
 */
const scannedRows = 20_000;
const scannedRowsPerResult = 4;

/** `total`: number of matching rows, if known. */
export async function readPage<Row>(
  database: Queryable,
  {
    source,
    scope,
    query,
    total,
    now,
  }: { source: ListSource; scope: Scope; query: ListQuery; total: number | null; now: number },
): Promise<Row[]> {
  const { table } = source;
  const { column, direction } = resolveOrder(source, query);
  const window = windowFromNearerEnd(query, total);
  const windowOrder = orderByTerms(column, window.isBackwards ? opposite(direction) : direction);
  const readFrom = async (from: (matching: string, rows: string) => string) => {
    const values: unknown[] = [window.limit, window.offset];
    const sorted = scopedTable(source, scope, values, { readsAllFirst: true });
    const rows = scopedTable(source, scope, values);
    const matching = whereClause(source, query, values, now);
    // Not prepared: the best plan depends on the offset and on how rare the searched text is.
    return rowsOf<Row>(database, {
      text: `with page as (
               select id as page_id from ${from(matching, sorted)} order by ${windowOrder} limit $1 offset $2)
             select ${table}.* from page join ${rows} on id = page_id order by ${orderByTerms(column, direction)}`,
      values,
    });
  };
  if (!searchesText(query)) return readFrom((matching, rows) => `${rows} ${matching}`);
  // The planner assumes that matches are spread evenly over the order, and would scan a million rows if they come last.
  // So a limited scan is tried first; if it finds too few, all matches are found and sorted.
  const first = scannedRows + scannedRowsPerResult * (window.offset + window.limit);
  const scanned = await readFrom(
    (matching, rows) =>
      `(select * from ${rows} order by ${windowOrder} limit ${first}) as ${table} ${matching}`,
  );
  if (scanned.length === window.limit) return scanned;
  return readFrom((matching, rows) => `(select id, ${column} from ${rows} ${matching} offset 0) as ${table}`);
}

const searchesText = ({ search, filters }: ListMatch): boolean =>
  Boolean(search) || filters?.some(({ is }) => is === 'contains') === true;

/** Returns the window, counted from the nearer end of the list. */
function windowFromNearerEnd({ offset, limit }: ListQuery, total: number | null) {
  if (total === null || offset < total / 2) return { isBackwards: false, offset, limit };
  const end = Math.min(offset + limit, total);
  return { isBackwards: true, offset: total - end, limit: Math.max(0, end - offset) };
}

/** Returns the SQL column and direction of an order, or the default. */
export function resolveOrder(source: ListSource, { sort, direction }: ListOrder) {
  if (sort === undefined) return { column: source.newestFirst, direction: 'desc' as const };
  return { column: sortExpression(source, sort), direction };
}

/** Returns the SQL expression to sort by. The table has an index on `(expression, id)`. */
function sortExpression(source: ListSource, name: string): string {
  const { sql, folded } = columnOf(source, name);
  return folded ? `${sql}_folded collate alphabetical` : sql;
}

/**
 * Returns the terms of `order by`. One index on `(column, id)` provides both directions, including the position of
 * nulls.
 */
export function orderByTerms(column: string, direction: 'asc' | 'desc'): string {
  return `${column} ${direction} ${direction === 'asc' ? 'nulls last' : 'nulls first'}, id ${direction}`;
}

function opposite(direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return direction === 'asc' ? 'desc' : 'asc';
}

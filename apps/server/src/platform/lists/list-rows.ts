/**
 * Reads the rows of a page. Ids are found in an index first and joined to their rows afterwards, so that distant pages of a million rows
 * are fast. Pages in the second half are read from the end of the index, distant pages of a large list from a sampled position.
 */
import { rowsOf, scalarOf, type QueryConfig, type Queryable } from '../database/database.ts';
import { scopedTable, statementOf, whereClause, type Matching } from './list-conditions.ts';
import { rowsAfter, type ListPositions, type Position } from './list-positions.ts';
import {
  columnOf,
  foldedText,
  orderByTerms,
  type ListMatch,
  type ListSource,
  type Scope,
} from './list-source.ts';

export type ListOrder = { sort?: string | undefined; direction: 'asc' | 'desc' };

export type ListQuery = ListMatch & ListOrder & { offset: number; limit: number; part?: ListPart };

/** Requests only the rows, the total or an estimate of it, so that none waits for another. */
type ListPart = 'rows' | 'total' | 'estimate' | undefined;

/**
 * Maximum number of rows scanned for a text or a filter: a fixed number, plus a number for each requested row. If they contain too
 * few matches, the index of the text or of the filter is used.
 */
export const defaultScannedRows = 20_000;
const scannedRowsPerResult = 4;
/**
 * Entries of an index with the text of the search that are scanned for each match. This takes about a fifth of the time of finding all
 * matches.
 */
const entriesPerMatch = 3;
/** Maximum number of these entries: about 0.3 s. The estimate of a short text can be far too high. */
const maxEntries = 1_000_000;
/** Entries of an index of the whole site that are read in the same time as one row of an organization. */
const entriesPerRow = 50;

type PageRequest = {
  source: ListSource;
  scope: Scope;
  query: ListQuery;
  /** Number of matching rows, if known. */
  total: number | null;
  countScope: () => Promise<number>;
  positions: ListPositions;
  scannedRows: number;
  now: number;
};

export async function readPage<Row>(database: Queryable, request: PageRequest): Promise<Row[]> {
  const { source, scope, query, positions, scannedRows, now } = request;
  const { table } = source;
  const { column, direction } = resolveOrder(source, query);
  const sampled = isWholeList(request) ? positions.of(column, request) : null;
  const total = request.total ?? sampled?.total ?? null;
  if (sampled && total !== null) {
    const { offset, limit } = ascendingWindow(query, direction, total);
    const start = positions.findStart(sampled, offset, offset + limit);
    if (start) {
      const window = { limit, offset: offset - start.rank };
      return rowsOf<Row>(database, pageAfter(source, column, direction, start, window));
    }
  }
  const window = windowFromNearerEnd(query, total);
  const windowOrder = orderByTerms(column, window.isBackwards ? opposite(direction) : direction);
  const readFrom = async (from: (matching: string, rows: string, values: unknown[]) => string) => {
    const values: unknown[] = [window.limit, window.offset];
    const rows = scopedTable(source, scope, values);
    const matching = whereClause(source, query, values, now);
    // Not prepared: the best plan depends on the offset and on how rare the searched text is.
    return rowsOf<Row>(database, {
      text: `with page as (
               select id as page_id from ${from(matching, rows, values)} order by ${windowOrder} limit $1 offset $2)
             select ${table}.* from page join ${rows} on id = page_id order by ${orderByTerms(column, direction)}`,
      values,
    });
  };
  const hasIndex = scope === 'site' || source.organizationOrders?.includes(column) === true;
  const sorted = (values: unknown[]) => scopedTable(source, scope, values, { readsAllFirst: !hasIndex });
  const readAllMatches = () =>
    readFrom((matching, rows) => `(select id, ${column} from ${rows} ${matching} offset 0) as ${table}`);
  const { siteOrders } = source;
  const isText = isFoundByText(source, query);
  // Without a search: the index of texts finds fewer rows than an organization has.
  if (scope !== 'site' && siteOrders?.columns.includes(column) && !isText) {
    const entries = await countEntriesToScan(database, request, siteOrders.table);
    if (entries > 0) {
      const scanned = await readFrom((matching, rows, values) => {
        const condition = siteOrders.condition.replace(
          '$organization',
          `$${values.push(scope.organizationId)}`,
        );
        // `is true` keeps the planner from a join, which would not stop after the page.
        return `(select id, ${column} from ${siteOrders.table} order by ${windowOrder} limit ${entries}) as ordered
          ${matching && `cross join lateral (select from ${rows} ${matching} and id = ordered.id offset 0) as matching`}
          where ${condition} is true`;
      });
      if (scanned.length === window.limit) return scanned;
    }
  }
  if (!isText && !query.filters?.length && !query.stored?.length)
    return readFrom((matching, _rows, values) => `${sorted(values)} ${matching}`);
  // Without an index of the order, a scan reads all rows of the organization.
  if (!hasIndex || (scope === 'site' && !isText && (await hasFewMatches(database, request))))
    return readAllMatches();
  // The planner assumes that matches are spread evenly over the order, and would scan a million rows if they come last.
  // So a limited scan is tried first; if it finds too few, all matches are found and sorted.
  const scan = (length: number) =>
    readFrom(
      (matching, _rows, values) =>
        `(select * from ${sorted(values)} order by ${windowOrder} limit ${length}) as ${table} ${matching}`,
    );
  const first = scannedRows + scannedRowsPerResult * (window.offset + window.limit);
  const scanned = await scan(first);
  if (scanned.length === window.limit) return scanned;
  if (isOnlySearched(request) && source.searchedOrders?.includes(column)) {
    const matches = await estimateMatches(database, request);
    const entries = Math.min(entriesPerMatch * matches, maxEntries);
    const more = entries > first ? await scan(entries) : [];
    if (more.length === window.limit) return more;
  }
  return readAllMatches();
}

const matchingOf = ({ query, ...request }: PageRequest): Matching => ({ ...request, match: query });

/** Returns the planner's estimate of the number of matches. It does not read them. */
async function estimateMatches(database: Queryable, request: PageRequest): Promise<number> {
  const statement = statementOf(matchingOf(request), (rows) => `explain (format json) select from ${rows}`);
  const plan = await scalarOf<[{ Plan: { 'Plan Rows': number } }]>(database, statement);
  return plan?.[0].Plan['Plan Rows'] ?? 0;
}

/**
 * Returns the number of entries of a site's order to scan for a page of an organization; 0 if reading all rows of the organization is
 * faster.
 */
async function countEntriesToScan(
  database: Queryable,
  { query: { offset, limit }, countScope }: PageRequest,
  siteTable: string,
): Promise<number> {
  const rows = await countScope();
  const maximum = rows * entriesPerRow;
  const expected = ((offset + limit) * (await estimateLength(database, siteTable))) / rows;
  return expected > 0 && expected <= maximum ? maximum : 0;
}

/** Returns the planner's estimate of the number of rows of a table, or 0 or less if there is none: before the first `analyze`, and of a view. */
async function estimateLength(database: Queryable, table: string): Promise<number> {
  const text = 'select reltuples from pg_class where oid = $1::regclass';
  return (await scalarOf<number>(database, text, [table])) ?? -1;
}

/** Whether finding all matches takes no longer than scanning the order until the page is full. */
async function hasFewMatches(database: Queryable, request: PageRequest): Promise<boolean> {
  const { source, query, scannedRows } = request;
  const statement = statementOf(
    matchingOf(request),
    (rows) => `select count(*) from (select from ${rows} limit ${scannedRows + 1}) matching`,
  );
  const matches = (await scalarOf<number>(database, statement)) ?? 0;
  if (matches === 0 || matches > scannedRows) return matches === 0;
  // With `rows`, `table` is only a name.
  const length = source.rows === undefined ? await estimateLength(database, source.table) : -1;
  // As if matches were spread evenly over the order.
  const expected = ((query.offset + query.limit) * length) / matches;
  return length <= 0 || matches <= expected;
}

/** Whether the index of texts finds the matches. It finds all of them before the first one is read. */
const isFoundByText = (source: ListSource, { search, filters }: ListMatch): boolean =>
  Boolean(search) ||
  filters?.some(
    ({ is, column }) => is === 'contains' || (is === 'oneOf' && isFoundOnlyByText(source, column)),
  ) === true;

function isFoundOnlyByText(source: ListSource, name: string): boolean {
  // A group is not a column.
  if (!Object.hasOwn(source.columns, name)) return false;
  const { searched, folded } = columnOf(source, name);
  return searched === true && !folded;
}

/** Whether the list is the whole table: positions have no conditions. */
const isWholeList = (request: PageRequest): boolean => !request.query.search && isOnlySearched(request);

/** Whether the list is the whole table, or a search in it. */
const isOnlySearched = ({ source, scope, query }: PageRequest): boolean =>
  scope === 'site' &&
  source.rows === undefined &&
  source.visible === undefined &&
  !query.filters?.length &&
  !query.stored?.length &&
  !query.ids &&
  !query.except?.length &&
  query.after === undefined;

/** Returns the window, counted in ascending order. */
const ascendingWindow = ({ offset, limit }: ListQuery, direction: 'asc' | 'desc', total: number) => ({
  offset: direction === 'asc' ? offset : total - offset - limit,
  limit,
});

/** Returns the statement that reads a page from a position; the offset is counted from the position. */
function pageAfter(
  source: ListSource,
  column: string,
  direction: 'asc' | 'desc',
  start: Position,
  { limit, offset }: { limit: number; offset: number },
): QueryConfig {
  const { table } = source;
  const values: unknown[] = [limit, offset];
  return {
    text: `with page as (
             select id as page_id from ${rowsAfter(source, column, start, values)} as rest
             order by ${orderByTerms('list_value', 'asc')} limit $1 offset $2)
           select ${table}.* from page join ${table} on id = page_id order by ${orderByTerms(column, direction)}`,
    values,
  };
}

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
  return folded ? foldedText(sql) : sql;
}

const opposite = (direction: 'asc' | 'desc'): 'asc' | 'desc' => (direction === 'asc' ? 'desc' : 'asc');

/**
 * Reads a table for a grid: a page (a window by offset, sorted by one column and the id), the ids of a selection, and
 * all rows for an export, each filtered by a "contains" search and by allowed columns.
 */
import { groupColumn, selectionErrors, type Filter, type Selection } from '@vestibule/contract/values';
import { countMaximum, selectionMaximum } from '@vestibule/contract/rules/limits';
import { fail } from '../errors/failure.ts';
import { scalarsOf, type Database, type QueryConfig } from '../database/database.ts';
import { once, scopedTable, statementOf, whereClause } from './list-conditions.ts';
import { createListPositions } from './list-positions.ts';
import { defaultScannedRows, resolveOrder, readPage, type ListOrder, type ListQuery } from './list-rows.ts';
import { resolveRepeatedValues } from './list-values.ts';
import { countMatches, estimateTotal } from './list-totals.ts';
import { columnOf, orderByTerms, type ListMatch, type ListSource, type Scope } from './list-source.ts';

/** Totals from this size on are cached: they are slow to count and change little in proportion. */
const cachedTotalFrom = 10_000;
const cacheMs = 30_000;
const maxCachedTotals = 1_000;
/** Tolerated share of matching rows beyond the displayed total, which may be half a minute old. */
const toleratedGrowth = 0.01;

type Limits = {
  /** A text is common if at least so many rows contain it. */
  commonFrom?: number;
  positionStep?: number;
  /** Number of rows of which a total is estimated. */
  sampleSize?: number;
  /** Number of rows of the order in which matches are searched first. */
  scannedRows?: number;
};

/** Creates the reader of one table. */
export function createListReader<Row, Source extends ListSource = ListSource>(
  database: Pick<Database, 'query' | 'reads'>,
  source: Source,
  now: () => number,
  limits: Limits = {},
) {
  const { commonFrom, positionStep, sampleSize, scannedRows = defaultScannedRows } = limits;
  const display = database.reads ?? database;
  const totals = new Map<string, { until: number; total: number }>();
  const positions = createListPositions(display, source, now, positionStep);

  /** Returns the reader of the rows in a scope. */
  function inScope(scope: Scope) {
    function readCachedTotal(match: ListMatch): number | null {
      const cached = totals.get(keyOf(scope, match));
      return cached && cached.until > now() ? cached.total : null;
    }

    async function count(match: ListMatch): Promise<number> {
      const cached = readCachedTotal(match);
      if (cached !== null) return cached;
      const total = await countMatches(display, { source, scope, match, now: now() }, commonFrom);
      if (total >= cachedTotalFrom) {
        if (totals.size >= maxCachedTotals) totals.clear();
        totals.set(keyOf(scope, match), { until: now() + cacheMs, total });
      }
      return total;
    }

    const readRows = (query: ListQuery) =>
      readPage<Row>(display, {
        source,
        scope,
        query,
        total: readCachedTotal(query),
        countScope: () => count({}),
        positions,
        scannedRows,
        now: now(),
      });

    /** Returns the total of the first page if it is known without counting. */
    function knownTotal(query: ListQuery, rows: Row[]): number | null {
      if (query.offset > 0) return null;
      return rows.length < query.limit ? rows.length : readCachedTotal(query);
    }

    return {
      source,

      /**
       * Returns one page. `total` is null except for the first page (offset 0). If only the rows are requested, it is also
       * null for the first page unless it is known without counting. An estimate is null if the exact total takes no longer.
       */
      async page({ part, ...request }: ListQuery): Promise<{ rows: Row[]; total: number | null }> {
        const query = await resolveRepeatedValues(display, source, request);
        switch (part) {
          case 'total':
            return { rows: [], total: await count(query) };
          case 'estimate': {
            const match = { source, scope, match: query, now: now() };
            const total = readCachedTotal(query) ?? (await estimateTotal(display, match, sampleSize));
            return { rows: [], total };
          }
          case 'rows': {
            const rows = await readRows(query);
            return { rows, total: knownTotal(query, rows) };
          }
          case undefined: {
            const isFirst = query.offset === 0;
            const [rows, total] = await Promise.all([readRows(query), isFirst ? count(query) : null]);
            return { rows, total };
          }
        }
      },

      /** Counts all rows and those of each group, up to `countMaximum` + 1. */
      async countGroups(): Promise<Record<GroupOf<Source> | 'all', number>> {
        const statement = countGroupsStatement(source, scope, now());
        const { rows } = await display.query<Record<GroupOf<Source> | 'all', number>>(statement);
        return rows[0] as Record<GroupOf<Source> | 'all', number>;
      },

      createStatements: (query: ListMatch & ListOrder, names: string[]) =>
        exportStatements(source, scope, query, names, now()),

      /**
       * Returns the distinct ids of a selection in ascending order, so that callers lock rows in one order. Never reads
       * the replica, since actions depend on the result. Explicit ids are not checked here.
       */
      async select(selection: Selection, viewer?: ListMatch['viewer']): Promise<string[]> {
        if ('ids' in selection) return [...new Set(selection.ids)].sort();
        const { except, total } = selection.all;
        const request: ListMatch = { ...selection.all, ...(viewer && { viewer }) };
        const match = await resolveRepeatedValues(database, source, request);
        // One more than allowed.
        const statement = statementOf(
          { source, scope, match, now: now() },
          (rows) => `select id from ${rows} limit ${selectionMaximum + 1}`,
        );
        const ids = await scalarsOf<string>(database, statement);
        if (ids.length > selectionMaximum) throw fail(selectionErrors.tooLarge);
        const selectedCount = total - (except?.length ?? 0);
        if (ids.length > selectedCount * (1 + toleratedGrowth)) throw fail(selectionErrors.changed);
        return ids.sort();
      },
    };
  }

  return { in: inScope };
}

type GroupOf<Source> = Source extends { groups?: Record<infer Group extends string, string> } ? Group : never;

/** Reader of the rows in a scope. */
export type ListReader<Row, Source extends ListSource = ListSource> = ReturnType<
  ReturnType<typeof createListReader<Row, Source>>['in']
>;

/** Returns the statements that read and count all matching rows, with the named columns as displayed. */
function exportStatements(
  source: ListSource,
  scope: Scope,
  query: ListMatch & ListOrder,
  names: string[],
  now: number,
): { rows: QueryConfig; count: QueryConfig } {
  const { column, direction } = resolveOrder(source, query);
  const values: unknown[] = [];
  const matching = `from ${scopedTable(source, scope, values)} ${whereClause(source, query, values, now)}`;
  const count = { text: `select count(*) as total ${matching}`, values: [...values] };
  const moment = once(() => `$${values.push(new Date(now))}::timestamptz`);
  const columns = names.map((name) => displayedValue(source, name, moment));
  const text = `select ${columns.join(', ')} ${matching} order by ${orderByTerms(column, direction)}`;
  return { rows: { text, values }, count };
}

/** Returns the statement that counts all rows and those of each group. */
function countGroupsStatement(source: ListSource, scope: Scope, now: number): QueryConfig {
  const values: unknown[] = [];
  const counts = ['all', ...Object.keys(source.groups ?? {})].map((group) => {
    const filters: Filter[] = group === 'all' ? [] : [{ column: groupColumn, is: 'oneOf', values: [group] }];
    const matching = whereClause(source, { filters }, values, now);
    return `(select count(*) from (select from ${scopedTable(source, scope, values)} ${matching} limit ${countMaximum + 1}) counted) as "${group}"`;
  });
  return { text: `select ${counts.join(', ')}`, values };
}

const keyOf = (scope: Scope, { search, filters, stored, ids, except, after, viewer }: ListMatch) =>
  JSON.stringify([scope, search ?? '', filters ?? [], stored, ids, except, after, viewer]);

function displayedValue(source: ListSource, name: string, moment: () => string): string {
  const column = columnOf(source, name);
  if (!column.values) return column.sql;
  const cases = Object.entries(column.values).map(
    ([value, condition]) => `when ${condition} then '${value}'`,
  );
  return `case ${cases.join(' ')} end`.replaceAll('$now', moment);
}

/**
 * Counts the matches of a list, and estimates their number from a sample of rows: an exact total of a search takes seconds with ten
 * million rows (decision 046).
 */
import { rowOf, scalarOf, type Queryable } from '../database/database.ts';
import { scopedTable, statementOf, whereClause, type Matching } from './list-conditions.ts';
import { columnOf } from './list-source.ts';

/** Number of matching rows from which reading the index of the filtered column is faster than reading the index of `search`. */
const defaultCommonFrom = 50_000;

/** Rows in a sample. Matches may lie close to each other, so that fewer rows give a worse estimate. */
const defaultSampleSize = 50_000;
/** Smaller lists are counted as fast. */
const minListSamples = 10;
/** With fewer matches in the sample, the estimate is too inaccurate, and the exact total takes no longer. */
const minSampledMatches = 50;

export async function countMatches(
  database: Queryable,
  matching: Matching,
  commonFrom = defaultCommonFrom,
): Promise<number> {
  const { source, match } = matching;
  const isSearched = match.filters?.some(
    ({ is, column }) => is === 'contains' && columnOf(source, column).searched,
  );
  if (isSearched) {
    const countUpToCommon = statementOf(
      matching,
      (rows) => `select count(*) from (select from ${rows} limit ${commonFrom}) counted`,
    );
    const upToCommon = (await scalarOf<number>(database, countUpToCommon)) ?? 0;
    if (upToCommon < commonFrom) return upToCommon;
  }
  const countAll = statementOf(matching, (rows) => `select count(*) from ${rows}`, 'common');
  return (await scalarOf<number>(database, countAll)) ?? 0;
}

/**
 * Returns the approximate number of matches, with two significant digits. Returns null if the matches are few, the list is small,
 * or its rows are not those of a table.
 */
export async function estimateTotal(
  database: Queryable,
  { source, scope, match, now }: Matching,
  sampleSize = defaultSampleSize,
): Promise<number | null> {
  if (scope !== 'site' || source.rows !== undefined) return null;
  const table = await rowOf<{ length: number }>(database)`
    select reltuples as length from pg_class where oid = ${source.table}::regclass and relkind = 'r'`;
  const length = table?.length ?? 0;
  if (length < minListSamples * sampleSize) return null;
  const values: unknown[] = [(100 * sampleSize) / length];
  const matching = whereClause(source, match, values, now) || 'where true';
  const sample = await rowOf<{ matches: number; rows: number }>(database, {
    text: `select count(*) filter (${matching}) as matches, count(*) as rows
           from ${scopedTable(source, scope, values)} tablesample system ($1)`,
    values,
  });
  if (!sample || sample.matches < minSampledMatches) return null;
  return Number(((sample.matches / sample.rows) * length).toPrecision(2));
}

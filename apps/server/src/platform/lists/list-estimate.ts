/** Estimates totals of large lists from a sample of rows: an exact total of a search takes seconds with ten million rows. */
import { rowOf, type Queryable } from '../database/database.ts';
import { scopedTable, whereClause } from './list-conditions.ts';
import type { ListMatch, ListSource, Scope } from './list-source.ts';

/** Rows in a sample. Matches may lie close to each other, so that fewer rows give a worse estimate. */
const defaultSampleSize = 50_000;
/** Smaller lists are counted as fast. */
const minListSamples = 10;
/** With fewer matches in the sample, the estimate is too inaccurate, and the exact total takes no longer. */
const minSampledMatches = 50;

/**
 * Returns the approximate number of matches, with two significant digits. Returns null if the matches are few, the list is small,
 * or its rows are not those of a table.
 */
export async function estimateTotal(
  database: Queryable,
  { source, scope, match, now }: { source: ListSource; scope: Scope; match: ListMatch; now: number },
  sampleSize = defaultSampleSize,
): Promise<number | null> {
  if (scope !== 'site' || source.rows !== undefined) return null;
  const table = await rowOf<{ length: number }>(database, {
    text: `select reltuples as length from pg_class where oid = $1::regclass and relkind = 'r'`,
    values: [source.table],
  });
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

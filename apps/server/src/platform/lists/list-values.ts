/** Replaces filters of columns with few distinct values by the values that match, which an index on the column finds. */
import type { Filter } from '@vestibule/contract/values';
import { rowsOf, type Queryable } from '../database/database.ts';
import { contains } from './list-conditions.ts';
import { columnOf, type ListMatch, type ListSource } from './list-source.ts';

/** With more distinct values, the filter is applied to each row. Reading so many takes about 20 ms. */
const maxDistinctValues = 2_000;

/** Moves these filters to `stored`, so that the planner knows how many rows match. */
export async function resolveRepeatedValues<Match extends ListMatch>(
  database: Queryable,
  source: ListSource,
  match: Match,
): Promise<Match> {
  const filters: Filter[] = [];
  const stored: ListMatch['stored'] = [];
  for (const filter of match.filters ?? []) {
    const values = isOfRepeatedValues(source, filter) ? await findValues(database, source, filter) : null;
    if (values === null) filters.push(filter);
    else stored.push({ column: filter.column, values });
  }
  return stored.length === 0 ? match : { ...match, filters, stored };
}

function isOfRepeatedValues(source: ListSource, { column: name, is }: Filter): boolean {
  // A group is not a column.
  if (!Object.hasOwn(source.columns, name)) return false;
  const { isRepeated, kind, several } = columnOf(source, name);
  return (
    isRepeated === true && ((is === 'contains' && kind === 'text') || (is === 'oneOf' && several === true))
  );
}

/** Returns the stored values that match; null if the column has too many. */
async function findValues(database: Queryable, source: ListSource, filter: Filter): Promise<string[] | null> {
  const { sql } = columnOf(source, filter.column);
  const next = (condition: string) =>
    `(select ${sql} from ${source.table} where ${condition} order by ${sql} limit 1)`;
  const values: unknown[] = [];
  const matches = conditionOfValue(filter, (value) => `$${values.push(value)}`);
  const distinct = await rowsOf<{ value: string; matches: boolean }>(database, {
    // Reads one index entry for each value.
    text: `with recursive distinct_values (value, number) as (
             select ${next(`${sql} is not null`)}, 1
             union all
             select ${next(`${sql} > value`)}, number + 1 from distinct_values
             where value is not null and number <= ${maxDistinctValues})
           select value, ${matches} as matches from distinct_values where value is not null`,
    values,
  });
  if (distinct.length > maxDistinctValues) return null;
  return distinct.filter((one) => one.matches).map(({ value }) => value);
}

function conditionOfValue(filter: Filter, parameter: (value: unknown) => string): string {
  if (filter.is === 'contains') return contains('lower(value)', filter.text, parameter);
  if (filter.is === 'oneOf') return `string_to_array(value, ', ') && ${parameter(filter.values)}::text[]`;
  throw new Error(`${filter.column} has no values for ${filter.is}`);
}

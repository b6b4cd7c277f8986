import { rowsOf, type Queryable } from './database.ts';

/**
 * Finds values by key, and returns a function that returns the value of a key; null if there is none. The statement selects `key` and
 * `value`; `$1` are the keys.
 */
export async function findByKey<Value>(
  database: Queryable,
  keys: readonly (string | null)[],
  statement: { name: string; text: string },
): Promise<(key: string | null) => Value | null> {
  const asked = new Set(keys.filter((key) => key !== null));
  if (asked.size === 0) return () => null;
  const rows = await rowsOf<{ key: string; value: Value }>(database, { ...statement, values: [[...asked]] });
  const found = new Map(rows.map(({ key, value }) => [key, value]));
  return (key) => found.get(key ?? '') ?? null;
}

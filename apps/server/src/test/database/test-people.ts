/** Databases with many people, for tests of lists. */
import { afterAll } from 'vitest';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import { createTestDatabase } from './test-database.ts';

/** Opens a database as its owner, and drops it after the last test of the file. */
export async function openListDatabase(parameters = '') {
  const created = await createTestDatabase();
  const database = openDatabase(created.url + parameters);
  afterAll(async () => {
    await database.end();
    await created.drop();
  });
  return database;
}

/**
 * Inserts the people numbered `from` to `to`: of fifty names, every hundredth an administrator, a third never seen. In batches, so that
 * no statement reaches its time limit on a slow machine. `invitedBy` is an SQL expression of the number `n`.
 */
export async function insertPeople(
  database: Database,
  {
    from = 1,
    to,
    name = 'Person ',
    invitedBy = 'null',
  }: { from?: number; to: number; name?: string; invitedBy?: string },
): Promise<void> {
  const now = new Date();
  for (let first = from; first <= to; first += 2_000)
    await database.query({
      text: `insert into people (id, email, email_canonical, display_name, role, status, joined_at, last_seen_at, invited_by)
             select gen_random_uuid(), n % 100 || '.' || n || '@example.com', n || '@example.com', $3 || n % 50,
               case when n % 100 = 0 then 'admin' else 'member' end, 'active', $4::timestamptz - n % 500 * interval '1.000001 hour',
               case when n % 3 > 0 then $4::timestamptz - n * interval '1 minute' end, ${invitedBy}
             from generate_series($1::int, $2::int) n`,
      values: [first, Math.min(to, first + 1_999), name, now],
    });
}

/** Database faults and lock waits for tests. */
import { expect } from 'vitest';
import type { Database } from '../platform/database/database.ts';

/** Idle connection, such as the application's, or a transaction. */
type Asked = { select: (text: string) => Promise<unknown[]> };

/** Waits until this many statements wait for a lock. */
export async function waitingForLocks({ select }: Asked, count: number): Promise<void> {
  await expect
    .poll(() =>
      select(
        'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
      ),
    )
    .toHaveLength(count);
}

/** Runs `work` while the database is broken, and repairs it afterwards in any case. */
async function whileBroken<Result>(
  { select }: Asked,
  { breaks, mends }: { breaks: string; mends: string },
  act: () => Promise<Result>,
): Promise<Result> {
  await select(breaks);
  try {
    return await act();
  } finally {
    await select(mends);
  }
}

/** Runs `work` while a column is renamed. */
export const withoutColumn = <Result>(
  t: Asked,
  table: string,
  column: string,
  act: () => Promise<Result>,
): Promise<Result> =>
  whileBroken(
    t,
    {
      breaks: `alter table ${table} rename column ${column} to gone`,
      mends: `alter table ${table} rename column gone to ${column}`,
    },
    act,
  );

/** Runs `work` while writes to a table fail, or those that match `when`. */
export const whileRefusing = <Result>(
  t: Asked,
  table: string,
  act: () => Promise<Result>,
  { of = 'insert', when = 'true' }: { of?: string; when?: string } = {},
): Promise<Result> =>
  whileBroken(
    t,
    {
      breaks: `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
               create trigger refuse before ${of} on ${table} for each row when (${when}) execute function refuse()`,
      mends: 'drop function refuse cascade',
    },
    act,
  );

/** Runs an action that waits for the removal of a person and continues after it. */
export async function whileRemoving<Result>(
  t: Asked & { database: Database },
  personId: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const { result } = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'delete from people where id = $1', values: [personId] });
    const acting = act();
    // Awaited below.
    acting.catch(() => {});
    await waitingForLocks(t, 1);
    return { result: acting };
  });
  return result;
}

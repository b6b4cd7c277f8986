/** A database in which somebody waits, or that is broken on purpose. */
import { expect } from 'vitest';
import type { Database } from '../platform/database/database.ts';

/** A connection, such as the application of tests has; or a transaction, which is not idle then. */
type Asked = { select: (text: string) => Promise<unknown[]> };

/** Until so many of the database's statements wait for what somebody holds. */
export async function waitingForLocks({ select }: Asked, count: number): Promise<void> {
  await expect
    .poll(() =>
      select(
        'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
      ),
    )
    .toHaveLength(count);
}

/** Does something while the database is broken; it is whole again for the tests that follow, whatever comes of it. */
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

/** Does something while a column is not where it is looked for. */
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

/** Does something while every row that is written to a table is refused, or those that `when` names. */
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

/** Does something that has to wait for the removal of somebody, and then for nothing more: they are gone. */
export async function whileRemoving<Result>(
  t: Asked & { database: Database },
  personId: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const { result } = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'delete from people where id = $1', values: [personId] });
    const acting = act();
    // Met below.
    acting.catch(() => {});
    await waitingForLocks(t, 1);
    return { result: acting };
  });
  return result;
}

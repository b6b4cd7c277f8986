import { expect } from 'vitest';

type QueryRunner = { select: (text: string) => Promise<unknown[]> };

/** Waits until this many statements wait for a lock. */
export async function waitForLocks({ select }: QueryRunner, count: number): Promise<void> {
  await expect
    .poll(() =>
      select(
        'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
      ),
    )
    .toHaveLength(count);
}

async function withBrokenTable<Result>(
  { select }: QueryRunner,
  { damage, repair }: { damage: string; repair: string },
  act: () => Promise<Result>,
): Promise<Result> {
  await select(damage);
  try {
    return await act();
  } finally {
    await select(repair);
  }
}

export const withoutColumn = <Result>(
  t: QueryRunner,
  table: string,
  column: string,
  act: () => Promise<Result>,
): Promise<Result> =>
  withBrokenTable(
    t,
    {
      damage: `alter table ${table} rename column ${column} to gone`,
      repair: `alter table ${table} rename column gone to ${column}`,
    },
    act,
  );

/** Lets all writes to the table fail, or only the writes that match `when`. */
export const withRefusedWrites = <Result>(
  t: QueryRunner,
  table: string,
  act: () => Promise<Result>,
  { of = 'insert', when = 'true' }: { of?: string; when?: string } = {},
): Promise<Result> =>
  withBrokenTable(
    t,
    {
      damage: `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
               create trigger refuse before ${of} on ${table} for each row when (${when}) execute function refuse()`,
      repair: 'drop function refuse cascade',
    },
    act,
  );

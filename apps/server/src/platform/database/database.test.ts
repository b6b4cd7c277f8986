import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import {
  execute,
  openDatabase,
  rawSql,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  scalarOf,
  type Database,
} from './database.ts';
import { outsideTransaction, requireNoTransaction } from './held-connection.ts';
import { statementName } from '../telemetry/statement-span.ts';
import { openSnapshot } from './snapshot.ts';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { startProxy } from '../../test/test-proxy.ts';

const lost: Error[] = [];

const testDatabase = await createTestDatabase();
const database = openDatabase(testDatabase.url, { onConnectionError: (error) => lost.push(error) });
await database.query({ text: 'create table notes (id int primary key, text text)' });

afterAll(async () => {
  await database.end();
  await testDatabase.drop();
});

beforeEach(async () => {
  await database.query({ text: 'truncate notes' });
});

const insert = (id: number) => ({
  name: 'insert-note',
  text: 'insert into notes (id) values ($1)',
  values: [id],
});

async function countNotes(): Promise<unknown> {
  const result = await database.query<{ count: number }>({ text: 'select count(*) from notes' });
  return result.rows[0]?.count;
}

describe('queries', () => {
  test('a count is a number and a timestamptz is a Date', async () => {
    const text = `select count(*) as total, timestamptz '2026-01-02T03:04:05Z' as at from notes`;
    const result = await database.query<{ total: number; at: Date }>({ text });
    expect(result.rows).toEqual([{ total: 0, at: new Date('2026-01-02T03:04:05Z') }]);
  });

  test('a timestamptz is a Date, whatever the DateStyle of the database', async () => {
    const german = openDatabase(`${testDatabase.url}?options=-c%20datestyle%3DGerman`);
    const { rows } = await german.query({ text: `select timestamptz '2026-12-31 23:00+00' as at` });
    await german.end();
    expect(rows).toEqual([{ at: new Date('2026-12-31T23:00Z') }]);
  });

  test('a date is text, so that it is the same day in every time zone', async () => {
    vi.stubEnv('TZ', 'America/Los_Angeles');
    const text = `select date '2026-12-31' as day, null::date as none from (values (1)) one`;
    const result = await database.query<{ day: string; none: null }>({ text });
    vi.unstubAllEnvs();
    expect(result.rows).toEqual([{ day: '2026-12-31', none: null }]);
  });

  test('values in a template are parameters, which cannot change the statement', async () => {
    const text = `'); drop table notes; --`;
    await execute(database)`insert into notes (id, text) values (${1}, ${text}), (${2}, ${null})`;
    const order = rawSql('id desc');
    expect(
      await rowsOf(database)`select id, text from notes where id = any(${[1, 2]}) order by ${order}`,
    ).toEqual([
      { id: 2, text: null },
      { id: 1, text },
    ]);
    const isBetween = (from: string, to: string) => `id between ${from} and ${to}`;
    expect(
      await rowsOf(database)`select id from notes where ${rawSql(isBetween, 2, 3)} limit ${rawSql(1)}`,
    ).toEqual([{ id: 2 }]);
    expect(await rowOf(database)`select id from notes where id > ${2}`).toBeNull();
  });

  test('a part of a template must not use parameters that templates number', async () => {
    const find = (isFound: ReturnType<typeof rawSql>) =>
      rowsOf(database)`select id from notes where ${isFound}`;
    await expect(find(rawSql('id = $1'))).rejects.toThrow('uses $1 without its value');
    await expect(find(rawSql((id) => `id = ${id} or id = $2`, 1))).rejects.toThrow('uses $2');
  });

  test('a template with a name is prepared once and runs again with other values', async () => {
    const find = (id: number) =>
      scalarOf<string>(database, { name: 'find-note-text' })`select ${`note ${id}`}::text`;
    expect([await find(1), await find(2)]).toEqual(['note 1', 'note 2']);
    expect(
      await scalarOf(database, `select count(*) from pg_prepared_statements where name = 'find-note-text'`),
    ).toBe(1);
  });

  test('a named statement runs again with other values', async () => {
    await database.query(insert(1));
    const result = await database.query(insert(2));
    expect(result.rowCount).toBe(1);
    expect(await countNotes()).toBe(2);
  });

  test('a unique violation rejects the query and keeps the connection', async () => {
    const pool = openDatabase(testDatabase.url, { maxConnections: 1 });
    const pid = () => pool.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    const before = await pid();
    await pool.query(insert(1));
    await expect(pool.query(insert(1))).rejects.toMatchObject({ code: '23505' });
    expect((await pid()).rows).toEqual(before.rows);
    await pool.end();
  });
});

describe('transactions', () => {
  test('a transaction that resolves is committed', async () => {
    const result = await database.transaction(async (transaction) => {
      await transaction.query(insert(1));
      return 'done';
    });
    expect(result).toBe('done');
    expect(await countNotes()).toBe(1);
  });

  test('a transaction that throws is rolled back and its connection is used again (security 50)', async () => {
    const single = openDatabase(testDatabase.url, { maxConnections: 1 });
    const failing = single.transaction(async (transaction) => {
      await transaction.query(insert(1));
      throw new Error('no audit row');
    });
    await expect(failing).rejects.toThrow('no audit row');
    await single.query(insert(2));
    expect(await countNotes()).toBe(1);
    await single.end();
  });

  test('a transaction that ignores a failed statement throws an error, rather than rolling back silently', async () => {
    await database.query(insert(1));
    const transactionWithSwallowedError = database.transaction(async (transaction) => {
      await transaction.query(insert(2));
      await transaction.query(insert(1)).catch(() => undefined);
    });
    await expect(transactionWithSwallowedError).rejects.toThrow('rolled back');
    expect(await countNotes()).toBe(1);
  });

  test('a transaction fails after its own time limit, even if each statement is short', async () => {
    const waiting = (withinMs?: number) =>
      database.transaction(
        async (transaction) => {
          for (let id = 1; id <= 4; id += 1) {
            await transaction.query({ text: 'select pg_sleep(0.1)' });
            await transaction.query(insert(id));
          }
        },
        withinMs === undefined ? undefined : { withinMs },
      );
    const error = await waiting(150).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await countNotes()).toBe(0);
    await waiting();
    expect(await countNotes()).toBe(4);
  });

  test('code inside a transaction cannot take a second connection from the pool', async () => {
    await expect(database.transaction(() => database.query({ text: 'select 1' }))).rejects.toThrow(
      'second connection',
    );
    await expect(database.transaction(() => database.transaction(() => Promise.resolve()))).rejects.toThrow(
      'second connection',
    );
    await database.transaction(async () => {
      await new Promise((resolve) => setTimeout(resolve));
      expect(requireNoTransaction).toThrow('second connection');
    });
  });

  test('work that a transaction started can use the pool after the transaction has ended', async () => {
    const ended = Promise.withResolvers<void>();
    const later = await database.transaction(() =>
      Promise.resolve({ work: ended.promise.then(() => database.query({ text: 'select 1' })) }),
    );
    ended.resolve();
    expect((await later.work).rowCount).toBe(1);
  });

  test('a production server reports a second connection inside a transaction, and continues', async () => {
    const reported: string[] = [];
    const production = openDatabase(testDatabase.url, {
      onSecondConnection: ({ message }) => reported.push(message),
    });
    await production.transaction(() => production.query({ text: 'select 1' }));
    await production.end();
    expect(reported).toHaveLength(1);
  });

  test('a query after the end of its transaction is refused', async () => {
    const late = await database.transaction((transaction) =>
      Promise.resolve(() => transaction.query(insert(1))),
    );
    await expect(late()).rejects.toThrow('transaction is over');
  });
});

describe('deadlocked transactions', () => {
  /** Returns the time limit of each attempt if every attempt takes `tookMs`. */
  async function attemptsOf(tookMs: number): Promise<(number | undefined)[]> {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const given: (number | undefined)[] = [];
    const circling: Database = {
      ...database,
      transaction(_work, limit) {
        given.push(limit?.withinMs);
        now += tookMs;
        return Promise.reject(Object.assign(new Error('a deadlock'), { code: '40P01' }));
      },
    };
    await expect(retryOnDeadlock(circling, () => Promise.resolve())).rejects.toMatchObject({
      code: '40P01',
    });
    clock.mockRestore();
    return given;
  }

  test('are retried within the time limit of the first attempt', async () => {
    expect(await attemptsOf(1_000)).toEqual([10_000, 9_000, 8_000]);
    expect(await attemptsOf(4_000)).toEqual([10_000, 6_000]);
    expect(await attemptsOf(6_000)).toEqual([10_000]);
  });
});

describe('lost connections', () => {
  test('a connection that is lost during a query rejects that query', async () => {
    const text = 'select pg_terminate_backend(pg_backend_pid())';
    const error = await database.query({ text }).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await countNotes()).toBe(0);
  });

  test('a connection that is lost between two queries of a transaction does not end the process', async () => {
    lost.length = 0;
    const ended = database.transaction(async (transaction) => {
      const result = await transaction.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
      await transaction.query(insert(1));
      await outsideTransaction(() =>
        database.query({ text: 'select pg_terminate_backend($1)', values: [result.rows[0]?.pid] }),
      );
      await expect.poll(() => lost.length).toBeGreaterThan(0);
    });
    const error = await ended.catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await countNotes()).toBe(0);
  });

  test('a server that became read-only is reported as unavailable, and its connections leave the pool at once', async () => {
    const demoted = openDatabase(testDatabase.url, { maxConnections: 4 });
    // In transactions, so that both connections exist at the same time.
    const bothOpen = Promise.withResolvers<void>();
    let open = 0;
    const makeReadOnly = () =>
      demoted.transaction(async (transaction) => {
        await transaction.query({ text: 'set default_transaction_read_only = on' });
        if ((open += 1) === 2) bothOpen.resolve();
        await bothOpen.promise;
      });
    await Promise.all([makeReadOnly(), makeReadOnly()]);
    const error = await demoted.query(insert(1)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '25006' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    for (const id of [2, 3, 4]) await demoted.query(insert(id));
    expect(demoted.pool.totalCount).toBe(1);
    await demoted.end();
  });

  test('an unreachable server is reported as unavailable', async () => {
    const unreachable = openDatabase('postgres://user:x@127.0.0.1:1/none');
    const error = await unreachable.query({ text: 'select 1' }).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await unreachable.end();
  });

  test('a new connection and a failed attempt are reported', async () => {
    const reports: string[] = [];
    const report = {
      onConnect: () => reports.push('connected'),
      onConnectFailure: (error: Error) => reports.push(error.message),
    };
    for (const url of [testDatabase.url, 'postgres://user:x@127.0.0.1:1/none']) {
      const watched = openDatabase(url, report);
      await watched.query({ text: 'select 1' }).catch(() => {});
      await watched.end();
    }
    expect(reports).toEqual(['connected', 'connect ECONNREFUSED 127.0.0.1:1']);
  });

  test('a transaction fails in time if the network drops a response, and the next query gets a new connection', async () => {
    const proxy = await startProxy(testDatabase.url);
    const slow = openDatabase(proxy.url, { maxConnections: 1, timeoutFactor: 0.2 });
    await slow.query({ text: 'select 1' });
    const startedAt = performance.now();
    const hanging = slow.transaction(async (transaction) => {
      await transaction.query(insert(1));
      proxy.dropPackets();
      await transaction.query(insert(2));
    });
    const error = await hanging.catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    proxy.forwardPackets();
    await slow.query({ text: 'select 1' });
    expect(await countNotes()).toBe(0);
    await slow.end();
    proxy.close();
  });

  test('an error in a statement is not reported as unavailability', async () => {
    const error = await database.query({ text: 'select nothing' }).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe('refused connections', () => {
  const errorOf = async (url: string, options = {}) => {
    const refused = openDatabase(url, options);
    const error = await refused.query({ text: 'select 1' }).catch((reason: unknown) => reason);
    await expect(openSnapshot(refused)).rejects.toThrow((error as Error).message);
    await refused.end();
    return error;
  };
  const changed = (parts: Partial<URL>) => Object.assign(new URL(testDatabase.url), parts).href;

  test.each([
    ['a wrong password', { password: 'wrong' }, 'Correct the user or the password in'],
    ['an unknown database', { pathname: '/nothing' }, 'Create it, or correct the name in'],
    ['a socket without a server', { search: '?host=/nowhere' }, 'Start it, or correct'],
  ])('are reported as unavailability, with the setting to correct: %s', async (_, parts, advice) => {
    const error = await errorOf(changed(parts), { variable: 'DATABASE_READ_URL' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(String(error)).toContain(`${advice} DATABASE_READ_URL.`);
  });

  test('are accepted again without a restart of the server', async () => {
    const limited = openDatabase(testDatabase.applicationUrl);
    const ping = () => limited.query({ text: 'select 1' });
    await testDatabase.asAdministrator(`alter database ${testDatabase.name} connection limit 0`);
    const error = await ping().catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(String(error)).toMatch(
      /too many connections .*\(max_connections, connection limit\), or correct DATABASE_URL/,
    );
    await testDatabase.asAdministrator(`alter database ${testDatabase.name} connection limit -1`);
    await expect(ping()).resolves.toMatchObject({ rowCount: 1 });
    await limited.end();
  });
});

test.each([
  ["select name from people where email = 'ann@example.com'", 'select people'],
  ['\n  insert into invitations (id) values ($1)', 'insert invitations'],
  ['update "people" set name = $1', 'update people'],
  ['with new as (insert into jobs.job values ($1)) select 1', 'with jobs.job'],
  ['-- ann\n(select 1)', 'select'],
  ["'ann'", 'statement'],
])('the statement %j is named %s', (text, name) => {
  expect(statementName({ text })).toBe(name);
});

test('the name of a prepared statement is returned unchanged', () => {
  expect(statementName({ name: 'find-caller', text: 'select 1' })).toBe('find-caller');
});

/** Limits that several processes share (security 17). */
import { afterAll, expect, test } from 'vitest';
import { openDatabase, type Database } from './database.ts';
import { createRateLimit, deleteExpiredLimits } from './rate-limit.ts';
import { createTestDatabase, longTimeouts } from '../../test/database/test-database.ts';

let time = Date.parse('2026-11-21T08:00:00Z');
const now = () => time;
let drop: () => Promise<void>;
const made = await createTestDatabase();
const databases = [1, 2].map(() => openDatabase(made.applicationUrl, longTimeouts));
drop = () => made.drop();
afterAll(async () => {
  for (const database of databases) await database.end();
  await drop();
});

/** Returns two instances of one limit, as in two processes. */
const createOnTwoProcesses = (name: string, maximum: number) =>
  databases.map((database) => createRateLimit({ database, now }, { name, maximum, windowSeconds: 60 })) as [
    ReturnType<typeof createRateLimit>,
    ReturnType<typeof createRateLimit>,
  ];

test('take allows only the maximum of 200 concurrent calls on two processes', async () => {
  const [one, other] = createOnTwoProcesses('at once', 10);
  const waits = await Promise.all(
    Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).take('ann')),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
  expect(waits.filter((wait) => wait === 60)).toHaveLength(190);
});

test('take returns the seconds to wait for each key, and a new count starts when the window has ended', async () => {
  const [one, other] = createOnTwoProcesses('windows', 2);
  expect([await one.take('ann'), await other.take('ann')]).toEqual([0, 0]);
  time += 15_000;
  expect([await one.take('ann'), await other.waitSeconds('ann'), await other.take('ann')]).toEqual([
    45, 45, 45,
  ]);
  expect([await one.waitSeconds('bob'), await one.take('bob')]).toEqual([0, 0]);
  time += 45_000;
  expect([
    await one.waitSeconds('ann'),
    await other.take('ann'),
    await one.take('ann'),
    await other.take('ann'),
  ]).toEqual([0, 0, 0, 60]);
});

test('take takes several units together or none of them', async () => {
  const [limit] = createOnTwoProcesses('units', 10);
  expect(await limit.take('ann', 7)).toBe(0);
  expect(await limit.take('ann', 4)).toBe(60);
  expect(await limit.take('ann', 3)).toBe(0);
});

test('takeEach counts several keys separately', async () => {
  const [one, other] = createOnTwoProcesses('each', 1);
  expect(await one.takeEach(['ann', 'ben'])).toEqual([0, 0]);
  expect(await other.takeEach(['cem', 'ben', 'dan'])).toEqual([0, 60, 0]);
  expect(await one.takeEach(['dan', 'ann', 'eva'])).toEqual([60, 60, 0]);
  // Both processes have cached this refusal: no statement is sent.
  expect(await other.takeEach(['ben'])).toEqual([60]);
});

test('a rolled-back transaction does not count', async () => {
  const [limit] = createOnTwoProcesses('rolled back', 1);
  const [database] = databases as [Database];
  await expect(
    database.transaction(async (transaction) => {
      expect(await limit.take('ann', 1, transaction)).toBe(0);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await limit.take('ann')).toBe(0);
});

test('a key over its limit causes no further statements', async () => {
  const [database] = databases as [Database];
  let statements = 0;
  const counted: Database = {
    ...database,
    query: (config) => {
      statements += 1;
      return database.query(config);
    },
  };
  const limit = createRateLimit({ database: counted, now }, { name: 'cheap', maximum: 1, windowSeconds: 60 });
  for (let attempt = 0; attempt < 20; attempt += 1) await limit.take('ann');
  expect(statements).toBe(2);
});

test('refund and reset free a key in every process, also in one that has refused it', async () => {
  const limits = databases.map((database) =>
    createRateLimit({ database, now }, { name: 'back', maximum: 1, windowSeconds: 60, isNotCached: true }),
  ) as ReturnType<typeof createOnTwoProcesses>;
  const [one, other] = limits;
  expect([await one.take('ann'), await one.take('ann'), await other.waitSeconds('ann')]).toEqual([0, 60, 60]);
  await other.refund('ann');
  expect([await one.take('ann'), await one.take('ann'), await other.take('ann')]).toEqual([0, 60, 60]);
  await one.reset(['ann'], databases[0] as Database);
  expect([await other.waitSeconds('ann'), await one.take('ann')]).toEqual([0, 0]);
});

test('deleteExpiredLimits deletes expired rows in batches and leaves the others', async () => {
  const [database] = databases as [Database];
  await database.query({
    text: `insert into rate_limits select 'old ' || n, 1, $1 from generate_series(1, 2500) as n`,
    values: [new Date(time)],
  });
  await createRateLimit({ database, now }, { name: 'alive', maximum: 1, windowSeconds: 60 }).take('ann');
  await deleteExpiredLimits({ database, now });
  const { rows } = await database.query<{ key: string }>({
    text: 'select key from rate_limits where ends_at <= $1 or key like $2',
    values: [new Date(time), 'alive:%'],
  });
  expect(rows).toEqual([{ key: 'alive:ann' }]);
});

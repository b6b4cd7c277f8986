/** Distant pages of a large list, read from sampled positions, have the rows of the plain offset. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { rowsOf, type Database, type QueryConfig } from '../database/database.ts';
import { createListReader, type ListReader } from './list-page.ts';
import { createListPositions } from './list-positions.ts';
import type { ListQuery } from './list-rows.ts';
import type { ListColumn } from './list-source.ts';
import { insertPeople, openListDatabase } from '../../test/database/test-people.ts';

type Row = { id: string };
type Direction = 'asc' | 'desc';

/** Not a multiple of the step, like the number of rows without a value. */
const length = 3_010;
const positionStep = 50;
const columns: Record<string, ListColumn> = {
  email: { kind: 'text', searched: true, folded: true },
  role: { kind: 'set' },
  joinedAt: { kind: 'date' },
  lastSeenAt: { kind: 'date' },
  invitedBy: { kind: 'text' },
};
/** SQL of the orders. A third of the rows has no `last_seen_at`, and 120 rows have no `invited_by`. */
const orders: Record<string, string> = {
  email: 'email_folded collate alphabetical',
  role: 'role',
  joinedAt: 'joined_at',
  lastSeenAt: 'last_seen_at',
  invitedBy: 'invited_by',
};
const directions = ['asc', 'desc'] as const;
const isFromPosition = ({ text }: QueryConfig) => text.includes('page_id') && text.includes('list_value');

let statements: QueryConfig[] = [];
let time = 0;
let list: ListReader<Row>;

// The default, 4, makes PostgreSQL sort a table this small instead of using its index.
const database = await openListDatabase('?options=-c%20random_page_cost%3D1.1');
const invitedBy = `case when n % 25 > 0 then 'admin' || n % 7 || '@example.com' end`;
await insertPeople(database, { to: length, invitedBy });
await database.query({ text: 'vacuum analyze people' });
beforeEach(() => {
  statements = [];
  list = createReader();
});

function createReader(): ListReader<Row> {
  const query: Database['query'] = (config) => {
    statements.push(config);
    return database.query(config);
  };
  return createListReader<Row>(
    { query },
    { table: 'people', columns, newestFirst: 'joined_at' },
    () => time,
    {
      positionStep,
    },
  ).in('site');
}

const ids = async (query: Partial<ListQuery>) =>
  (await list.page({ offset: 0, limit: 40, direction: 'asc', ...query })).rows.map(({ id }) => id);

async function idsByOffset(sort: string, direction: Direction): Promise<string[]> {
  const nulls = direction === 'asc' ? 'nulls last' : 'nulls first';
  const rows = await rowsOf<Row>(
    database,
    `select id from people order by ${orders[sort]} ${direction} ${nulls}, id ${direction}`,
  );
  return rows.map(({ id }) => id);
}

/** Reads distant pages until one is read from a position. */
async function waitForPositions(sort: string): Promise<void> {
  await expect
    .poll(async () => {
      statements = [];
      await ids({ sort, offset: 1_500 });
      return statements.some(isFromPosition);
    })
    .toBe(true);
}

/** Reads all rows in pages, and returns how many pages were read from a position. */
async function readAll(sort: string, direction: Direction, limit = 40) {
  const rows: string[] = [];
  statements = [];
  for (let offset = 0; ; offset += limit) {
    const page = await ids({ sort, direction, offset, limit });
    rows.push(...page);
    if (page.length < limit) break;
  }
  return { rows, fromPositions: statements.filter(isFromPosition).length };
}

describe.each(Object.keys(orders))('sorted by %s', (sort) => {
  test.each(directions)('%s: all pages have the rows of the plain offset (U3)', async (direction) => {
    await waitForPositions(sort);
    const { rows, fromPositions } = await readAll(sort, direction);
    expect(rows).toEqual(await idsByOffset(sort, direction));
    // All pages but those nearer than two steps to an end.
    expect(fromPositions).toBeGreaterThan(65);
  });

  test.each(directions)('%s: no page reads more than two steps of rows (U3)', async (direction) => {
    await waitForPositions(sort);
    statements = [];
    for (let offset = 0; offset < length; offset += 130) await ids({ sort, direction, offset });
    for (const { text, values } of statements.filter(isFromPosition))
      expect(await countReadRows(text, values)).toBeLessThanOrEqual(2 * positionStep + 2 * 40);
  });
});

/** Returns the highest number of rows that a step of the plan returns or filters. */
async function countReadRows(text: string, values: unknown[] = []): Promise<number> {
  type Plan = {
    'Actual Rows': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
  };
  const [explained] = await rowsOf<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    database,
    `explain (analyze, format json, timing off) ${text}`,
    values,
  );
  const rowsOfPlan = (plan: Plan): number =>
    Math.max(
      plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0),
      ...(plan.Plans ?? []).map((inner) => rowsOfPlan(inner)),
    );
  return rowsOfPlan((explained as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan);
}

test('a list of fewer than ten steps, a filtered list and one of an organization have no positions', async () => {
  await ids({});
  const filters = [{ column: 'role', is: 'oneOf' as const, values: ['member'] }];
  for (const query of [
    { filters },
    { search: 'person' },
    { except: ['00000000-0000-0000-0000-000000000000'] },
  ])
    await ids({ ...query, offset: 1_500 });
  list = createListReader<Row>(database, { table: 'people', columns, newestFirst: 'joined_at' }, () => time, {
    positionStep: 400,
  }).in('site');
  await ids({});
  await ids({ offset: 1_500 });
  expect(statements.some(({ text }) => text.includes('list_value'))).toBe(false);
});

describe('after changes', () => {
  afterAll(async () => {
    await database.query({
      text: `delete from people where email_canonical ~ '^[0-9]{4,}@'`,
    });
    await insertPeople(database, { from: 1_000, to: length, invitedBy });
  });

  test('pages have current rows once the positions are renewed (U3)', async () => {
    await waitForPositions('email');
    await database.query({
      text: `delete from people where email_canonical ~ '^[12]?[0-9]{2}@'`,
    });
    await insertPeople(database, { from: length + 1, to: length + 400, invitedBy });
    // Old positions: no error, no page without rows.
    expect(await ids({ sort: 'email', offset: 1_500 })).toHaveLength(40);
    time += 31_000;
    const expected = await idsByOffset('email', 'asc');
    await expect.poll(() => ids({ sort: 'email', offset: 1_500 })).toEqual(expected.slice(1_500, 1_540));
    for (const direction of directions)
      expect((await readAll('email', direction)).rows).toEqual(await idsByOffset('email', direction));
  });

  test('positions of a list without pages are used for five minutes, not for six', async () => {
    await waitForPositions('joinedAt');
    time += 299_000;
    statements = [];
    await ids({ sort: 'joinedAt', offset: 1_500 });
    expect(statements.some(isFromPosition)).toBe(true);
    list = createReader();
    await waitForPositions('joinedAt');
    time += 331_000;
    statements = [];
    await ids({ sort: 'joinedAt', offset: 1_500 });
    expect(statements.some(isFromPosition)).toBe(false);
  });
});

test('positions are renewed without pages for an hour after the last one (U3)', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let [clock, samplings] = [0, 0];
  const query = (({ text }: QueryConfig) => {
    if (text.includes('count(*)')) samplings += 1;
    const rows = text.includes('count(*)') ? [{ count: length }] : [];
    return Promise.resolve({ rows });
  }) as unknown as Database['query'];
  const source = { table: 'people', columns, newestFirst: 'joined_at' };
  const positions = createListPositions({ query }, source, () => clock, positionStep);
  const pass = async (ms: number) => {
    clock += ms;
    vi.advanceTimersByTime(ms);
    await setImmediate();
  };
  const read = () => positions.of('role', { query: { offset: 1_500 }, total: length });
  expect(read()).toBeNull();
  await pass(0);
  expect(samplings).toBe(1);
  for (let minutes = 5; minutes < 60; minutes += 5) await pass(300_000);
  expect([samplings, read()?.total]).toEqual([12, length]);
  for (let minutes = 0; minutes < 180; minutes += 5) await pass(300_000);
  expect([samplings, read()]).toEqual([23, null]);
});

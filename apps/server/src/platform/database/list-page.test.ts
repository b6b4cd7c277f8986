/** Pages of a long list: the same rows from either end, found in an index in both directions. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from './database.ts';
import { createListReader, type ListColumn, type ListQuery, type ListReader } from './list-page.ts';
import { createTestDatabase } from './test-database.ts';

type Row = { id: string; email: string; last_seen_at: Date | null };

const length = 12_000;
const columns: Record<string, ListColumn> = {
  email: { sql: 'email', kind: 'text', searched: true },
  displayName: { sql: 'display_name', kind: 'text', searched: true },
  role: { sql: 'role', kind: 'set' },
  status: { sql: 'status', kind: 'set' },
  joinedAt: { sql: 'joined_at', kind: 'date' },
  lastSeenAt: { sql: 'last_seen_at', kind: 'date' },
};
const sorts = Object.keys(columns);
const directions = ['asc', 'desc'] as const;

let dropDatabase: () => Promise<void>;
let database: Database;
let statements: string[] = [];
let time = 0;
let list: ListReader<Row>;
const readPage = (query: ListQuery) => list.page(query);

beforeAll(async () => {
  const created = await createTestDatabase();
  dropDatabase = () => created.drop();
  database = openDatabase(created.url);
  await database.query({
    text: `insert into people (id, issuer, subject, email, email_canonical, display_name, role, status, joined_at, last_seen_at)
           select gen_random_uuid(), 'issuer', 's' || n, n % 100 || '.' || n || '@example.com', n || '@example.com',
             'Person ' || n % 50, case when n % 100 = 0 then 'admin' else 'member' end, 'active',
             now() - n % 500 * interval '1 hour', case when n % 3 > 0 then now() - n * interval '1 minute' end
           from generate_series(1, $1::int) n`,
    values: [length],
  });
  await database.query({ text: 'vacuum analyze people' });
});
beforeEach(() => {
  statements = [];
  time += 60_000;
  list = createListReader<Row>(
    {
      query: (config) => {
        statements.push(config.text);
        return database.query(config);
      },
    },
    { table: 'people', columns, newestFirst: 'joined_at' },
    () => time,
  );
});
afterAll(async () => {
  await database.end();
  await dropDatabase();
});

const ids = async (query: Partial<ListQuery>) =>
  (await readPage({ offset: 0, limit: 50, direction: 'asc', ...query })).rows.map(({ id }) => id);

describe.each(sorts)('sorted by %s', (sort) => {
  test.each(directions)('%s, a page is the same from the front and from the end', async (direction) => {
    const offsets = [6_000, 6_001, 9_990, 11_949, 11_950, 11_951, 11_999, 12_000, 13_000];
    const fromTheFront = [];
    for (const offset of offsets) fromTheFront.push(await ids({ sort, direction, offset }));
    await ids({ sort, direction });
    const fromTheEnd = [];
    for (const offset of offsets) fromTheEnd.push(await ids({ sort, direction, offset }));
    expect(fromTheEnd).toEqual(fromTheFront);
    expect(fromTheEnd.map((page) => page.length)).toEqual([50, 50, 50, 50, 50, 49, 1, 0, 0]);
  });

  test('the pages together are the whole list, once, and the other direction is its reverse', async () => {
    const read = async (direction: 'asc' | 'desc') => {
      const all: string[] = [];
      for (let offset = 0; offset < length; offset += 500)
        all.push(...(await ids({ sort, direction, offset, limit: 500 })));
      return all;
    };
    const upwards = await read('asc');
    expect(new Set(upwards).size).toBe(length);
    expect((await read('desc')).toReversed()).toEqual(upwards);
  });

  test.each(directions)('%s, the window is read from an index alone, without sorting', async (direction) => {
    await ids({ sort, direction });
    for (const offset of [0, 3_000, 9_000]) {
      statements = [];
      await ids({ sort, direction, offset });
      const { rows } = await database.query<{ 'QUERY PLAN': string }>({
        text: `explain ${(statements[0] as string).replace('$1', '50').replace('$2', '3000')}`,
      });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Only Scan (?:Backward )?using people_\w+ on people/);
      expect(plan.match(/Sort Key/g)).toHaveLength(1);
    }
  });
});

test('what was never there comes last upwards and first downwards', async () => {
  const { rows } = await readPage({ offset: 0, limit: 1, direction: 'desc', sort: 'lastSeenAt' });
  expect(rows[0]?.last_seen_at).toBeNull();
  const upwards = await readPage({ offset: 0, limit: 1, direction: 'asc', sort: 'lastSeenAt' });
  expect(upwards.rows[0]?.last_seen_at).not.toBeNull();
});

test('a search finds parts of words in any case, and says how many', async () => {
  const { rows, total } = await readPage({ offset: 0, limit: 2, direction: 'asc', search: 'PERSON 7' });
  expect(total).toBe(length / 50);
  expect(rows).toHaveLength(2);
});

describe('the total', () => {
  const counts = () => statements.filter((text) => text.includes('count(*)')).length;

  test('comes with the first page only', async () => {
    expect((await readPage({ offset: 0, limit: 1, direction: 'asc' })).total).toBe(length);
    expect((await readPage({ offset: 1, limit: 1, direction: 'asc' })).total).toBeNull();
  });

  test('of many rows is remembered for half a minute', async () => {
    await ids({});
    await ids({});
    expect(counts()).toBe(1);
    time += 30_000;
    await ids({});
    expect(counts()).toBe(2);
  });

  test('of few rows is counted each time', async () => {
    await ids({ search: 'person 7' });
    await ids({ search: 'person 7' });
    expect(counts()).toBe(2);
  });
});

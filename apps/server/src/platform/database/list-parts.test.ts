/** The rows of a first page without their number, and groups of rows with theirs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import { createTestDatabase } from '../../test/test-database.ts';
import { openDatabase, type Database } from './database.ts';
import { createListReader, type ListQuery, type ListReader } from './list-page.ts';
import type { ListColumn } from './list-source.ts';

type Row = { id: string };

const length = 12_000;
const columns: Record<string, ListColumn> = { joinedAt: { kind: 'date' } };

let dropDatabase: () => Promise<void>;
let database: Database;
let statements: string[] = [];
let list: ListReader<Row>;

beforeAll(async () => {
  const created = await createTestDatabase();
  dropDatabase = () => created.drop();
  database = openDatabase(created.url);
  await database.query({
    text: `insert into people (id, email, email_canonical, display_name, role, status, joined_at, last_seen_at)
           select gen_random_uuid(), n % 100 || '.' || n || '@example.com', n || '@example.com',
             'Person ' || n % 50, case when n % 100 = 0 then 'admin' else 'member' end, 'active',
             now() - n % 500 * interval '1 hour', case when n % 3 > 0 then now() end
           from generate_series(1, $1::int) n`,
    values: [length],
  });
  await database.query({ text: 'vacuum analyze people' });
});
beforeEach(() => {
  statements = [];
  list = createListReader<Row>(
    {
      query: (config) => {
        statements.push(config.text);
        return database.query(config);
      },
    },
    { table: 'people', columns, newestFirst: 'joined_at' },
    Date.now,
  );
});
afterAll(async () => {
  await database.end();
  await dropDatabase();
});

describe('the rows alone', () => {
  const part = (query: Partial<ListQuery>) => list.page({ offset: 0, limit: 50, direction: 'asc', ...query });
  const counts = () => statements.filter((text) => text.includes('count(*)')).length;

  test('wait for no count, which comes by itself', async () => {
    const none = await part({ part: 'rows', search: 'xq' });
    expect(none.rows).toHaveLength(0);
    const { rows: first, total } = await part({ part: 'rows', search: 'on' });
    expect([first.length, total, counts()]).toEqual([50, null, 0]);
    expect(await part({ part: 'total', search: 'on' })).toEqual({ rows: [], total: length });
    // It is remembered, and told with the rows from then on.
    expect((await part({ part: 'rows', search: 'on' })).total).toBe(length);
    expect(counts()).toBe(1);
  });

  test('tell how many there are where all are in sight', async () => {
    expect((await part({ part: 'rows', search: '.777@' })).total).toBe(1);
    expect((await part({ part: 'rows', search: 'zq' })).total).toBe(0);
    expect((await part({ part: 'rows', offset: 50 })).total).toBeNull();
    expect(counts()).toBe(0);
  });

  test('are looked for without the trigram index where there are fewer letters than it knows', async () => {
    await part({ part: 'rows', search: 'zq' });
    const explained = async (text = '', pattern = '') => {
      const { rows } = await database.query<{ 'QUERY PLAN': string }>({
        text: `explain ${text.replace('$1', '50').replace('$2', '0').replace('$3', `'${pattern}'`)}`,
      });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await explained(statements[0], '%zq%')).not.toContain('people_search');
    await part({ part: 'rows', search: 'zqx' });
    expect(await explained(statements[1], '%zqx%')).toContain('people_search');
  });
});

describe('groups', () => {
  const grouped = () =>
    createListReader<Row>(
      database,
      {
        table: 'people',
        columns,
        newestFirst: 'joined_at',
        visible: `role = 'member' or id = $viewer`,
        groups: {
          seen: 'last_seen_at is not null',
          administrators: `role = 'admin'`,
          future: 'joined_at > $now',
        },
      },
      Date.now,
    );
  const all = { id: '00000000-0000-0000-0000-000000000000', seesAll: true };

  test('are counted together, no further than 10,000 and one', async () => {
    expect(await grouped().countGroups(all)).toEqual({
      all: 10_001,
      seen: 8_000,
      administrators: 120,
      future: 0,
    });
  });

  test('count nothing that somebody does not see', async () => {
    expect(await grouped().countGroups({ ...all, seesAll: false })).toMatchObject({ administrators: 0 });
  });

  test('are filtered by, and a name that there is not is in no group', async () => {
    const total = async (...values: string[]) => {
      const filters: Filter[] = [{ column: 'group', is: 'oneOf', values }];
      return (await grouped().page({ offset: 0, limit: 1, direction: 'asc', filters, viewer: all })).total;
    };
    expect(await total('administrators')).toBe(120);
    expect(await total('administrators', 'seen')).toBe(8_000 + 120 / 3);
    expect(await total('constructor')).toBe(0);
    await expect(
      grouped().page({
        offset: 0,
        limit: 1,
        direction: 'asc',
        filters: [{ column: 'group', is: 'filled' }],
      }),
    ).rejects.toThrow('request.invalid');
  });
});

/** First pages without their total, searches, and totals of groups. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import { insertPeople, openListDatabase } from '../../test/database/test-people.ts';
import type { QueryConfig } from '../database/database.ts';
import { createListReader, type ListReader } from './list-page.ts';
import type { ListQuery } from './list-rows.ts';
import type { ListColumn } from './list-source.ts';

type Row = { id: string };

const length = 24_000;
const columns: Record<string, ListColumn> = {
  displayName: { kind: 'text', searched: true, folded: true },
  email: { kind: 'text', searched: true, folded: true },
  joinedAt: { kind: 'date' },
};

let statements: QueryConfig[] = [];
let list: ListReader<Row>;
/** Estimates totals from 1,000 rows. */
let sampled: ListReader<Row>;

const database = await openListDatabase();
await insertPeople(database, { to: length });
await database.query({ text: 'vacuum analyze people' });
beforeEach(() => {
  statements = [];
  const create = (options?: { sampleSize: number }) =>
    createListReader<Row>(
      {
        query: (config) => {
          statements.push(config);
          return database.query(config);
        },
      },
      { table: 'people', columns, newestFirst: 'joined_at' },
      Date.now,
      options,
    ).in('site');
  list = create();
  sampled = create({ sampleSize: 1_000 });
});

const part = (query: Partial<ListQuery>) => list.page({ offset: 0, limit: 50, direction: 'asc', ...query });

describe('a request for rows only', () => {
  const counts = () => statements.filter(({ text }) => text.includes('count(*)')).length;

  test('does not count the total, which is a separate request', async () => {
    const none = await part({ part: 'rows', search: 'xq' });
    expect(none.rows).toHaveLength(0);
    const { rows: first, total } = await part({ part: 'rows', search: 'pe' });
    expect([first.length, total, counts()]).toEqual([50, null, 0]);
    expect(await part({ part: 'total', search: 'pe' })).toEqual({ rows: [], total: length });
    // The total is cached and returned with the rows.
    expect((await part({ part: 'rows', search: 'pe' })).total).toBe(length);
    expect(counts()).toBe(1);
  });

  test('estimates the total of a large list from a sample, with two digits', async () => {
    const estimate = async (query: Partial<ListQuery>) =>
      (await sampled.page({ offset: 0, limit: 50, direction: 'asc', part: 'estimate', ...query })).total ?? 0;
    expect(await estimate({ search: 'person' })).toBe(length);
    const total = await estimate({ filters: [{ column: 'displayName', is: 'contains', text: 'on 1' }] });
    // 11 of 50 names. The sample contains a random part of the table.
    expect(Math.abs(total - length * 0.22)).toBeLessThan(length * 0.11);
    expect(total % 100).toBe(0);
    expect(statements.every(({ text }) => !text.includes('limit'))).toBe(true);
  });

  test('estimates neither few matches nor a small list', async () => {
    const query = { offset: 0, limit: 50, direction: 'asc', part: 'estimate' } as const;
    expect(await sampled.page({ ...query, search: '.777@' })).toEqual({ rows: [], total: null });
    expect(await list.page({ ...query, search: 'person' })).toEqual({ rows: [], total: null });
  });

  test('returns the total if the first page contains all rows', async () => {
    expect((await part({ part: 'rows', search: '.777@' })).total).toBe(1);
    expect((await part({ part: 'rows', search: 'zq' })).total).toBe(0);
    expect((await part({ part: 'rows', offset: length - 1 })).total).toBeNull();
    expect(counts()).toBe(0);
  });
});

describe('a search', () => {
  const found = async (search: string, query: Partial<ListQuery> = {}) =>
    (await list.page({ offset: 0, limit: 50, direction: 'asc', part: 'rows', search, ...query }))
      .rows as (Row & {
      email: string;
    })[];
  const rename7 = (displayName: string) =>
    database.query({
      text: `update people set display_name = $1 where email_canonical = '7@example.com'`,
      values: [displayName],
    });
  const explain = async (statement: QueryConfig | undefined) => {
    const { rows } = await database.query<{ 'QUERY PLAN': string }>({
      ...statement,
      text: `explain ${statement?.text}`,
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  test('of one or two letters matches the start of words, and of more letters any part of a word', async () => {
    expect((await found('pe')).length).toBe(50);
    expect(await found('er')).toEqual([]);
    expect((await found('ers')).length).toBe(50);
    expect((await found('ex')).length).toBe(50);
    const matches = await found('49');
    expect(matches.length).toBe(50);
    expect(
      matches.every(({ email }) => /(?:^|\.)49/.test(email) || Number(email.split(/[.@]/)[1]) % 50 === 49),
    ).toBe(true);
  });

  test('finds punctuation and characters of scripts without spaces at any position', async () => {
    await rename7('王伟');
    expect((await found('伟')).map(({ email }) => email)).toEqual(['7.7@example.com']);
    expect((await found('@')).length).toBe(50);
    expect(await found('%')).toEqual([]);
    await rename7('Person 7');
  });

  test.each([
    { name: 'İbrahim', texts: ['İb', 'İ', 'İBRAHİM', 'ibrahim'] },
    { name: 'Sean O’Brien', texts: ['br', "o'", 'O’BRIEN', "sean o'brien"] },
    { name: "Sean O'Brien", texts: ['br', 'o’', 'O’BRIEN', 'sean o‘brien'] },
    {
      name: 'Zoe Νικος (ΠΑΠΑΣ)',
      texts: ['νικος', 'ΝΙΚΟΣ', 'νικοσ', 'παπας', 'Παπασ', '(παπας)', 'ς)', 'ZOE ΝΙΚΟΣ'],
    },
    { name: 'Zoë Müller', texts: ['zò', 'zoe', 'Zoë', 'Mu\u0308ller', 'ZOE MULLER', 'MUELLER'] },
    { name: 'Søren Łódź-Strauß', texts: ['soren', 'lodz', 'strauss', 'STRAUSS', 'strauß'] },
    { name: 'Jörg Grünäugl', texts: ['joerg', 'Gruenaeugl'] },
    { name: 'Αθήνα Фёдоров-K', texts: ['αθηνα', 'ΑΘΗΝΑ', 'федоров', 'ФЁДОРОВ-K'] },
    { name: 'Zoe Muller', texts: ['ZOÉ', 'zoë', 'müller'] },
  ])(
    'finds $name by the index in every spelling of its apostrophe, accents, and Turkish or Greek letters',
    async ({ name, texts }) => {
      await rename7(name);
      for (const text of texts) {
        statements = [];
        const filters: Filter[] = [{ column: 'displayName', is: 'contains', text }];
        for (const rows of [await found(text), await found('', { filters })])
          expect([text, rows.map(({ email }) => email)]).toEqual([text, ['7.7@example.com']]);
      }
      expect(await explain(statements[1])).toContain('people_search');
      await rename7('Person 7');
    },
  );

  test.each([
    'Müller, Jürgen',
    'jürgen MÜLLER',
    'müller example.com',
    'Jürgen Müller <7.7@example.com>',
    '"Müller, Jürgen" <7.7@example.com>;',
    'Jürgen Müller (7.7@example.com)',
    'mailto:7.7@example.com',
    'mu ju',
    'jürgen m',
  ])('finds Jürgen Müller by the index for %s, words in any order', async (search) => {
    await rename7('Jürgen Müller');
    statements = [];
    expect((await found(search)).map(({ email }) => email)).toEqual(['7.7@example.com']);
    expect(await explain(statements[1])).toContain('people_search');
    expect(await found(`${search} smith`)).toEqual([]);
    await rename7('Person 7');
  });

  test('finds a text of many words, and one of separators only, as it is', async () => {
    const words = 'a b c d e f g h i';
    await rename7(words);
    expect(await found(words)).toHaveLength(1);
    expect(await found('b a c d e f g h i')).toEqual([]);
    await rename7('Person, 7');
    expect(await found(',')).toHaveLength(1);
    await rename7('Person 7');
  });

  test('falls back to the search index for two letters without a match', async () => {
    expect(await found('zq')).toEqual([]);
    expect(await explain(statements[0])).not.toContain('people_search');
    expect(await explain(statements[1])).toContain('people_search');
  });

  test.each([
    ['displayName', 'people_display_name'],
    ['email', 'people_email'],
  ])('reads people in the order of %s from an index only', async (sort, index) => {
    for (const direction of ['asc', 'desc'] as const) {
      statements = [];
      await found('zq', { sort, direction });
      expect(await explain(statements[0])).toMatch(
        new RegExp(`Index Only Scan (?:Backward )?using ${index}`),
      );
    }
  });

  test('uses the search index if the matches come last in the sort order', async () => {
    const rename = (name: string) =>
      database.query({
        text: `update people set display_name = $1 || ' ' || email where email_canonical = any($2)`,
        values: [name, ['8@example.com', '88@example.com', '888@example.com']],
      });
    await rename('Zoe');
    const sorted = async (direction: 'asc' | 'desc', offset = 0) =>
      (await found('zoe', { sort: 'displayName', direction, offset, limit: 2 })).map(({ email }) => email);
    expect(await sorted('asc')).toEqual(['8.8@example.com', '88.88@example.com']);
    expect(await sorted('asc', 2)).toEqual(['88.888@example.com']);
    const plan = await explain(statements[1]);
    expect(plan).toContain('people_search');
    expect(plan).not.toContain('people_display_name');
    statements = [];
    // In descending order the matches come first, so the first statement finds them.
    expect(await sorted('desc')).toEqual(['88.888@example.com', '88.88@example.com']);
    expect(statements).toHaveLength(1);
    await rename('Person');
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
        groups: {
          seen: 'last_seen_at is not null',
          administrators: `role = 'admin'`,
          future: 'joined_at > $now',
        },
      },
      Date.now,
    ).in('site');

  test('are counted in one call, up to 10,001 rows each', async () => {
    expect(await grouped().countGroups()).toEqual({
      all: 10_001,
      seen: 10_001,
      administrators: 240,
      future: 0,
    });
  });

  test('can be used as filters, and an unknown group contains no rows', async () => {
    const total = async (...values: string[]) => {
      const filters: Filter[] = [{ column: 'group', is: 'oneOf', values }];
      return (await grouped().page({ offset: 0, limit: 1, direction: 'asc', filters })).total;
    };
    expect(await total('administrators')).toBe(240);
    expect(await total('administrators', 'seen')).toBe(16_000 + 240 / 3);
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

describe('values of a column without an index', () => {
  let queries: QueryConfig[] = [];
  const read = (values: string[]) =>
    createListReader<Row>(
      {
        query: (config) => {
          queries.push(config);
          return database.query(config);
        },
      },
      { table: 'people', columns: { email: { kind: 'text', searched: true } }, newestFirst: 'joined_at' },
      Date.now,
    )
      .in('site')
      .page({ offset: 0, limit: 50, direction: 'asc', filters: [{ column: 'email', is: 'oneOf', values }] });
  beforeEach(() => (queries = []));
  const firstRows = /limit 20\d{3}\)/;

  test('are found by the index of the search (U3)', async () => {
    const emails = ['1.1@example.com', '50.150@example.com', 'unknown@example.com', '1.1@EXAMPLE.com'];
    const { rows, total } = await read(emails);
    expect([rows.length, total]).toEqual([2, 2]);
    const others = queries.filter(({ text }) => !firstRows.test(text));
    expect(others).toHaveLength(2);
    for (const { text, values } of others) {
      const { rows: plan } = await database.query({ text: `explain ${text}`, ...(values && { values }) });
      expect(JSON.stringify(plan)).toContain('people_search');
    }
    expect(await read([])).toEqual({ rows: [], total: 0 });
  });

  test('are first searched in the first rows of the order, since the index returns all matches (U3)', async () => {
    const { rows } = await database.query<{ email: string }>({
      text: 'select email from people limit 2000',
    });
    expect((await read(rows.map(({ email }) => email))).rows).toHaveLength(50);
    expect(queries.filter(({ text }) => !text.startsWith('select count(*)'))).toEqual([
      expect.objectContaining({ text: expect.stringMatching(firstRows) }),
    ]);
  });
});

test('all rows of an organization are read before they are sorted, except in an order with an index', async () => {
  const members = createListReader<Row>(
    {
      query: (config) => {
        statements.push(config);
        return database.query(config);
      },
    },
    {
      table: 'people',
      columns,
      newestFirst: 'joined_at',
      organization: 'invited_by::uuid',
      organizationOrders: ['joined_at'],
    },
    Date.now,
  ).in({ organizationId: '00000000-0000-0000-0000-000000000000' });
  const query = { offset: 0, limit: 50, direction: 'asc', part: 'rows' } as const;
  await members.page(query);
  await members.page({ ...query, sort: 'joinedAt' });
  await members.page({ ...query, sort: 'email' });
  expect(statements.map(({ text }) => text.includes('offset 0)'))).toEqual([false, false, true]);
});

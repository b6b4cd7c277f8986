/** Pages of a long list have the same rows read from either end, and use an index in both directions. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import { createListReader, type ListReader } from './list-page.ts';
import type { ListQuery } from './list-rows.ts';
import type { ListColumn } from './list-source.ts';
import { insertPeople, openListDatabase } from '../../test/database/test-people.ts';

type Row = { id: string; email: string; last_seen_at: Date | null };

const length = 12_000;
const commonFrom = 11_000;
const columns: Record<string, ListColumn> = {
  email: { kind: 'text', searched: true, folded: true },
  displayName: { kind: 'text', searched: true, folded: true },
  role: { kind: 'set' },
  status: { kind: 'set' },
  joinedAt: { kind: 'date' },
  lastSeenAt: { kind: 'date' },
};
/** One column of each kind: `displayName` is like `email`, and `status` like `role`. */
const sorts = ['email', 'role', 'joinedAt', 'lastSeenAt'];
const directions = ['asc', 'desc'] as const;

let statements: string[] = [];
let time = 0;
let list: ListReader<Row>;
const readPage = (query: ListQuery) => list.page(query);

const database = await openListDatabase();
await insertPeople(database, { to: length, name: 'Person-' });
await database.query({ text: 'vacuum analyze people' });
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
    { commonFrom },
  ).in('site');
});

const ids = async (query: Partial<ListQuery>) =>
  (await readPage({ offset: 0, limit: 50, direction: 'asc', ...query })).rows.map(({ id }) => id);

describe.each(sorts)('sorted by %s', (sort) => {
  test.each(directions)(
    '%s: a page has the same rows whether it is read from the start or from the end of the list',
    async (direction) => {
      const offsets = [6_000, 6_001, 9_990, 11_949, 11_950, 11_951, 11_999, 12_000, 13_000];
      const fromTheFront = [];
      for (const offset of offsets) fromTheFront.push(await ids({ sort, direction, offset }));
      await ids({ sort, direction });
      const fromTheEnd = [];
      for (const offset of offsets) fromTheEnd.push(await ids({ sort, direction, offset }));
      expect(fromTheEnd).toEqual(fromTheFront);
      expect(fromTheEnd.map((page) => page.length)).toEqual([50, 50, 50, 50, 50, 49, 1, 0, 0]);
    },
  );
});

describe.each(Object.keys(columns))('sorted by %s', (sort) => {
  test.each(directions)('%s: a page is read from an index only, without sorting', async (direction) => {
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

test('null values sort last in ascending order and first in descending order', async () => {
  const { rows } = await readPage({ offset: 0, limit: 1, direction: 'desc', sort: 'lastSeenAt' });
  expect(rows[0]?.last_seen_at).toBeNull();
  const upwards = await readPage({ offset: 0, limit: 1, direction: 'asc', sort: 'lastSeenAt' });
  expect(upwards.rows[0]?.last_seen_at).not.toBeNull();
});

test('a search finds parts of words in any case, and returns the total', async () => {
  const { rows, total } = await readPage({ offset: 0, limit: 2, direction: 'asc', search: 'PERSON-7' });
  expect(total).toBe(length / 50);
  expect(rows).toHaveLength(2);
});

describe('the total', () => {
  const counts = () => statements.filter((text) => text.includes('count(*)')).length;

  test('is returned with the first page only', async () => {
    expect((await readPage({ offset: 0, limit: 1, direction: 'asc' })).total).toBe(length);
    expect((await readPage({ offset: 1, limit: 1, direction: 'asc' })).total).toBeNull();
  });

  test('is exact for a text that most rows contain and for a rare one', async () => {
    const total = async (...filters: Filter[]) =>
      (await list.page({ offset: 0, limit: 1, direction: 'asc', filters })).total;
    const singleFilter: Filter = { column: 'email', is: 'contains', text: '@Example.' };
    expect(await total(singleFilter)).toBe(length);
    expect(statements.at(-1)).not.toContain('search');
    const secondFilter: Filter = { column: 'email', is: 'contains', text: '1111@exam' };
    expect(await total(singleFilter, secondFilter)).toBe(2);
    expect(statements.at(-1)).toContain('search');
  });

  test('is cached for 30 seconds if there are many rows', async () => {
    await ids({});
    await ids({});
    expect(counts()).toBe(1);
    time += 30_000;
    await ids({});
    expect(counts()).toBe(2);
  });

  test('is counted each time if there are few rows', async () => {
    await ids({ search: 'person-7' });
    await ids({ search: 'person-7' });
    expect(counts()).toBe(2);
  });
});

test('a page of frequent matches is read in the order, one of rare matches from all of them', async () => {
  const readsOrder = async (role: string) => {
    statements = [];
    const filters = [{ column: 'role', is: 'oneOf' as const, values: [role] }];
    expect(await ids({ filters })).toHaveLength(50);
    return statements.some((text) => /\(select \* from people order by .* limit \d+\)/.test(text));
  };
  expect(await readsOrder('member')).toBe(true);
  expect(await readsOrder('admin')).toBe(false);
});

describe('filters', () => {
  const found = async (...filters: Filter[]) => {
    const { rows, total } = await readPage({
      offset: 0,
      limit: 500,
      direction: 'asc',
      sort: 'email',
      filters,
    });
    expect(rows).toHaveLength(Math.min(500, total ?? 0));
    return { total, emails: rows.map(({ email }) => email) };
  };
  const where = (column: string, is: 'empty' | 'filled'): Filter => ({ column, is });

  test('`contains` finds a text in any case, in its column only', async () => {
    const { total, emails } = await found({ column: 'email', is: 'contains', text: '.777@EXAMPLE' });
    expect({ total, emails }).toEqual({ total: 1, emails: ['77.777@example.com'] });
    expect((await found({ column: 'displayName', is: 'contains', text: '.777@' })).total).toBe(0);
    expect((await found({ column: 'displayName', is: 'contains', text: 'person-7' })).total).toBe(
      length / 50,
    );
  });

  test.each(['%', '_', '.*', '\\', "'", '"; drop table people; --', '\\%', '[a-z]', '$1', ')'])(
    '`contains` and `oneOf` treat %j literally',
    async (text) => {
      expect((await found({ column: 'email', is: 'contains', text })).total).toBe(0);
      expect((await found({ column: 'role', is: 'oneOf', values: [text] })).total).toBe(0);
    },
  );

  test('`oneOf` matches any of its values, also together with other filters and the search', async () => {
    expect((await found({ column: 'role', is: 'oneOf', values: ['admin'] })).total).toBe(length / 100);
    expect((await found({ column: 'role', is: 'oneOf', values: ['admin', 'member'] })).total).toBe(length);
    expect((await found({ column: 'role', is: 'oneOf', values: [] })).total).toBe(0);
    const admins: Filter[] = [
      { column: 'role', is: 'oneOf', values: ['admin'] },
      { column: 'email', is: 'contains', text: '00@' },
    ];
    const page = await readPage({ offset: 0, limit: 50, direction: 'asc', search: '.100@', filters: admins });
    expect(page.rows.map(({ email }) => email)).toEqual(['0.100@example.com']);
  });

  test('`between` includes its start, excludes its end, and may be open at either end', async () => {
    const { rows } = await database.query<{ at: Date }>({
      text: 'select distinct joined_at as at from people order by 1 limit 3',
    });
    const [first, second, third] = rows.map(({ at }) => at.toISOString()) as [string, string, string];
    const between = async (from?: string, to?: string) =>
      (await found({ column: 'joinedAt', is: 'between', from, to })).total;
    expect(await between(first, third)).toBe((2 * length) / 500);
    expect(await between(undefined, second)).toBe(length / 500);
    expect(await between(third)).toBe(length - (2 * length) / 500);
    expect(await between(third, first)).toBe(0);
    expect(await between('0000-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00')).toBe(length);
  });

  test('days are sorted and filtered as days, without a time zone', async () => {
    const days = createListReader<{ id: string; joined_on: string }>(
      database,
      {
        table: 'people_with_days',
        rows: `select people.*, (joined_at at time zone 'UTC')::date as joined_on from people`,
        columns: { joinedOn: { kind: 'day' } },
        newestFirst: 'joined_at',
      },
      () => time,
    ).in('site');
    const page = { offset: 0, limit: 1, direction: 'desc', sort: 'joinedOn' } as const;
    const last = (await days.page(page)).rows[0]?.joined_on ?? '';
    expect(last).toMatch(/^\d{4}-\d\d-\d\d$/);
    const between = (from?: string | number, to?: string) =>
      days.page({ ...page, filters: [{ column: 'joinedOn', is: 'between', from, to }] });
    const [on, before] = [(await between(last)).total, (await between(undefined, last)).total];
    expect(on).toBeGreaterThan(0);
    expect((on ?? 0) + (before ?? 0)).toBe(length);
    expect((await between(undefined, last)).rows[0]?.joined_on).not.toBe(last);
    for (const bound of ['2026-01-01T00:00:00Z', 7])
      await expect(between(bound)).rejects.toMatchObject({
        fields: { filters: 'The column joinedOn holds days, such as 2026-11-21.' },
      });
  });

  test('`empty` matches rows without a value, and `filled` all other rows', async () => {
    expect((await found(where('lastSeenAt', 'empty'))).total).toBe(length / 3);
    expect((await found(where('lastSeenAt', 'filled'))).total).toBe((2 * length) / 3);
    expect((await found(where('displayName', 'empty'))).total).toBe(0);
    expect((await found(where('displayName', 'filled'))).total).toBe(length);
  });

  test('a status that is computed from the current time can be filtered', async () => {
    const derived = createListReader<Row>(
      database,
      {
        table: 'people',
        columns: {
          seen: {
            sql: 'status',
            kind: 'set',
            values: { soon: 'joined_at > $now', long: 'joined_at <= $now', never: 'false' },
          },
        },
        newestFirst: 'joined_at',
      },
      Date.now,
    ).in('site');
    const count = async (...values: string[]) =>
      (
        await derived.page({
          offset: 0,
          limit: 1,
          direction: 'asc',
          filters: [{ column: 'seen', is: 'oneOf', values }],
        })
      ).total;
    expect(await count('long')).toBe(length);
    expect(await count('soon', 'never')).toBe(0);
    expect(await count('soon', 'long')).toBe(length);
    expect(await count('unknown')).toBe(0);
    expect(await count()).toBe(0);
  });

  test('a sort by an unknown column throws an error', async () => {
    const unknown = { offset: 0, limit: 1, sort: 'joined_at', direction: 'asc' as const };
    await expect(list.page(unknown)).rejects.toThrow('people has no column joined_at');
    expect(() => list.createStatements(unknown, ['email'])).toThrow('people has no column joined_at');
    await expect(list.page({ ...unknown, sort: 'constructor' })).rejects.toThrow(
      'people has no column constructor',
    );
  });

  test.each([
    { column: 'joinedAt', is: 'contains', text: '2026' },
    { column: 'joinedAt', is: 'oneOf', values: ['x'] },
    { column: 'email', is: 'between', from: '2026-01-01T00:00:00Z' },
    { column: 'joinedAt', is: 'between', from: 7 },
    { column: 'joinedAt', is: 'between', from: '2026-01-01' },
  ] as Filter[])(
    'a filter that its column does not support is refused with 400 and a reason: %j',
    async (filter) => {
      await expect(found(filter)).rejects.toMatchObject({
        status: 400,
        fields: { filters: expect.stringContaining(filter.column) as string },
      });
    },
  );
});

describe('a selection', () => {
  const all = { search: 'person-7', total: length / 50 };

  test('contains each selected id once, sorted', async () => {
    const chosen = await ids({ limit: 3 });
    expect(await list.select({ ids: [...chosen, ...chosen] })).toEqual(chosen.toSorted());
  });

  test('contains every matching row if all matches are selected', async () => {
    expect(await list.select({ all })).toEqual((await ids({ search: 'person-7', limit: 500 })).toSorted());
    const filters: Filter[] = [{ column: 'role', is: 'oneOf', values: ['admin'] }];
    expect(await list.select({ all: { filters, total: 120 } })).toHaveLength(length / 100);
  });

  test('is refused if notably more rows match than the total shown to the user, but not if fewer rows match', async () => {
    await expect(list.select({ all: { ...all, total: all.total - 3 } })).rejects.toMatchObject({
      text: { code: 'selection.changed' },
      status: 409,
    });
    expect(await list.select({ all: { ...all, total: all.total - 2 } })).toHaveLength(all.total);
    expect(await list.select({ all: { ...all, total: 5_000 } })).toHaveLength(all.total);
  });

  test('can exclude rows from all matches, and continue after the last row of an earlier call (J2)', async () => {
    const matching = (await ids({ search: 'person-7', limit: 500 })).toSorted();
    const except = [matching[3] as string, matching[9] as string];
    const rest = matching.filter((id) => !except.includes(id));
    expect(await list.select({ all: { ...all, except } })).toEqual(rest);
    expect(await list.select({ all: { ...all, except, after: rest[4] } })).toEqual(rest.slice(5));
    // `total` includes the excluded rows: otherwise, the same number of new matching rows would not be noticed.
    const many = matching.slice(0, 100);
    await expect(list.select({ all: { ...all, except: many, total: all.total - 4 } })).rejects.toMatchObject({
      text: { code: 'selection.changed' },
    });
    expect(await list.select({ all: { ...all, except: many } })).toHaveLength(all.total - 100);
  });

  test('is refused if it has more than 100,000 rows', async () => {
    const many = createListReader<Row>(
      database,
      { table: 'generate_series(1, 100001) as many (id)', columns: {}, newestFirst: 'id' },
      Date.now,
    ).in('site');
    await expect(many.select({ all: { total: 100_001 } })).rejects.toMatchObject({
      text: { code: 'selection.too_large' },
      status: 400,
    });
  });
});

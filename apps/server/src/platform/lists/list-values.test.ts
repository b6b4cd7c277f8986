/** Filters of columns with few distinct values. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import type { Database } from '../database/database.ts';
import { createListReader, type ListReader } from './list-page.ts';
import { openListDatabase } from '../../test/database/test-people.ts';

type Row = { id: string; email: string };

let statements: string[] = [];
let list: ListReader<Row>;

const database = await openListDatabase();
await insertPeople(1, 400, `case when n % 10 > 0 then 'Admin' || n % 5 || '@example.com' end`);
beforeEach(() => {
  statements = [];
  const query: Database['query'] = (config) => {
    statements.push(config.text);
    return database.query(config);
  };
  const columns = {
    invitedBy: { kind: 'text', isRepeated: true },
    ways: { kind: 'set', several: true, isRepeated: true },
    email: { kind: 'text', searched: true, folded: true },
    displayName: { kind: 'text', searched: true, folded: true },
  } as const;
  list = createListReader<Row>(
    { query },
    { table: 'people', columns, newestFirst: 'joined_at' },
    Date.now,
  ).in('site');
});

async function insertPeople(from: number, to: number, invitedBy: string): Promise<void> {
  await database.query({
    text: `insert into people (id, email, email_canonical, display_name, role, status, joined_at, invited_by, ways)
           select gen_random_uuid(), 'Person.' || n || '@example.com', n || '@example.com', case when n % 8 > 0 then 'Person' else '' end,
             'member', 'active', now(), ${invitedBy}, case when n % 4 = 0 then 'b2c, email' when n % 4 = 1 then 'email' else 'passkey' end
           from generate_series($1::int, $2::int) n`,
    values: [from, to],
  });
}

const total = async (...filters: Filter[]) =>
  (await list.page({ offset: 0, limit: 1, direction: 'asc', filters })).total;

test('`contains` finds a part of a value in any case', async () => {
  expect(await total({ column: 'invitedBy', is: 'contains', text: 'ADMIN3' })).toBe(80);
  expect(await total({ column: 'invitedBy', is: 'contains', text: 'example' })).toBe(360);
  expect(await total({ column: 'invitedBy', is: 'contains', text: '%' })).toBe(0);
});

test('the rows are compared with whole values only', async () => {
  await total({ column: 'invitedBy', is: 'contains', text: 'admin3' });
  expect(statements.filter((text) => text.includes('lower('))).toHaveLength(1);
  expect(statements[0]).toContain('distinct_values');
});

test('`contains` is refused for a set, also with few distinct values', async () => {
  await expect(total({ column: 'ways', is: 'contains', text: 'mail' })).rejects.toMatchObject({
    status: 400,
  });
});

test('`oneOf` finds a value in a list of several values', async () => {
  expect(await total({ column: 'ways', is: 'oneOf', values: ['email'] })).toBe(200);
  expect(await total({ column: 'ways', is: 'oneOf', values: ['b2c', 'passkey'] })).toBe(300);
  expect(await total({ column: 'ways', is: 'oneOf', values: ['mail'] })).toBe(0);
});

test('such filters are combined with others, with a search, and with a selection', async () => {
  const filters: Filter[] = [
    { column: 'invitedBy', is: 'contains', text: 'admin1' },
    { column: 'ways', is: 'oneOf', values: ['email'] },
    { column: 'email', is: 'contains', text: 'person.1' },
  ];
  const found = await list.page({ offset: 0, limit: 500, direction: 'asc', filters, search: 'person' });
  const expected = Array.from({ length: 400 }, (_, index) => index + 1).filter(
    (n) => n % 10 > 0 && n % 5 === 1 && n % 4 < 2 && n % 8 > 0 && String(n).startsWith('1'),
  );
  expect(found.total).toBe(found.rows.length);
  expect(found.rows.map(({ email }) => Number(email.split(/[.@]/)[1])).toSorted((a, b) => a - b)).toEqual(
    expect.arrayContaining(expected),
  );
  const { total: rows } = found;
  expect(await list.select({ all: { filters, search: 'person', total: rows ?? 0 } })).toHaveLength(rows ?? 0);
});

test('empty texts and exact texts of a folded column are found', async () => {
  expect(await total({ column: 'displayName', is: 'empty' })).toBe(50);
  expect(await total({ column: 'invitedBy', is: 'empty' })).toBe(40);
  expect(
    await total({ column: 'email', is: 'oneOf', values: ['Person.7@example.com', 'person.8@example.com'] }),
  ).toBe(1);
});

describe('with more than 2,000 distinct values', () => {
  afterAll(async () => {
    await database.query({ text: `delete from people where invited_by like 'other%'` });
  });

  test('the filter is applied to each row', async () => {
    await insertPeople(1_001, 3_100, `'other' || n`);
    expect(await total({ column: 'invitedBy', is: 'contains', text: 'ADMIN3' })).toBe(80);
    expect(await total({ column: 'invitedBy', is: 'contains', text: 'other1' })).toBe(999);
    expect(statements.at(-1)).toContain('lower(');
  });
});

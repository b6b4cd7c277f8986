/** Pages of large lists that are read from the index of their order. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Filter } from '@vestibule/contract/values';
import { insertPeople, openListDatabase } from '../../test/database/test-people.ts';
import { createListReader } from './list-page.ts';
import type { ListQuery } from './list-rows.ts';
import { foldedText, type ListSource, type Scope } from './list-source.ts';

type Row = { id: string };

let statements: string[] = [];

// 6,000 people, of whom 60 are administrators.
const database = await openListDatabase();
await insertPeople(database, { to: 6_000, name: 'Person-' });
await database.query({ text: 'vacuum analyze people' });
beforeEach(() => (statements = []));

async function read(
  scope: Scope,
  source: Partial<ListSource>,
  query: Partial<ListQuery>,
  options?: { scannedRows: number },
) {
  const list = createListReader<Row>(
    {
      query: (config) => {
        if (config.text.includes('page_id')) statements.push(config.text);
        return database.query(config);
      },
    },
    {
      table: 'people',
      columns: {
        displayName: { kind: 'text', searched: true, folded: true },
        email: { kind: 'text', searched: true, folded: true },
        joinedAt: { kind: 'date' },
        lastSeenAt: { kind: 'date' },
      },
      newestFirst: 'joined_at',
      ...source,
    },
    Date.now,
    options,
  ).in(scope);
  const { rows } = await list.page({ offset: 0, limit: 20, direction: 'asc', part: 'rows', ...query });
  return rows.map(({ id }) => id);
}

async function readExpected(condition: string, order: string) {
  const { rows } = await database.query<Row>({
    text: `select id from people where ${condition} order by ${order}`,
  });
  return rows.map(({ id }) => id);
}

describe('a page of a large organization in an order of the whole site', () => {
  // Reading 3,000 entries of an order takes as long as reading the 60 rows.
  const source = {
    organization: 'role',
    siteOrders: {
      table: 'people',
      columns: ['last_seen_at', foldedText('email')],
      condition: 'exists (select from people found where role = $organization and found.id = ordered.id)',
    },
  };
  const readAdmins = (query: Partial<ListQuery>) => read({ organizationId: 'admin' }, source, query);
  const expectedAdmins = (order: string, condition = 'true') =>
    readExpected(`role = 'admin' and ${condition}`, order);
  const scans = () => statements.map((text) => text.includes('as ordered'));

  test('is read from the index of the order, with its filters (U3)', async () => {
    const ascending = await expectedAdmins('last_seen_at nulls last, id');
    expect(await readAdmins({ sort: 'lastSeenAt', offset: 5 })).toEqual(ascending.slice(5, 25));
    const descending = await expectedAdmins('last_seen_at desc nulls first, id desc');
    expect(await readAdmins({ sort: 'lastSeenAt', direction: 'desc' })).toEqual(descending.slice(0, 20));
    const filters: Filter[] = [{ column: 'joinedAt', is: 'between', from: '2020-01-01T00:00:00Z' }];
    expect(await readAdmins({ sort: 'lastSeenAt', filters })).toEqual(ascending.slice(0, 20));
    const isUnseen: Filter[] = [{ column: 'lastSeenAt', is: 'empty' }];
    const unseen = await expectedAdmins(`${foldedText('email')}, id`, 'last_seen_at is null');
    expect(await readAdmins({ sort: 'email', filters: isUnseen })).toEqual(unseen);
    expect(scans()).toEqual([true, true, true, true]);
  });

  test('is read from the rows of the organization if they come last, or if the page is distant', async () => {
    const expected = await expectedAdmins(`${foldedText('email')} desc, id desc`);
    const query = { sort: 'email', direction: 'desc' } as const;
    expect(await readAdmins(query)).toEqual(expected.slice(0, 20));
    expect(await readAdmins({ ...query, offset: 40 })).toEqual(expected.slice(40));
    expect(scans()).toEqual([true, false, false]);
  });

  test('is read from the rows of the organization that contain a text', async () => {
    const found = await expectedAdmins('last_seen_at nulls last, id', `search like '%0.1%'`);
    expect(found).toHaveLength(11);
    expect(await readAdmins({ sort: 'lastSeenAt', search: '0.1' })).toEqual(found);
    expect(scans()).toEqual([false]);
  });
});

describe('a page of a search in an order whose index includes the text', () => {
  const source = { searchedOrders: [foldedText('display_name')] };
  const expected = (text: string) =>
    readExpected(`search like '%${text}%'`, `${foldedText('display_name')}, id`);
  const search = (text: string) =>
    read('site', source, { search: text, sort: 'displayName' }, { scannedRows: 200 });
  const findsAll = () => statements.map((text) => text.includes('offset 0)'));

  test('is found in more entries of the order if the text is frequent (U3)', async () => {
    // The first match is in row 361; 280 are scanned first.
    expect(await search('person-3')).toEqual((await expected('person-3')).slice(0, 20));
    expect(findsAll()).toEqual([false, false]);
  });

  test('is found among all matches if they come last', async () => {
    expect(await search('person-49')).toEqual((await expected('person-49')).slice(0, 20));
    expect(findsAll()).toEqual([false, false, true]);
  });

  test('is found among all matches at once if the text is rare', async () => {
    expect(await search('.777@')).toEqual(await expected('.777@'));
    expect(findsAll()).toEqual([false, true]);
  });
});

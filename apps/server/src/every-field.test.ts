/** Checks the places that a new field needs (docs/add-a-field.md) in every list and export, including extensions. */
import { createOrganization } from '@vestibule/contract/organizations';
import { downloadMyData } from '@vestibule/contract/profile';
import type { RouteDefinition } from '@vestibule/contract/route';
import { groupColumn } from '@vestibule/contract/values';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { attachmentTable } from './features/attachments/files/attachment-store.ts';
import { invitationTable } from './features/invitations/invitation-store.ts';
import { peopleTable } from './features/people/people-store.ts';
import { passkeyTable } from './features/auth/passkeys/passkey-store.ts';
import { sqlName } from './platform/database/define-table.ts';
import { createTestApp } from './test/test-app.ts';
import { contractRoutes } from './test/test-routes.ts';

let organizationId = '';
/** SQL statement that last read a page of a list: `… page_id from TABLE where … order by COLUMN …`. */
let pageRead = '';
const t = await createTestApp({
  wrapDatabase: (database) => ({
    ...database,
    query: (config) => {
      if (config.text.includes('page_id')) pageRead = config.text;
      return database.query(config);
    },
  }),
});
const admin = await t.join('admin@example.com', 'admin');
const organization = await t.callAs(admin, createOrganization, { body: { name: 'Acme', slug: 'acme' } });
organizationId = organization.body.id;
afterAll(() => t.close());

async function columnsOf(table: string): Promise<string[]> {
  const names = await t.scalars<string>`
    select column_name as name from information_schema.columns where table_name = ${table} and is_generated = 'NEVER'`;
  return names.sort();
}

test.each([
  { table: 'people', fields: peopleTable },
  { table: 'invitations', fields: invitationTable },
  { table: 'attachments', fields: attachmentTable },
  { table: 'passkeys', fields: passkeyTable },
])('every column of $table has a field definition', async ({ table, fields }) => {
  expect(fields.names.map(sqlName).sort()).toEqual(await columnsOf(table));
});

test.each([
  { part: 'person', table: 'people', excluded: ['email_canonical', 'version'] },
  {
    part: 'invitations',
    table: 'invitations',
    excluded: [
      'code_hash',
      'code_version',
      'email_canonical',
      'lifetime_days',
      'redeemed_by',
      'batch_id',
      'mail_state',
      'mail_error',
      'mail_number',
      'mail_failed_at',
      'mailed_at',
      'sent_again_at',
      'new_link_at',
      'reminded_at',
    ],
  },
])(
  'downloadMyData returns every column of $table except the listed ones',
  async ({ part, table, excluded }) => {
    const ann = await t.join(`${part}@example.com`);
    const data = JSON.parse((await t.callAs(ann, downloadMyData)).text) as Record<string, object>;
    const included = Object.keys([data[part]].flat()[0] ?? {}).map((name) =>
      name === 'signedOutUpTo' ? 'tokens_valid_after' : sqlName(name),
    );
    expect([...included, ...excluded].sort()).toEqual(await columnsOf(table));
  },
);

const shapeOf = (schema: z.ZodMiniObject | undefined) => schema?.shape as Record<string, z.ZodMiniType>;

function namesIn(schema: z.ZodMiniType | undefined): string[] {
  const [, names = '[]'] = /"enum":(\[.*?\])/.exec(JSON.stringify(z.toJSONSchema(schema ?? z.any()))) ?? [];
  return JSON.parse(names) as string[];
}

const callAsAdmin = (route: RouteDefinition, request: object) =>
  t.call(route, { token: admin.token, params: { organizationId }, ...request } as Parameters<
    typeof t.call
  >[1]);

const tableOfPage = async () => {
  // The first table of the innermost statement.
  const [, table = ''] = /page_id from (?:\(select [^()]+? from )*(\w+)/.exec(pageRead) ?? [];
  const [name] = await t.scalars<string>`
    select refobjid::regclass::text as name from pg_depend join pg_rewrite on pg_rewrite.oid = objid
    where refclassid = 'pg_class'::regclass and ev_class = ${table}::regclass and refobjid <> ev_class`;
  return name ?? table;
};

async function isColumnOfPage(column: string): Promise<boolean> {
  const rows = await t.select`
    select from pg_attribute where attrelid = ${await tableOfPage()}::regclass and attname = ${column}`;
  return rows.length > 0;
}

async function indexesOfPage(): Promise<string[]> {
  return t.scalars<string>`
    select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = ${await tableOfPage()}::regclass`;
}

const lists = contractRoutes.filter(({ query }) => query && 'sort' in query.shape);

// A list of an organization is sorted in memory.
const siteLists = lists.filter(({ path }) => !path.includes(':organizationId'));

test.each(siteLists.map((route) => ({ path: route.path, route })))(
  'the list $path has an index for sorting by each column',
  async ({ route }) => {
    const { sort: sorts } = shapeOf(route.query);
    const withoutIndex: string[] = [];
    for (const sort of namesIn(sorts)) {
      const { status } = await callAsAdmin(route, { query: { sort } });
      const [, column = ''] = /order by (\w+(?: collate \w+)?)/.exec(pageRead) ?? [];
      // An extension may sort by a column that it joins from another table.
      if (status === 200 && t.extensionRoutes.has(route) && !(await isColumnOfPage(column))) continue;
      const indexes = await indexesOfPage();
      if (
        status !== 200 ||
        !indexes.some((definition) => definition.includes(`(${column.replace('collate', 'COLLATE')}, id)`))
      )
        withoutIndex.push(sort);
    }
    expect(namesIn(sorts)).not.toEqual([]);
    expect(withoutIndex).toEqual([]);
  },
);

describe.each(lists.map((route) => ({ path: route.path, route })))('the list $path', ({ route }) => {
  const { filters } = shapeOf(route.query);

  test('can be filtered by each column, with the search index for the columns contained in `search`', async () => {
    const problems: string[] = [];
    for (const column of namesIn(filters)) {
      // The group is not a column: the list has a separate condition for it.
      if (column === groupColumn) continue;
      const statusWith = async (filter: object) =>
        (await callAsAdmin(route, { query: { filters: JSON.stringify([{ column, ...filter }]) } })).status;
      const general = [await statusWith({ is: 'empty' }), await statusWith({ is: 'filled' })];
      const byKind = [
        await statusWith({ is: 'oneOf', values: ['a'] }),
        await statusWith({ is: 'between', from: '2026-01-01T00:00:00Z' }),
        await statusWith({ is: 'between', from: 1 }),
        await statusWith({ is: 'contains', text: 'abc' }),
      ];
      const isAnswered = [...general, ...byKind].every((status) => status === 200 || status === 400);
      if (!isAnswered || general.includes(400) || !byKind.includes(200))
        problems.push(`${column} is not filtered`);
      if (byKind.at(-1) !== 200) continue;
      const isSearched = pageRead.includes('search like');
      if (
        isSearched &&
        !(await indexesOfPage()).some((definition) => definition.includes('(search gin_trgm_ops)'))
      )
        problems.push(`${column} is searched without an index`);
      const [, compared = ''] = /(\w+?)(?:_folded)?\)? like lower\(\$\d+\)\)/.exec(pageRead) ?? [];
      const [search] = await t.select<{ definition: string }>`
        select generation_expression as definition from information_schema.columns where table_name = ${await tableOfPage()}
          and column_name = 'search'`;
      // A column with few distinct values is compared with the values that contain the text.
      if (compared === '' && !isSearched) continue;
      const isIncluded = new RegExp(`\\b${compared}\\b`).test(search?.definition ?? '');
      if (isSearched !== isIncluded)
        problems.push(
          `${column} is ${isIncluded ? '' : 'not '}in the column search, and its list says otherwise`,
        );
    }
    expect(problems).toEqual([]);
  });
});

const exportRoutes = contractRoutes.filter(({ media, body }) => media && body && 'columns' in body.shape);

test.each(exportRoutes.map((route) => ({ path: route.path, route })))(
  '$path exports every column with a title',
  async ({ route }) => {
    const columns = namesIn(shapeOf(route.body)['columns']);
    const { status, text } = await callAsAdmin(route, { body: { columns } });
    expect(status).toBe(200);
    const titles = text.replace('\uFEFF', '').split('\r\n')[0]?.split(',') ?? [];
    expect(titles).toHaveLength(columns.length);
    expect(titles.filter((title) => !/^[A-Z]/.test(title))).toEqual([]);
  },
);

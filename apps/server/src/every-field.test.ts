/**
 * A field is one idea (docs/add-a-field.md): whoever adds one and forgets a place is told here, where the compiler cannot
 * tell. Every list and export of the contract is looked at, including those of extensions.
 */
import { downloadMyData } from '@vestibule/contract/profile';
import type { RouteDefinition } from '@vestibule/contract/route';
import { groupColumn } from '@vestibule/contract/values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { attachmentTable } from './features/attachments/files/attachment-store.ts';
import { invitationTable } from './features/invitations/invitation-store.ts';
import { peopleTable } from './features/people/people-store.ts';
import { passkeyTable } from './features/auth/passkeys/passkey-store.ts';
import { sqlName } from './platform/database/define-table.ts';
import { createTestApp, type TestApp, type TestPerson } from './test/test-app.ts';
import { contractRoutes } from './test/test-routes.ts';

let t: TestApp;
let admin: TestPerson;
/** The statement that read the last page of a list: `… page_id from TABLE where … order by COLUMN …`. */
let pageRead = '';
beforeAll(async () => {
  t = await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => {
        if (config.text.includes('page_id')) pageRead = config.text;
        return database.query(config);
      },
    }),
  });
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => t.close());

/** What a table has, but for what the database derives from it. */
async function columnsOf(table: string): Promise<string[]> {
  const rows = await t.select<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  return rows.map(({ name }) => name).sort();
}

test.each([
  { table: 'people', fields: peopleTable },
  { table: 'invitations', fields: invitationTable },
  { table: 'attachments', fields: attachmentTable },
  { table: 'passkeys', fields: passkeyTable },
])('every column of $table is in its field table', async ({ table, fields }) => {
  expect(fields.names.map(sqlName).sort()).toEqual(await columnsOf(table));
});

test.each([
  { part: 'person', table: 'people', leftOut: ['email_canonical', 'version'] },
  {
    part: 'invitations',
    table: 'invitations',
    leftOut: [
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
  'my data holds every column of $table, or it is named here as left out',
  async ({ part, table, leftOut }) => {
    const ann = await t.join(`${part}@example.com`);
    const data = JSON.parse((await t.call(downloadMyData, { token: ann.token })).text) as Record<
      string,
      object
    >;
    const held = Object.keys([data[part]].flat()[0] ?? {}).map((name) =>
      name === 'signedOutUpTo' ? 'tokens_valid_after' : sqlName(name),
    );
    expect([...held, ...leftOut].sort()).toEqual(await columnsOf(table));
  },
);

const shapeOf = (schema: z.ZodMiniObject | undefined) => schema?.shape as Record<string, z.ZodMiniType>;

/** The names of columns that a part of a route's input takes. */
function namesIn(schema: z.ZodMiniType | undefined): string[] {
  const [, names = '[]'] = /"enum":(\[.*?\])/.exec(JSON.stringify(z.toJSONSchema(schema ?? z.any()))) ?? [];
  return JSON.parse(names) as string[];
}

const ask = (route: RouteDefinition, request: object) => t.call(route, { token: admin.token, ...request });

/** The table that a list reads; of a view the one behind it. */
const tableOfPage = async () => {
  const [, read = ''] = /page_id from (?:\(select [\w, ]+ from )?(\w+)/.exec(pageRead) ?? [];
  const [behind] = await t.select<{ name: string }>(
    `select refobjid::regclass::text as name from pg_depend join pg_rewrite on pg_rewrite.oid = objid
     where refclassid = 'pg_class'::regclass and ev_class = $1::regclass and refobjid <> ev_class`,
    [read],
  );
  return behind?.name ?? read;
};

async function indexesOfPage(): Promise<string[]> {
  const indexes = await t.select<{ made: string }>(
    'select pg_get_indexdef(indexrelid) as made from pg_index where indrelid = $1::regclass',
    [await tableOfPage()],
  );
  return indexes.map(({ made }) => made);
}

const lists = contractRoutes.filter(({ query }) => query && 'sort' in query.shape);

describe.each(lists.map((route) => ({ path: route.path, route })))('the list $path', ({ route }) => {
  const { sort: sorts, filters } = shapeOf(route.query);

  test('is sorted by each of its columns, by an index', async () => {
    const without: string[] = [];
    for (const sort of namesIn(sorts)) {
      const { status } = await ask(route, { query: { sort } });
      const [, column = ''] = /order by (\w+(?: collate \w+)?)/.exec(pageRead) ?? [];
      const indexes = await indexesOfPage();
      if (
        status !== 200 ||
        !indexes.some((made) => made.includes(`(${column.replace('collate', 'COLLATE')}, id)`))
      )
        without.push(sort);
    }
    expect(namesIn(sorts)).not.toEqual([]);
    expect(without).toEqual([]);
  });

  test('is filtered by each of its columns; what the search holds is found by its index', async () => {
    const wrong: string[] = [];
    for (const column of namesIn(filters)) {
      // No column: conditions of the list's own.
      if (column === groupColumn) continue;
      const by = async (filter: object) =>
        (await ask(route, { query: { filters: JSON.stringify([{ column, ...filter }]) } })).status;
      const always = [await by({ is: 'empty' }), await by({ is: 'filled' })];
      const ofSomeKinds = [
        await by({ is: 'oneOf', values: ['a'] }),
        await by({ is: 'between', from: '2026-01-01T00:00:00Z' }),
        await by({ is: 'between', from: 1 }),
        await by({ is: 'contains', text: 'abc' }),
      ];
      const answered = [...always, ...ofSomeKinds].every((status) => status === 200 || status === 400);
      if (!answered || always.includes(400) || !ofSomeKinds.includes(200))
        wrong.push(`${column} is not filtered`);
      if (ofSomeKinds.at(-1) !== 200) continue;
      const isSearched = pageRead.includes('search like');
      if (isSearched && !(await indexesOfPage()).some((made) => made.includes('(search gin_trgm_ops)')))
        wrong.push(`${column} is searched without an index`);
      const [, compared = ''] = /(\w+?)(?:_folded)?\)? like lower\(\$\d+\)\)/.exec(pageRead) ?? [];
      const [search] = await t.select<{ made: string }>(
        `select generation_expression as made from information_schema.columns where table_name = $1 and column_name = 'search'`,
        [await tableOfPage()],
      );
      const isHeld = new RegExp(`\\b${compared}\\b`).test(search?.made ?? '');
      if (isSearched !== isHeld)
        wrong.push(`${column} is ${isHeld ? '' : 'not '}in the column search, and its list says otherwise`);
    }
    expect(wrong).toEqual([]);
  });
});

const exportRoutes = contractRoutes.filter(({ media, body }) => media && body && 'columns' in body.shape);

test.each(exportRoutes.map((route) => ({ path: route.path, route })))(
  '$path holds every column, with a title for people',
  async ({ route }) => {
    const columns = namesIn(shapeOf(route.body)['columns']);
    const { status, text } = await ask(route, { body: { columns } });
    expect(status).toBe(200);
    const titles = text.replace('\uFEFF', '').split('\r\n')[0]?.split(',') ?? [];
    expect(titles).toHaveLength(columns.length);
    expect(titles.filter((title) => !/^[A-Z]/.test(title))).toEqual([]);
  },
);

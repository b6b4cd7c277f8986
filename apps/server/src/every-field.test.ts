/**
 * A field is one idea (docs/add-a-field.md): whoever adds a column to people or invitations and forgets a place is told here,
 * where the compiler cannot tell.
 */
import { downloadMyData } from '@vestibule/contract/profile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitationTable } from './features/invitations/invitation-store.ts';
import { peopleTable } from './features/people/people-store.ts';
import { sqlName } from './platform/database/define-table.ts';
import { createTestApp, type TestApp } from './test/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
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

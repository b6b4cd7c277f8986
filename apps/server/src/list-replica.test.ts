/** Reads of lists and counts use the replica; reads that decisions depend on do not (O2). */
import { listActivity } from '@vestibule/contract/activity';
import { listAttachments } from '@vestibule/contract/attachments';
import { countInvitations, invite, listInvitations } from '@vestibule/contract/invitations';
import { actOnPeople, countPeople, getPerson, listPeople } from '@vestibule/contract/people';
import { listRemovedPeople } from '@vestibule/contract/people/removed';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createTestApp } from './test/test-app.ts';

let statements: string[] = [];

const t = await createTestApp({
  wrapDatabase: (database) => ({
    ...database,
    reads: {
      query: (config) => {
        statements.push(config.text);
        return database.query(config);
      },
    },
  }),
});
const admin = await t.join('boss@example.com', 'admin');
afterAll(() => t.close());
beforeEach(() => {
  statements = [];
});

test.each([
  ['people', listPeople],
  ['people', countPeople],
  ['invitations', listInvitations],
  ['invitations', countInvitations],
  ['removed_people', listRemovedPeople],
  ['kept_attachments', listAttachments],
  ['audit_log', listActivity],
])('%s: pages and counts of the list are read from the replica', async (table, route) => {
  expect((await t.callAs(admin, route)).status).toBe(200);
  expect(statements.length).toBeGreaterThan(0);
  for (const text of statements) expect(text).toContain(`from ${table}`);
});

test('routes that change data or return a single row do not read from the replica', async () => {
  const { token } = admin;
  const ann = await t.join('ann@example.com');
  await t.call(invite, { token, body: { email: 'bea@example.com' } });
  await t.call(getPerson, { token, params: { personId: ann.id } });
  const selection = { all: { search: 'ann@', total: 1 } };
  const action = await t.call(actOnPeople, { token, body: { action: 'disable', selection } });
  expect(action.body).toMatchObject({ done: 1 });
  expect(statements).toEqual([]);
});

/** What is read from a replica: pages of lists and their counts, and nothing by which something is decided (O2). */
import { listActivity } from '@vestibule/contract/activity';
import { listAttachments } from '@vestibule/contract/attachments';
import { countInvitations, invite, listInvitations } from '@vestibule/contract/invitations';
import { actOnPeople, countPeople, getPerson, listPeople } from '@vestibule/contract/people';
import { listRemovedPeople } from '@vestibule/contract/people/removed';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from './test/test-app.ts';

let t: TestApp;
let admin: TestPerson;
let read: string[] = [];

beforeAll(async () => {
  t = await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      reads: {
        query: (config) => {
          read.push(config.text);
          return database.query(config);
        },
      },
    }),
  });
  admin = await t.join('boss@example.com', 'admin');
});
afterAll(() => t.close());
beforeEach(() => {
  read = [];
});

test.each([
  ['people', listPeople],
  ['people', countPeople],
  ['invitations', listInvitations],
  ['invitations', countInvitations],
  ['removed_people', listRemovedPeople],
  ['kept_attachments', listAttachments],
  ['audit_log', listActivity],
])('pages of lists and their counts are read from a replica: %s', async (table, route) => {
  expect((await t.call(route, { token: admin.token })).status).toBe(200);
  expect(read.length).toBeGreaterThan(0);
  for (const text of read) expect(text).toContain(`from ${table}`);
});

test('what is done, what it is done with and single things are not', async () => {
  const { token } = admin;
  const ann = await t.join('ann@example.com');
  await t.call(invite, { token, body: { email: 'bea@example.com' } });
  await t.call(getPerson, { token, params: { personId: ann.id } });
  const selection = { all: { search: 'ann@', total: 1 } };
  const done = await t.call(actOnPeople, { token, body: { action: 'disable', selection } });
  expect(done.body).toMatchObject({ done: 1 });
  expect(read).toEqual([]);
});

import {
  findPeopleToShareWith,
  getAttachment,
  listShares,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { duringRemoval } from '../../../test/test-faults.ts';
import { createListeningApp, type ListeningApp } from '../uploads/test-uploads.ts';

let t: ListeningApp;
let admin: TestPerson;
let ann: TestPerson;
let bob: TestPerson;
beforeAll(async () => {
  t = await createListeningApp();
  admin = await t.join('admin@example.com', 'admin');
  ann = await t.join('ann@example.com');
  bob = await t.join('bob@example.com');
});
afterAll(() => t.close());

test.each(['\0', 'bob\0@', 'two\nlines'])(
  'findPeopleToShareWith returns 400 for the search text %j',
  async (search) => {
    for (const { token } of [ann, admin])
      expect(await t.call(findPeopleToShareWith, { token, query: { search } })).toMatchObject({
        status: 400,
        body: { fields: { search: expect.stringContaining('single line') } },
      });
  },
);

test('sharing skips a person who is being removed and includes the others', async () => {
  const removed = await t.join('gone@example.com');
  const file = { token: ann.token, params: { attachmentId: await t.upload(ann, 'shared.txt', '1') } };
  const body = { sharing: 'people' as const, personIds: [removed.id, bob.id] };
  const shared = await duringRemoval(t, removed.id, () => t.call(shareAttachment, { ...file, body }));
  expect(shared.status).toBe(200);
  const { people } = (await t.call(listShares, file)).body;
  expect(people.map(({ email }) => email)).toEqual([bob.email]);
});

test('administrators see a file of a removed owner but cannot open it', async () => {
  const removed = await t.join('left@example.com');
  const params = { attachmentId: await t.upload(removed, 'left.txt', '1') };
  const removal = { params: { personId: removed.id }, query: { files: 'delete' as const } };
  await t.call(removePerson, { token: admin.token, ...removal });
  expect(await t.call(getAttachment, { token: admin.token, params })).toMatchObject({
    status: 200,
    body: { name: 'left.txt', ownerId: null, may: { open: false } },
  });
  expect((await t.call(getAttachment, { token: ann.token, params })).status).toBe(404);
});

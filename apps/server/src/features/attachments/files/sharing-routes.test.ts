import { findPeopleToShareWith, getAttachment } from '@vestibule/contract/attachments';
import { removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { createListeningApp, type ListeningApp } from '../uploads/test-uploads.ts';

let t: ListeningApp;
let admin: TestPerson;
let ann: TestPerson;
beforeAll(async () => {
  t = await createListeningApp();
  admin = await t.join('admin@example.com', 'admin');
  ann = await t.join('ann@example.com');
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

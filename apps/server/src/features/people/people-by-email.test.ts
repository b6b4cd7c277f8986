import { getInvitation, invite, listInvitations } from '@vestibule/contract/invitations';
import { getPerson, listPeople, removePerson } from '@vestibule/contract/people';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

let t: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => t.close());

test('people and invitations contain the inviter; invitations also contain the person who joined (K2, K3)', async () => {
  const { token } = admin;
  const ben = await t.join('Ben@Example.com');
  const namedAdmin = { id: admin.id, displayName: expect.stringMatching(/./) as string };
  const invited = await t.call(invite, { token, body: { email: 'open@example.com' } });
  const invitationOf = async (search: string) =>
    (await t.call(listInvitations, { token, query: { search } })).body.rows[0];
  expect(await invitationOf('open@')).toMatchObject({ person: null, inviter: namedAdmin });
  const single = await t.call(getInvitation, { token, params: { invitationId: invited.body.id } });
  const byName = namedAdmin.displayName;
  expect(single.body).toMatchObject({ inviter: namedAdmin, timeline: [{ by: 'admin@example.com', byName }] });
  expect(await invitationOf('ben@')).toMatchObject({ person: { id: ben.id } });
  await t.database.query({
    text: 'update people set invited_by = $2 where id = $1',
    values: [ben.id, 'ADMIN@example.com'],
  });
  const { rows } = (await t.call(listPeople, { token, query: { search: 'ben@' } })).body;
  expect(rows).toMatchObject([{ id: ben.id, inviter: namedAdmin }]);
  const { body } = await t.call(getPerson, { token, params: { personId: ben.id } });
  expect(body).toMatchObject({ id: ben.id, inviter: namedAdmin });

  await t.call(removePerson, { token, params: { personId: ben.id } });
  expect(await invitationOf('ben@')).toMatchObject({ person: null });
});

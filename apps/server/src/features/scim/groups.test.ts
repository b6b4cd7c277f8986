import { changeDirectoryGroup } from '@vestibule/contract/directory';
import { removePerson } from '@vestibule/contract/people';
import { afterEach, expect, test } from 'vitest';
import { createTestScim, groupSchema, patchOf } from './test-scim.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const d = closeAfterTests(await createTestScim());
afterEach(() => d.clear());

const person = async (email: string) =>
  (await d.t.select<{ role: string }>`select role from people where email = ${email}`)[0];
const invitationsTo = (email: string) =>
  d.t.select<{ status: string; role: string }>`
    select status, role from invitations where email_canonical = ${email} order by created_at`;
const group = async (...members: string[]) =>
  (
    await d.scim('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: 'Site admins',
      members: members.map((value) => ({ value })),
    })
  ).body.id;
const mark = (groupId: string, givesAdministrator = true) =>
  d.t.callAs(d.admin, changeDirectoryGroup, { params: { groupId }, body: { givesAdministrator } });

test('a group grants nothing until an administrator marks it, and then promotes its members and demotes users who leave it', async () => {
  const [ann, bob] = [await d.create('ann@example.com'), await d.create('bob@example.com')];
  await d.signIn('ann@example.com');
  const id = await group(ann.id, bob.id);
  expect(await person('ann@example.com')).toMatchObject({ role: 'member' });
  expect((await mark(id)).body.groups).toEqual([
    { id, name: 'Site admins', members: 2, givesAdministrator: true },
  ]);
  expect(await person('ann@example.com')).toMatchObject({ role: 'admin' });
  expect(await invitationsTo('bob@example.com')).toMatchObject([{ status: 'pending', role: 'admin' }]);
  await d.signIn('bob@example.com');
  expect(await person('bob@example.com')).toMatchObject({ role: 'admin' });

  await d.scim('PATCH', `/Groups/${id}`, patchOf({ op: 'remove', path: `members[value eq "${ann.id}"]` }));
  expect(await person('ann@example.com')).toMatchObject({ role: 'member' });
  await d.scim('DELETE', `/Groups/${id}`);
  expect(await person('bob@example.com')).toMatchObject({ role: 'member' });
  expect(await person('admin@example.com')).toMatchObject({ role: 'admin' });
});

test('a group change cannot demote the last administrator (security 12)', async () => {
  const { id: userId } = await d.create('admin@example.com');
  const id = await group(userId);
  await mark(id);
  for (const response of [
    await d.scim('PATCH', `/Groups/${id}`, patchOf({ op: 'remove', path: 'members' })),
    await d.scim('DELETE', `/Groups/${id}`),
  ])
    expect(response.status).toBe(409);
  expect((await mark(id, false)).body).toMatchObject({ code: 'person.last_administrator' });
  expect((await d.scim('GET', `/Groups/${id}`)).body['members']).toHaveLength(1);
});

test('group names are unique, and members must be users created by the directory', async () => {
  const id = await group();
  expect(await d.scim('POST', '/Groups', { displayName: 'SITE ADMINS' })).toMatchObject({
    status: 409,
    body: { scimType: 'uniqueness' },
  });
  const stranger = '0192f0c1-2345-7abc-8def-0123456789ab';
  expect(
    await d.scim(
      'PATCH',
      `/Groups/${id}`,
      patchOf({ op: 'add', path: 'members', value: [{ value: stranger }] }),
    ),
  ).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  const away = patchOf({ op: 'remove', path: `members[value eq "${stranger}"]` });
  expect((await d.scim('PATCH', `/Groups/${id}`, away)).status).toBe(204);
});

test('an unknown member, such as a person who was removed here, does not stop the changes of other members', async () => {
  const [ann, bob] = [await d.create('ann@example.com'), await d.create('bob@example.com')];
  const unknown = { value: '0192f0c1-2345-7abc-8def-0123456789ab' };
  const url = `/Groups/${await group(ann.id, unknown.value)}`;
  const membersAfter = async (...operations: object[]) => {
    expect((await d.scim('PATCH', url, patchOf(...operations))).status).toBe(204);
    const { body } = await d.scim('GET', url);
    return (body['members'] as { value: string }[]).map(({ value }) => value);
  };
  const add = (...value: object[]) => ({ op: 'Add', path: 'members', value });
  expect(await membersAfter(add({ value: bob.id }, unknown))).toEqual([ann.id, bob.id].sort());
  const remove = { op: 'Remove', path: `members[value eq "${ann.id}"]` };
  expect(await membersAfter(remove, add(unknown))).toEqual([bob.id]);
  const listed = await d.scim('PUT', url, {
    displayName: 'Site admins',
    members: [{ value: ann.id }, unknown],
  });
  expect(listed.body).toMatchObject({ members: [{ value: ann.id }] });
});

test.each([
  ['PUT', (members: object[]) => ({ displayName: 'Site admins', members })],
  ['PATCH', (value: object[]) => patchOf({ op: 'Replace', path: 'members', value })],
] as const)(
  'a %s with only unknown members demotes the members whom it does not name',
  async (method, bodyOf) => {
    const ann = await d.create('ann@example.com');
    await d.signIn('ann@example.com');
    const id = await group(ann.id);
    await mark(id);
    expect(await person('ann@example.com')).toMatchObject({ role: 'admin' });
    const body = bodyOf([{ value: '0192f0c1-2345-7abc-8def-0123456789ab' }]);
    // The directory repeats the request.
    for (let time = 1; time <= 2; time += 1)
      expect((await d.scim(method, `/Groups/${id}`, body)).status).toBe(method === 'PUT' ? 200 : 204);
    expect(await person('ann@example.com')).toMatchObject({ role: 'member' });
    expect((await d.scim('GET', `/Groups/${id}`)).body).toMatchObject({ members: [] });
  },
);

test('deleted users and removed people are no longer members, and members can be selected', async () => {
  const [ann, bob, carl] = [
    await d.create('ann@example.com'),
    await d.create('bob@example.com'),
    await d.create('carl@example.com'),
  ];
  await d.signIn('bob@example.com');
  const url = `/Groups/${await group(ann.id, bob.id, carl.id)}`;
  await d.scim('DELETE', `/Users/${ann.id}`);
  const personId = await d.t.scalar<string>`select id from people where email = 'bob@example.com'`;
  await d.t.callAs(d.admin, removePerson, { params: { personId }, query: {} });

  const part = {
    schemas: [groupSchema],
    id: url.slice('/Groups/'.length),
    members: [expect.objectContaining({ value: carl.id })],
  };
  expect((await d.scim('GET', `${url}?attributes=members.value`)).body).toEqual(part);
  expect((await d.scim('GET', '/Groups?attributes=members.value')).body.Resources).toEqual([part]);
});

test('a change of more than 500 roles is rejected completely', async () => {
  const id = await group();
  await d.t.select`
    with made as (
      insert into directory_users (id, user_name, email, email_canonical, active, created_at, modified_at)
      select gen_random_uuid(), name, name, name, true, now(), now()
      from (select 'u' || n || '@example.com' as name from generate_series(1, 501) n) named returning id)
    insert into directory_members (group_id, user_id) select ${id}, id from made`;
  expect((await mark(id)).body).toMatchObject({ code: 'directory.group_too_large' });
  expect(await d.t.select('select from directory_groups where gives_administrator')).toEqual([]);
});

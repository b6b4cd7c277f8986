/** Requests that deviate from RFC 7643 and 7644, from public bug reports about Entra ID, its validator and its reference code. */
import { afterEach, expect, test } from 'vitest';
import { createTestScim, groupSchema, patchOf, userSchema } from './test-scim.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const d = closeAfterTests(await createTestScim());
afterEach(() => d.clear());

const query = (filter: string) => `/Users?filter=${encodeURIComponent(filter)}`;

test.each<[object, object]>([
  [
    { op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'User x' }] },
    { displayName: 'User x' },
  ],
  [{ op: 'Replace', path: 'displayName', value: ['User x'] }, { displayName: 'User x' }],
  [{ op: 'Replace', path: 'displayName', value: { value: 'User x' } }, { displayName: 'User x' }],
  [{ op: 'Replace', value: { displayName: [{ value: 'User x' }] } }, { displayName: 'User x' }],
  [{ op: 'Replace', value: [{ displayName: 'User x' }] }, { displayName: 'User x' }],
  [{ op: 'Replace', value: { [userSchema]: { active: false } } }, { active: false }],
  [{ op: 'Replace', value: { [userSchema]: null, displayName: 'User x' } }, { displayName: 'User x' }],
  [{ op: 'Replace', path: userSchema, value: { displayName: 'User x' } }, { displayName: 'User x' }],
  [{ op: 'Replace', path: 'name.givenName', value: [] }, { name: { familyName: 'Old' } }],
  [{ op: 'Replace', path: 'name', value: [{ givenName: 'Nina' }] }, { name: { givenName: 'Nina' } }],
  [{ op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }, { active: false }],
  [{ op: 'Replace', path: 'active', value: null }, { active: true }],
  [{ op: 'Replace', path: 'active', value: '' }, { active: true }],
  [{ op: 'Remove', path: 'active' }, { active: true }],
  [
    { op: 'Replace', path: 'userName', value: [{ value: 'new@testuser.com' }] },
    { userName: 'new@testuser.com' },
  ],
  [
    {
      op: 'Replace',
      path: 'emails[type eq "work"].value',
      value: [{ $ref: null, value: 'new@testuser.com' }],
    },
    { emails: [{ value: 'new@testuser.com' }] },
  ],
  [
    { op: 'Add', path: 'emails', value: [null, { type: 'work', value: 'new@testuser.com' }] },
    { emails: [{ value: 'new@testuser.com' }] },
  ],
  [
    { op: 'Remove', path: 'emails', value: [{ type: 'home', value: 'home@testuser.com' }] },
    { emails: [{ value: 'work@testuser.com' }] },
  ],
  [{ op: 'Remove', path: 'emails', value: [] }, { emails: [{ value: 'work@testuser.com' }] }],
  [{ op: 'Replace', path: 'displayName', value: 'n'.repeat(256) }, { displayName: 'n'.repeat(256) }],
  [
    { op: 'Remove', path: 'emails', value: [{ value: 'WORK@testuser.com' }] },
    { emails: [{ value: 'shapes@testuser.com' }] },
  ],
  [{ op: 'replace', value: JSON.stringify({ schemas: [userSchema], active: false }) }, { active: false }],
  [{ op: 'replace', path: 'name', value: '{"givenName":"Nina"}' }, { name: { givenName: 'Nina' } }],
  [
    { op: 'replace', path: 'emails', value: ['{"type":"work","value":"new@testuser.com"}'] },
    { emails: [{ value: 'new@testuser.com' }] },
  ],
  [{ op: 'replace', path: 'displayName', value: '{"a":1}' }, { displayName: '{"a":1}' }],
  [{ op: 'replace', path: 'displayName', value: '[Team]' }, { displayName: '[Team]' }],
  [
    { op: 'Add', path: 'roles', value: [{ value: '{"id":"1","value":"Admin","displayName":"Admin"}' }] },
    { active: true },
  ],
])('a user update accepts %j', async (operation, shown) => {
  const { id } = await d.create('shapes@testuser.com', {
    name: { givenName: 'Given', familyName: 'Old' },
    emails: [{ type: 'work', value: 'work@testuser.com' }],
  });
  expect(await d.scim('PATCH', `/Users/${id}`, patchOf(operation))).toMatchObject({
    status: 200,
    body: shown,
  });
});

test('a user is created from attributes in arrays, with active null and unknown attributes', async () => {
  const created = await d.scim('POST', '/Users', {
    schemas: [userSchema],
    userName: ['shapes@testuser.com'],
    displayName: [{ $ref: null, value: 'User x' }],
    active: null,
    name: [{ givenName: ['Nina'] }],
    'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/User': { costCenter: '7' },
    'urn:ietf:params:scim:schemas:extension:contoso:2.0:User:Cost Center': '7',
    'Straße (privat)': 'Hauptstraße 1',
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      userName: 'shapes@testuser.com',
      displayName: 'User x',
      active: true,
      name: { givenName: 'Nina' },
    },
  });
});

test("an empty list of operations, as Microsoft's validator sends it, changes nothing", async () => {
  const user = await d.create('ann@testuser.com');
  const patched = await d.scim('PATCH', `/Users/${user.id}`, patchOf());
  expect(patched).toMatchObject({ status: 200, body: { meta: user.meta } });
});

test('several values for a single-valued attribute are rejected', async () => {
  const { id } = await d.create('shapes@testuser.com');
  const several = patchOf({ op: 'Replace', path: 'displayName', value: ['a', 'b'] });
  expect(await d.scim('PATCH', `/Users/${id}`, several)).toMatchObject({
    status: 400,
    body: { scimType: 'invalidValue' },
  });
});

test.each([
  'addresses[type eq "work" and primary eq true].region',
  'addresses[primary EQ "True"]',
  'addresses[not (type eq "work") or type ne "a]b"].region',
  'phoneNumbers[type eq "mobile" and value sw "+49"].value',
  'roles[primary eq "True"].value',
  'x509Certificates',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
  'urn:ietf:params:scim:schemas:extension:contoso:2.0:User:Cost Center',
  'urn:ietf:params:scim:schemas:core:2.0:User:addresses[type eq "work" and primary eq true].region',
  'emails[type eq "home" and primary eq false].value',
  'emails[type eq "work" and primary eq true].display',
  '_internal',
])('a PATCH ignores the path %s, which is not stored, and applies the other operations', async (path) => {
  const { id } = await d.create('paths@testuser.com');
  const patch = patchOf(
    { op: 'Add', path, value: 'x' },
    { op: 'Replace', path: ' displayName ', value: 'Pvlo' },
  );
  expect(await d.scim('PATCH', `/Users/${id}`, patch)).toMatchObject({
    status: 200,
    body: { displayName: 'Pvlo', emails: [{ value: 'paths@testuser.com' }] },
  });
});

test('a path whose filter contains "and" changes the selected address', async () => {
  const { id } = await d.create('paths@testuser.com');
  const path = 'emails[type eq "work" and primary eq "True"].value';
  const patch = patchOf({ op: 'Replace', path, value: 'work@testuser.com' });
  expect(await d.scim('PATCH', `/Users/${id}`, patch)).toMatchObject({
    status: 200,
    body: { emails: [{ value: 'work@testuser.com' }] },
  });
  for (const filter of [
    'emails[type eq "work"] eq "work@testuser.com"',
    'emails[type eq "work" and value eq "work@testuser.com"]',
    'emails[type eq "work" and primary eq true].value eq "work@testuser.com"',
  ])
    expect((await d.scim('GET', query(filter))).body).toMatchObject({ totalResults: 1 });
  const { body } = await d.scim('GET', `/Users?attributes=${encodeURIComponent('emails[type eq "work"]')}`);
  expect(body.Resources).toMatchObject([{ emails: [{ value: 'work@testuser.com' }] }]);
});

test('a group accepts its name in an array, null among its members, and a filter that contains "and"', async () => {
  const { id: userId } = await d.create('member@testuser.com');
  const { body: group } = await d.scim('POST', '/Groups', {
    schemas: [groupSchema],
    displayName: [{ $ref: null, value: 'Group x' }],
    members: [null, { $ref: null, value: userId }],
  });
  expect(group).toMatchObject({ displayName: 'Group x', members: [{ value: userId }] });
  const url = `/Groups/${group.id}`;
  const patch = patchOf(
    { op: 'Add', path: 'owners[type eq "User" and primary eq true].value', value: 'x' },
    { op: 'Remove', path: `members[type eq "User" and value eq "${userId}"]` },
  );
  expect((await d.scim('PATCH', url, patch)).status).toBe(204);
  expect((await d.scim('GET', url)).body).toMatchObject({ members: [] });
});

test('a group keeps its members if an empty list is removed, and loses a member that is named in single quotation marks', async () => {
  const { id: userId } = await d.create('member@testuser.com');
  const { body: group } = await d.scim('POST', '/Groups', {
    schemas: [groupSchema],
    displayName: 'Group y',
    members: [{ value: userId }],
  });
  const url = `/Groups/${group.id}`;
  const remove = async (operation: object) => {
    const { status } = await d.scim('PATCH', url, patchOf({ op: 'Remove', ...operation }));
    expect(status).toBe(204);
    return (await d.scim('GET', url)).body['members'];
  };
  expect(await remove({ path: 'members', value: [] })).toHaveLength(1);
  expect(await remove({ path: `members[value eq '${userId}']` })).toEqual([]);
});

test('a group accepts its name and members as JSON text, as SCIM for Keycloak sends them', async () => {
  const { id: userId } = await d.create('member@testuser.com');
  const { body: group } = await d.scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'Old' });
  const url = `/Groups/${group.id}`;
  const change = async (operation: object) => {
    expect((await d.scim('PATCH', url, patchOf(operation))).status).toBe(204);
    return (await d.scim('GET', url)).body;
  };
  const name = JSON.stringify({ schemas: [groupSchema], displayName: 'Group z' });
  expect(await change({ op: 'replace', value: name })).toMatchObject({ displayName: 'Group z' });
  const member = JSON.stringify({ value: userId });
  for (const value of [`[${member}]`, [member], member]) {
    expect(await change({ op: 'replace', path: 'members', value })).toMatchObject({
      members: [{ value: userId }],
    });
    expect(await change({ op: 'remove', path: 'members' })).toMatchObject({ members: [] });
  }
});

test('the principal name of a guest is refused as an address, and accepted beside one', async () => {
  const guest = { schemas: [userSchema], userName: 'guest_gmail.com#EXT#@contoso.onmicrosoft.com' };
  expect(await d.scim('POST', '/Users', guest)).toMatchObject({
    status: 400,
    body: { scimType: 'invalidValue', detail: expect.stringContaining('principal name of a guest') },
  });
  const emails = [{ type: 'work', value: 'guest@testuser.com' }];
  const { id } = await d.create(guest.userName, { emails });
  const patch = patchOf({ op: 'Remove', path: 'emails' });
  expect((await d.scim('PATCH', `/Users/${id}`, patch)).status).toBe(400);
  const disable = patchOf({ op: 'Replace', path: 'active', value: 'False' });
  expect((await d.scim('PATCH', `/Users/${id}`, disable)).body).toMatchObject({ active: false });
});

test('empty query parameters, several spaces before the token and tabs in names are accepted', async () => {
  await d.create('tab@testuser.com', { displayName: 'Ann\tStone' });
  const headers = { authorization: `Bearer   ${d.token}` };
  const { body } = await d.scim('GET', '/Users?filter=&startIndex=&count=', undefined, headers);
  expect(body.Resources).toMatchObject([{ displayName: 'Ann Stone' }]);
});

test('a person keeps the address when Entra ID renames the deleted account, and is enabled if it is restored or created again', async () => {
  const { id } = await d.create('ann@testuser.com');
  await d.signIn('ann@testuser.com');
  const ann = () => d.t.select`select email, status from people where email_canonical like '%ann@%'`;
  const rename = async (userName: string, active: string) => {
    const name = { op: 'Replace', path: 'userName', value: userName };
    const patch = patchOf(name, { op: 'Replace', path: 'active', value: active });
    expect((await d.scim('PATCH', `/Users/${id}`, patch)).body).toMatchObject({ userName });
  };
  const renamed = '283405f5aabbccddeeff00112233445cann@testuser.com';
  await rename(renamed, 'False');
  expect(await ann()).toEqual([{ email: 'ann@testuser.com', status: 'disabled' }]);
  await rename('ann@testuser.com', 'True');
  expect(await ann()).toEqual([{ email: 'ann@testuser.com', status: 'active' }]);

  await rename(renamed, 'False');
  const again = await d.create('ann@testuser.com', { externalId: 'new' });
  expect((await d.scim('DELETE', `/Users/${id}`)).status).toBe(204);
  expect(await ann()).toEqual([{ email: 'ann@testuser.com', status: 'active' }]);
  expect(await d.t.select(`select from jobs.job where data->>'template' = 'person-address-changed'`)).toEqual(
    [],
  );
  expect((await d.scim('DELETE', `/Users/${again.id}`)).status).toBe(204);
  expect(await ann()).toEqual([]);
});

test('a user can be renamed to the address of an account that was deleted in Entra ID', async () => {
  const people = () => d.t.select('select email, status from people order by email');
  const rename = async (id: string, userName: string, active = 'True') => {
    const name = { op: 'Replace', path: 'userName', value: userName };
    const patch = patchOf(name, { op: 'Replace', path: 'active', value: active });
    expect((await d.scim('PATCH', `/Users/${id}`, patch)).body).toMatchObject({ userName });
  };
  const [ann, bob, carl] = [
    await d.create('ann@testuser.com'),
    await d.create('bob@testuser.com'),
    await d.create('carl@testuser.com'),
  ];
  for (const email of ['ann@testuser.com', 'bob@testuser.com']) await d.signIn(email);
  const renamed = '283405f5aabbccddeeff00112233445cann@testuser.com';
  await rename(ann.id, renamed, 'False');
  // A person who has joined keeps the own account.
  await rename(bob.id, 'ann@testuser.com');
  expect(await people()).toEqual([
    { email: renamed, status: 'disabled' },
    { email: 'admin@example.com', status: 'active' },
    { email: 'ann@testuser.com', status: 'active' },
  ]);
  expect((await d.scim('GET', `/Users/${ann.id}`)).body).toMatchObject({ active: false });
  const mails = await d.t.select<{ about: string }>(
    `select data->>'subjectId' as about from jobs.job where data->>'template' = 'person-address-changed'`,
  );
  expect(mails).toHaveLength(2);
  for (const { about } of mails) expect(about).toContain('bob@testuser.com ann@testuser.com');

  // An invited user gets the account, as a user who is created again.
  const renamedAgain = '283405f5aabbccddeeff00112233445dann@testuser.com';
  await rename(bob.id, renamedAgain, 'False');
  await rename(carl.id, 'ann@testuser.com');
  expect(await people()).toEqual([
    { email: renamed, status: 'disabled' },
    { email: 'admin@example.com', status: 'active' },
    { email: 'ann@testuser.com', status: 'active' },
  ]);
});

test('the error for a missing bearer token names the header', async () => {
  const { status, body } = await d.scim('GET', '/Users', undefined, { authorization: d.token });
  expect([status, body.detail]).toEqual([401, expect.stringContaining('Authorization: Bearer')]);
});

/**
 * Requests of Entra ID and Okta from their documentation: Microsoft, "Develop and plan provisioning for a SCIM endpoint" and "Known issues
 * … with SCIM 2.0 protocol compliance"; Okta, "Okta and SCIM Version 2.0" (Q2).
 */
import { afterEach, describe, expect, test } from 'vitest';
import { createTestScim, groupSchema, patchOf, userSchema } from './test-scim.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const d = closeAfterTests(await createTestScim());
afterEach(() => d.clear());

const people = () =>
  d.t.select<{ email: string; role: string; status: string }>(
    `select email, role, status from people where email <> 'admin@example.com' order by email`,
  );
const invitations = () =>
  d.t.select<{ email: string; status: string; mail_state: string }>(
    `select email, status, mail_state from invitations where email <> 'admin@example.com' order by created_at`,
  );

describe('Entra ID', () => {
  const user = {
    schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
  };
  const query = (filter: string) => `/Users?filter=${encodeURIComponent(filter)}`;

  test('the lifecycle of a user: query, create, find, change, disable, enable, delete', async () => {
    const none = await d.scim('GET', query('userName eq "non-existent user"'));
    expect(none).toMatchObject({
      status: 200,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 0,
        Resources: [],
        startIndex: 1,
      },
    });

    const created = await d.scim('POST', '/Users', user);
    expect(created).toMatchObject({
      status: 201,
      headers: { 'content-type': 'application/scim+json; charset=utf-8' },
      body: {
        schemas: [userSchema],
        externalId: user.externalId,
        userName: user.userName,
        name: user.name,
        active: true,
        emails: [{ value: 'Test_User_fd0ea19b@testuser.com', type: 'work', primary: true }],
        meta: { resourceType: 'User' },
      },
    });
    const { id } = created.body;
    expect(created.headers['location']).toBe(`https://portal.example.com/scim/v2/Users/${id}`);
    expect(await invitations()).toEqual([
      { email: 'Test_User_fd0ea19b@testuser.com', status: 'pending', mail_state: 'queued' },
    ]);

    expect(await d.scim('GET', `/Users/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await d.scim('GET', '/Users/5171a35d82074e068ce2')).toMatchObject({
      status: 404,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
    });
    for (const filter of [
      `userName eq "${user.userName.toUpperCase()}"`,
      `externalId eq "${user.externalId}"`,
      `externalId eq ${user.externalId}`,
      'emails[type eq "work"].value eq "test_user_fd0ea19b@testuser.com"',
      `active eq true and userName eq "${user.userName}"`,
      `id eq "${id}" AND active eq "True"`,
    ])
      expect((await d.scim('GET', query(filter))).body).toMatchObject({
        totalResults: 1,
        Resources: [{ id }],
      });

    await d.signIn('Test_User_fd0ea19b@testuser.com');
    const changed = await d.scim(
      'PATCH',
      `/Users/${id}`,
      patchOf(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      ),
    );
    expect(changed).toMatchObject({
      status: 200,
      body: {
        name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
        emails: [{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }],
      },
    });
    expect(
      await d.scim(
        'PATCH',
        `/Users/${id}`,
        patchOf({ op: 'Replace', path: 'userName', value: '5b50642d@testuser.com' }),
      ),
    ).toMatchObject({ status: 200, body: { userName: '5b50642d@testuser.com' } });

    const off = await d.scim(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'Replace', path: 'active', value: 'False' }),
    );
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect(await people()).toMatchObject([{ status: 'disabled' }]);
    expect((await d.scim('GET', `/Users/${id}`)).body).toMatchObject({ active: false });
    await d.scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: true }));
    expect(await people()).toMatchObject([{ status: 'active' }]);

    expect(await d.scim('DELETE', `/Users/${id}`)).toMatchObject({ status: 204, body: {} });
    expect(await people()).toEqual([]);
    expect((await d.scim('GET', `/Users/${id}`)).status).toBe(404);
  });

  test.each([
    [
      'without the flag aadOptscim062020',
      patchOf(
        { op: 'Replace', path: 'displayName', value: 'Pvlo' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'TestBcwqnm@test.microsoft.com' },
        { op: 'Replace', path: 'name.givenName', value: 'Gtfd' },
        { op: 'Replace', path: 'name.familyName', value: 'Pkqf' },
        { op: 'Replace', path: 'externalId', value: 'Eqpj' },
        {
          op: 'Replace',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber',
          value: 'Eqpj',
        },
        { op: 'Add', path: 'nickName', value: 'Babs' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      ),
    ],
    [
      'with the flag aadOptscim062020',
      patchOf(
        {
          op: 'replace',
          path: 'emails[type eq "work"].value',
          value: 'TestBcwqnm@test.microsoft.com',
        },
        {
          op: 'replace',
          value: {
            displayName: 'Pvlo',
            'name.givenName': 'Gtfd',
            'name.familyName': 'Pkqf',
            externalId: 'Eqpj',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': 'Aklq',
          },
        },
      ),
    ],
  ])('one PATCH changes many attributes, %s', async (_which, patch) => {
    const { id } = await d.create('many@testuser.com', user && { name: user.name });
    expect(await d.scim('PATCH', `/Users/${id}`, patch)).toMatchObject({
      status: 200,
      body: {
        displayName: 'Pvlo',
        externalId: 'Eqpj',
        name: { givenName: 'Gtfd', familyName: 'Pkqf' },
        emails: [{ value: 'TestBcwqnm@test.microsoft.com' }],
      },
    });
  });

  test('the lifecycle of a group: create empty, find, rename, fill, query, empty, delete', async () => {
    const { id: userId } = await d.create('member@testuser.com');
    const created = await d.scim('POST', '/Groups', {
      schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    });
    expect(created).toMatchObject({
      status: 201,
      body: { schemas: [groupSchema], displayName: 'displayName', members: [] },
    });
    const url = `/Groups/${created.body.id}`;
    const without = await d.scim('GET', `${url}?excludedAttributes=members`);
    expect(without.body).toMatchObject({ displayName: 'displayName' });
    expect(without.body).not.toHaveProperty('members');
    const byName = `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "displayName"')}`;
    expect((await d.scim('GET', byName)).body).toMatchObject({ totalResults: 1 });

    const patch = async (operation: object) => {
      expect(await d.scim('PATCH', url, patchOf(operation))).toMatchObject({ status: 204, body: {} });
      return (await d.scim('GET', url)).body;
    };
    expect(
      await patch({ op: 'Replace', path: 'displayName', value: '1879db59updatedDisplayName' }),
    ).toMatchObject({ displayName: '1879db59updatedDisplayName' });
    const filled = await patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: userId }] });
    expect(filled).toMatchObject({ members: [{ value: userId, display: 'member@testuser.com' }] });

    const requestMember = async (member: string) =>
      (
        await d.scim(
          'GET',
          `/Groups?filter=${encodeURIComponent(`id eq "${created.body.id}" and members eq "${member}"`)}`,
        )
      ).body.totalResults;
    expect(await requestMember(userId)).toBe(1);
    expect(await requestMember(created.body.id)).toBe(0);

    for (const operation of [
      { op: 'Remove', path: 'members', value: [{ $ref: null, value: userId }] },
      { op: 'remove', path: `members[value eq "${userId}"]` },
    ]) {
      await patch({ op: 'Add', path: 'members', value: [{ value: userId }] });
      expect(await patch(operation)).toMatchObject({ members: [] });
    }
    expect((await d.scim('DELETE', url)).status).toBe(204);
    expect((await d.scim('GET', url)).status).toBe(404);
  });

  test('schemas are listed and found by name', async () => {
    const { body } = await d.scim('GET', '/Schemas');
    expect(body.Resources?.map(({ id }) => id)).toEqual([userSchema, groupSchema]);
    expect((await d.scim('GET', `/Schemas/${userSchema}`)).body).toMatchObject({ name: 'User' });
  });
});

describe('Okta', () => {
  const user = {
    schemas: [userSchema],
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  };

  test('the lifecycle of a user: query, create once only, list, replace, disable by PATCH and by PUT', async () => {
    const userQuery = '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100';
    expect((await d.scim('GET', userQuery)).body).toMatchObject({
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const created = await d.scim('POST', '/Users', user);
    expect(created).toMatchObject({
      status: 201,
      body: { userName: user.userName, displayName: 'Test User', externalId: user.externalId, active: true },
    });
    expect(JSON.stringify(created.body)).not.toContain(user.password);
    expect(await d.scim('POST', '/Users', user)).toMatchObject({
      status: 409,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'uniqueness',
      },
    });
    const url = `/Users/${created.body.id}`;
    expect((await d.scim('GET', '/Users?startIndex=1&count=100')).body).toMatchObject({ totalResults: 1 });

    const put = await d.scim('PUT', url, {
      ...user,
      id: created.body.id,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      meta: { resourceType: 'User' },
    });
    expect(put).toMatchObject({ status: 200, body: { name: { givenName: 'Another', familyName: 'User' } } });

    await d.signIn('test.user@okta.local');
    expect(await d.scim('PATCH', url, patchOf({ op: 'replace', value: { active: false } }))).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expect(await people()).toMatchObject([{ status: 'disabled' }]);
    await d.scim('PUT', url, { ...user, active: true });
    expect(await people()).toMatchObject([{ status: 'active' }]);
    await d.scim('PUT', url, { ...user, active: false });
    expect(await people()).toMatchObject([{ status: 'disabled' }]);
  });

  test('the lifecycle of a group: create, list, rename without a path, change members by PATCH and by PUT, delete', async () => {
    const [one, other] = [await d.create('one@okta.local'), await d.create('other@okta.local')];
    const created = await d.scim('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: 'Test SCIMv2',
      members: [],
    });
    expect(created).toMatchObject({ status: 201, body: { displayName: 'Test SCIMv2', members: [] } });
    const { id } = created.body;
    const url = `/Groups/${id}`;
    const members = async () => {
      const { body } = await d.scim('GET', url);
      return (body['members'] as { value: string }[]).map(({ value }) => value).sort();
    };
    expect((await d.scim('GET', '/Groups?startIndex=1&count=100')).body).toMatchObject({ totalResults: 1 });
    await d.scim('PATCH', url, patchOf({ op: 'replace', value: { id, displayName: 'Test SCIMv20' } }));
    expect((await d.scim('GET', url)).body).toMatchObject({ displayName: 'Test SCIMv20' });

    await d.scim('PATCH', url, patchOf({ op: 'add', path: 'members', value: [{ value: one.id }] }));
    await d.scim(
      'PATCH',
      url,
      patchOf(
        { op: 'remove', path: `members[value eq "${one.id}"]` },
        { op: 'add', path: 'members', value: [{ value: other.id, display: 'other@okta.local' }] },
      ),
    );
    expect(await members()).toEqual([other.id]);
    const all = [
      { value: one.id, display: 'one@okta.local' },
      { value: other.id, display: 'other@okta.local' },
    ];
    await d.scim('PATCH', url, patchOf({ op: 'replace', path: 'members', value: all }));
    expect(await members()).toEqual([one.id, other.id].sort());
    expect(
      await d.scim('PUT', url, {
        schemas: [groupSchema],
        id,
        displayName: 'Test SCIMv20',
        members: [{ value: one.id }],
      }),
    ).toMatchObject({ status: 200, body: { members: [{ value: one.id }] } });
    expect((await d.scim('DELETE', url)).status).toBe(204);
  });
});

test('the address of a user follows the user name until the directory sends an address; additional addresses change nothing', async () => {
  const { id } = await d.create('first@example.com');
  const patched = async (...operations: object[]) =>
    (await d.scim('PATCH', `/Users/${id}`, patchOf(...operations))).body['emails'];
  const only = (value: string) => [{ value, type: 'work', primary: true }];
  const rename = (value: string) => patched({ op: 'replace', path: 'userName', value });
  expect(await rename('second@example.com')).toEqual(only('second@example.com'));
  const named = { op: 'replace', path: 'emails[type eq "work"].value', value: 'second@example.com' };
  expect(await patched(named)).toEqual(only('second@example.com'));
  expect(await rename('third@example.com')).toEqual(only('second@example.com'));
  const home = { op: 'add', path: 'emails', value: [{ value: 'home@example.com', type: 'home' }] };
  expect(await patched(home)).toEqual(only('second@example.com'));
  const primary = { op: 'add', value: { emails: [{ value: 'new@example.com', primary: true }] } };
  expect(await patched(primary)).toEqual(only('new@example.com'));
  expect(await patched({ op: 'remove', path: 'emails' })).toEqual(only('third@example.com'));
});

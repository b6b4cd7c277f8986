/** The directory of an organization changes its memberships only (R9). */
import { listOrganizationActivity } from '@vestibule/contract/activity';
import { listOrganizationInvitations } from '@vestibule/contract/invitations/in-organization';
import { acceptMyInvitation, listMyInvitations } from '@vestibule/contract/invitations/mine';
import {
  changeMember,
  changeOrganization,
  listMembers,
  removeMember,
} from '@vestibule/contract/organizations';
import {
  getOrganizationDirectory,
  revokeOrganizationDirectoryToken,
} from '@vestibule/contract/organizations/directory';
import { erasePerson } from '@vestibule/contract/people/removed';
import { downloadMyData } from '@vestibule/contract/profile';
import { getMe } from '@vestibule/contract/profile/me';
import { changeDirectory, createDirectoryToken } from '@vestibule/contract/directory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectionMethodOf } from '../../platform/config/sign-in-methods.ts';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from '../organizations/test-organizations.ts';
import { createDirectoryHelpers, createUser, entraUser, setUserActive } from './test-organization-scim.ts';
import { createScimClient, groupSchema, patchOf } from './test-scim.ts';

type Organization = OrganizationSite['a'];
type Scim = ReturnType<typeof createScimClient>;

let t: TestApp;
let admin: TestPerson;
let a: Organization;
let b: Organization;
let scim: Scim;
beforeEach(async () => {
  ({ t, admin, a, b } = await createOrganizationSite());
  scim = await directoryOf(a);
});
afterEach(() => t.close());

const { inOrganization, signUp, organizationsOf, memberEmails, inviteTo } = createInvitingHelpers(() => t);

const { createTokenOf, directoryOf, prove, verify } = createDirectoryHelpers(() => t);
const create = (address: string, client = scim) => createUser(client, address);
const setActive = (id: string, value: boolean) => setUserActive(scim, id, value);
const find = async (address: string, client = scim) =>
  (await client('GET', `/Users?filter=${encodeURIComponent(`userName eq "${address}"`)}`)).body;
const invitationsTo = async (organization: Organization, address: string) =>
  (await t.call(listOrganizationInvitations, inOrganization(organization))).body.rows
    .filter(({ email }) => email === address)
    .map(({ status }) => status);
const person = async (id: string) =>
  (await t.select<object>`select email, display_name, status, role from people where id = ${id}`)[0];

describe('the token of an organization', () => {
  test('is shown once, works for a day after it was replaced, and is revoked at once', async () => {
    const state = async () => (await t.call(getOrganizationDirectory, inOrganization(a))).body;
    expect((await t.call(getOrganizationDirectory, inOrganization(b))).body).toEqual({
      address: 'https://portal.example.com/scim/v2',
      token: null,
      lastUsedAt: null,
      lastAddress: null,
      users: 0,
    });
    expect((await scim('GET', '/Users')).status).toBe(200);
    expect(await state()).toMatchObject({
      token: { madeBy: a.manager.email, earlierUntil: null },
      lastUsedAt: expect.any(String),
    });
    const newer = await directoryOf(a);
    expect([(await scim('GET', '/Users')).status, (await newer('GET', '/Users')).status]).toEqual([200, 200]);
    t.clock.advance(24 * 3_600_000 + 1);
    expect([(await scim('GET', '/Users')).status, (await newer('GET', '/Users')).status]).toEqual([401, 200]);
    a.manager.token = await t.recentTokenOf(a.manager);
    await directoryOf(a);
    await t.call(revokeOrganizationDirectoryToken, inOrganization(a));
    expect((await newer('GET', '/Users')).status).toBe(401);
    expect(await state()).toMatchObject({ token: null });
  });

  test('is refused while the organization is suspended, and works only for SCIM', async () => {
    const token = await createTokenOf(b);
    expect((await t.call(listMembers, { token, params: { organizationId: b.id } })).status).toBe(401);
    await t.callAs(admin, changeOrganization, {
      params: { organizationId: a.id },
      body: { status: 'suspended' },
    });
    expect(await scim('GET', '/Users')).toMatchObject({
      status: 403,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '403' },
    });
  });

  test('lists only users of its organization, and has no groups', async () => {
    const ofB = await directoryOf(b);
    const { id } = await create(b.member.email, ofB);
    const site = createScimClient(t, (await t.callAs(admin, createDirectoryToken)).body.token);
    await t.callAs(admin, changeDirectory, { body: { isOn: true } });
    const ofSite = await create(a.member.email, site);
    expect((await site('GET', '/Users')).body).toMatchObject({ totalResults: 1 });
    expect((await site('GET', `/Users/${id}`)).status).toBe(404);
    expect((await scim('GET', `/Users/${ofSite.id}`)).status).toBe(404);
    await create(a.member.email);
    expect(await find(b.member.email)).toMatchObject({ totalResults: 0, Resources: [] });
    expect((await scim('GET', '/Users')).body).toMatchObject({ totalResults: 1 });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', entraUser('other@acme.example')],
      ['PATCH', patchOf({ op: 'replace', path: 'active', value: false })],
      ['DELETE', undefined],
    ] as const)
      expect(await scim(method, `/Users/${id}`, body)).toMatchObject({ status: 404 });
    expect(await memberEmails(b)).toContain(b.member.email);

    expect((await scim('GET', '/Groups')).body).toMatchObject({ totalResults: 0, Resources: [] });
    expect(await scim('POST', '/Groups', { schemas: [groupSchema], displayName: 'All' })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('users only') },
    });
    expect((await scim('GET', '/ResourceTypes')).body).toMatchObject({ totalResults: 1 });
  });
});

describe('creating a user', () => {
  test('adds a person with an address of a verified domain, without changing the person', async () => {
    const ada = await verify(await t.join('ada@acme.example'));
    const before = await person(ada.id);
    await prove(a, 'acme.example');
    expect(await create('ada@acme.example')).toMatchObject({ active: true });
    expect(await memberEmails(a)).toContain('ada@acme.example');
    expect(await organizationsOf(ada.token)).toEqual([['acme', 'member']]);
    expect(await person(ada.id)).toEqual(before);
    const { body } = await t.call(listOrganizationActivity, { ...inOrganization(a), query: {} });
    expect(
      body.rows
        .map(({ action }) => action)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['directory.user_created', 'member.added']);
  });

  test.each([
    ['that no sign-in has verified', 'acme.example'],
    ['of another domain', 'other.example'],
    ['of a domain whose record is missing', 'failing.example'],
    ['of a domain that another organization has proven', 'bolt.example'],
  ])('invites a person with an address %s, with the same response', async (_, domain) => {
    await prove(a, 'acme.example');
    await prove(a, 'failing.example', { state: 'failing', enrolment: 'invitation' });
    await prove(b, 'bolt.example', { state: 'verified', enrolment: 'automatic' });
    const ada = await t.join(`ada@${domain}`);
    if (domain !== 'acme.example') await verify(ada);
    const withAccount = await create(ada.email);
    const withoutAccount = await create(`bob@${domain}`);
    expect([withAccount['active'], withoutAccount['active']]).toEqual([true, true]);
    expect(await invitationsTo(a, ada.email)).toEqual(['pending']);
    expect(await memberEmails(a)).not.toContain(ada.email);

    const [invitation] = (await t.callAs(ada, listMyInvitations)).body.rows;
    await t.callAs(ada, acceptMyInvitation, { params: { invitationId: invitation?.id as string } });
    // The accepted invitation links the member with the user of the directory.
    await setActive(withAccount.id, false);
    expect(await memberEmails(a)).not.toContain(ada.email);
  });

  test('invites a person whose address only the provider of another organization has verified', async () => {
    await prove(a, 'acme.example');
    const ada = await verify(await t.join('ada@acme.example'));
    await t.select`update identities set way = ${connectionMethodOf(b.id)} where person_id = ${ada.id}`;
    await create(ada.email);
    expect(await invitationsTo(a, ada.email)).toEqual(['pending']);
    expect(await memberEmails(a)).not.toContain(ada.email);
  });

  test('invites administrators of the site, and cannot remove them', async () => {
    await prove(a, 'example.com');
    const { id } = await create(admin.email);
    expect(await invitationsTo(a, admin.email)).toEqual(['pending']);
    const [invitation] = (await t.callAs(admin, listMyInvitations)).body.rows;
    await t.callAs(admin, acceptMyInvitation, { params: { invitationId: invitation?.id as string } });
    for (const response of [await setActive(id, false), await scim('DELETE', `/Users/${id}`)])
      expect(response).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('administrator') },
      });
    expect(await memberEmails(a)).toContain(admin.email);
  });

  test('invites an unknown person to the organization, who signs up as its member', async () => {
    await prove(a, 'acme.example');
    await create('new@acme.example');
    expect(await invitationsTo(a, 'new@acme.example')).toEqual(['pending']);
    expect(
      await t.select`select organization_id, role from invitations where email = 'new@acme.example'`,
    ).toEqual([{ organization_id: a.id, role: 'member' }]);
    const { token } = await signUp('new@acme.example');
    expect(await organizationsOf(token)).toEqual([['acme', 'member']]);
  });

  test('keeps the role of a member, and reports another user with the address', async () => {
    await create(a.manager.email);
    expect(await invitationsTo(a, a.manager.email)).toEqual([]);
    expect(await organizationsOf(a.manager.token)).toEqual([['acme', 'manager']]);
    expect(await scim('POST', '/Users', entraUser(a.manager.email))).toMatchObject({
      status: 409,
      body: { scimType: 'uniqueness' },
    });
    // Another organization has a separate directory.
    await create(a.manager.email, await directoryOf(b));
  });

  test('is refused when all seats are taken', async () => {
    await prove(a, 'acme.example');
    await verify(await t.join('ada@acme.example'));
    await t.select`update organizations set seat_limit = member_count where id = ${a.id}`;
    expect(await scim('POST', '/Users', entraUser('ada@acme.example'))).toMatchObject({
      status: 409,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        detail: expect.stringContaining('seats'),
      },
    });
    expect(await find('ada@acme.example')).toMatchObject({ totalResults: 0 });
  });

  test('counts against the invitations that an organization sends in an hour', async () => {
    await t.select`
      insert into rate_limits (key, used, ends_at)
      values (${`invitations of an organization:${a.id}`}, 10000, ${new Date(t.clock.now() + 60_000)})`;
    expect(await scim('POST', '/Users', entraUser('new@acme.example'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect(await invitationsTo(a, 'new@acme.example')).toEqual([]);
  });
});

describe('deactivating a user', () => {
  test('removes the membership, not the person or other memberships, and activating adds it again', async () => {
    await prove(a, 'acme.example');
    const { id } = await create((await verify(a.member)).email);
    await create(a.member.email, await directoryOf(b));
    const before = await person(a.member.id);
    const off = await scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } }));
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect(await organizationsOf(a.member.token)).toEqual([]);
    expect(await person(a.member.id)).toEqual(before);
    expect(await invitationsTo(b, a.member.email)).toEqual(['pending']);
    expect(await setActive(id, true)).toMatchObject({ status: 200, body: { active: true } });
    expect(await organizationsOf(a.member.token)).toEqual([['acme', 'member']]);
  });

  test('revokes the invitation to this organization only', async () => {
    const { id } = await create('new@other.example');
    await inviteTo(b, 'new@other.example');
    await setActive(id, false);
    expect(await invitationsTo(a, 'new@other.example')).toEqual(['revoked']);
    expect(await invitationsTo(b, 'new@other.example')).toEqual(['pending']);
  });

  test('keeps the person from joining by the domain', async () => {
    await prove(a, 'acme.example', { state: 'verified', enrolment: 'automatic' });
    const { id } = await create('new@acme.example');
    await setActive(id, false);
    expect((await t.signIn('new@acme.example')).status).toBe(403);
    expect((await t.signIn('other@acme.example')).status).toBe(200);
  });

  test('of the last manager is refused, until there is another', async () => {
    const { id } = await create(a.manager.email);
    for (const response of [await setActive(id, false), await scim('DELETE', `/Users/${id}`)])
      expect(response).toMatchObject({
        status: 409,
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          detail: expect.stringContaining('last active manager'),
        },
      });
    expect(await find(a.manager.email)).toMatchObject({ Resources: [{ active: true }] });
    await t.callAs(a.manager, changeMember, {
      params: { organizationId: a.id, personId: a.member.id },
      body: { roleId: 'manager' },
    });
    expect((await setActive(id, false)).status).toBe(200);
    expect(await organizationsOf(a.manager.token)).toEqual([]);
  });
});

test('a member removed by a manager is inactive, and a repeated `active: true` does not bring the member back', async () => {
  const { id } = await create(a.member.email);
  await t.callAs(a.manager, removeMember, { params: { organizationId: a.id, personId: a.member.id } });
  expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ active: false });
  await setActive(id, true);
  expect(await organizationsOf(a.member.token)).toEqual([]);
});

test('a member who signed up by the invitation of the directory and was removed by a manager is inactive', async () => {
  const { id } = await create('new@other.example');
  const { token } = await signUp('new@other.example');
  const { body: me } = await t.call(getMe, { token });
  await t.callAs(a.manager, removeMember, { params: { organizationId: a.id, personId: me.Id } });
  expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ active: false });
});

test('a changed name or address stays in the directory', async () => {
  const { id } = await create(a.member.email);
  const before = await person(a.member.id);
  const changed = await scim(
    'PUT',
    `/Users/${id}`,
    entraUser('renamed@elsewhere.example', { displayName: 'Another Name' }),
  );
  expect(changed).toMatchObject({ status: 200, body: { displayName: 'Another Name' } });
  expect(await person(a.member.id)).toEqual(before);
  expect(await invitationsTo(a, 'renamed@elsewhere.example')).toEqual([]);
  expect(await organizationsOf(a.member.token)).toEqual([['acme', 'member']]);
});

test('deleting a user removes the membership and the entry, not the person', async () => {
  const { id } = await create(a.member.email);
  const before = await person(a.member.id);
  expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
  expect(await organizationsOf(a.member.token)).toEqual([]);
  expect(await person(a.member.id)).toEqual(before);
  expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
  // The address does not bring the person back, as after a removal by a manager.
  expect(await t.select('select person_id, status from membership_requests')).toEqual([
    { person_id: a.member.id, status: 'declined' },
  ]);
});

test('the entry is in the export of the person, and in no row after the erasure', async () => {
  await create(a.member.email);
  const exported = await t.callAs(a.member, downloadMyData);
  expect(exported.body).toMatchObject({
    organizationDirectories: [{ organization: 'The acme', userName: a.member.email, givenName: 'Ada' }],
  });
  await create('erased@other.example');
  await t.callAs(admin, erasePerson, { body: { email: 'erased@other.example' } });
  const rows = await t.scalars<string>`select x::text as row from organization_directory_users x
    union all select x::text from audit_log x`;
  expect(rows.join('\n')).not.toContain('erased@other.example');
});

import { watchChanges } from '@vestibule/contract/events';
import { inviteToOrganization } from '@vestibule/contract/invitations/in-organization';
import {
  changeMember,
  getOrganization,
  listMembers,
  listOrganizations,
} from '@vestibule/contract/organizations';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import {
  createOrganizationToken,
  listOrganizationTokens,
  revokeOrganizationToken,
} from '@vestibule/contract/organizations/tokens';
import { disablePerson, enablePerson, listPeople } from '@vestibule/contract/people';
import { getMe } from '@vestibule/contract/profile/me';
import { createToken, listTokens, revokeToken, tokensPerPerson } from '@vestibule/contract/profile/tokens';
import type { RouteDefinition } from '@vestibule/contract/route';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { TestPerson } from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';
import { createOrganizationSite } from '../organizations/test-organizations.ts';
import { tokenMails } from './token-mails.ts';

const { t, admin, a, b } = await createOrganizationSite();
afterAll(() => t.close());
beforeEach(() => t.select('delete from personal_tokens'));

const inA = { organizationId: a.id };
const inB = { organizationId: b.id };
const create = (by: TestPerson, permissions: string[], params = inA) =>
  t.callAs(by, createOrganizationToken, { params, body: { name: 'Import', permissions, days: 30 } });
const made = async (...permissions: string[]) => (await create(a.manager, permissions)).body;
const addManager = (organization: { id: string }, { id }: { id: string }) =>
  t.select`
    insert into memberships (organization_id, person_id, role_id, joined_at)
    values (${organization.id}, ${id}, 'manager', now())`;
const setStatus = (status: 'active' | 'suspended') =>
  t.select`update organizations set status = ${status} where id = ${a.id}`;
const membersOf = (token: string, params = inA) => t.call(listMembers, { token, params });

test('a token of an organization works there, with its permissions only', async () => {
  const { token, details } = await made('members.read');
  expect(details).toMatchObject({ owner: a.manager.email, permissions: ['members.read'], state: 'active' });
  expect((await membersOf(token)).body.total).toBe(2);
  const change = { token, params: { ...inA, personId: a.member.id }, body: { roleId: 'member' } };
  expect((await t.call(changeMember, change)).body.code).toBe('organization.token_permission_missing');
  expect((await t.call(getOrganization, { token, params: inA })).body.code).toBe(
    'organization.token_permission_missing',
  );
});

test('another organization is not found with it, although its owner is a member there', async () => {
  await addManager(b, a.manager);
  const { token } = await made('members.read');
  expect((await membersOf(a.manager.token, inB)).status).toBe(200);
  expect((await membersOf(token, inB)).body.code).toBe('organization.not_found');
  await t.select`delete from memberships where organization_id = ${b.id} and person_id = ${a.manager.id}`;
});

test('every route without a permission rejects it', async () => {
  const { token } = await made('members.read', 'organization.read');
  const others = contractRoutes.filter(
    (route) => (route.access === 'member' || route.access === 'admin') && !route.acceptsOrganizationTokens,
  );
  for (const { method, path, body } of others) {
    const response = await t.app.inject({
      method,
      url: path.replaceAll(/:\w+/g, a.id),
      headers: { authorization: `Bearer ${token}`, 'vestibule-organization': a.id },
      ...(body && { payload: {} }),
    });
    expect([path, response.json<{ code: string }>().code]).toEqual([path, 'token.not_usable_here']);
  }
  const named = [watchChanges, listPeople, listOrganizations, listMyOrganizations];
  expect(others).toEqual(expect.arrayContaining(named as RouteDefinition[]));
});

test('says who its owner is, with its organization only', async () => {
  await addManager(b, a.manager);
  const { token } = await made('members.read', 'activity.read');
  const whoAmI = () => t.call(getMe, { token });
  expect((await whoAmI()).body).toEqual({
    Id: a.manager.id,
    Email: a.manager.email,
    DisplayName: 'Someone',
    IsAdmin: false,
    Theme: null,
    Language: null,
    Organization: { Id: a.id, Name: 'The acme', Permissions: ['activity.read', 'members.read'] },
  });
  expect((await t.callAs(a.manager, getMe)).body).not.toHaveProperty('Organization');
  await setStatus('suspended');
  expect((await whoAmI()).body.code).toBe('organization.suspended');
  await setStatus('active');
  await t.select`
    update memberships set role_id = 'member' where person_id = ${a.manager.id} and organization_id = ${a.id}`;
  expect((await whoAmI()).body.Organization?.Permissions).toEqual([]);
  await t.select`delete from memberships where person_id = ${a.manager.id}`;
  expect((await whoAmI()).body.code).toBe('organization.not_found');
  await addManager(a, a.manager);
});

test('cannot have permissions that its owner does not have, nor create tokens', async () => {
  for (const permissions of [['tokens.write'], ['members.read', 'unknown.read']])
    expect((await create(a.manager, permissions)).body.code).toBe('organization_token.permission_too_high');
  expect((await create(a.member, ['organization.read'])).body.code).toBe('organization.permission_needed');
  expect((await create(admin, ['members.read'])).body.code).toBe('organization_token.members_only');
  expect((await create(b.manager, ['members.read'])).body.code).toBe('organization.not_found');
  const { token } = await made('invitations.write');
  const invited = (role: string) =>
    t.call(inviteToOrganization, { token, params: inA, body: { email: `${role}@example.com`, role } });
  expect((await invited('manager')).status).toBe(403);
});

test('a site administrator who is a member has only the permissions of the role with it', async () => {
  await addManager(a, admin);
  const { token } = (await create(admin, ['members.read'])).body;
  expect((await membersOf(token)).status).toBe(200);
  expect((await t.call(listPeople, { token })).body.code).toBe('token.not_usable_here');
  await t.select`delete from memberships where person_id = ${admin.id}`;
  expect((await membersOf(token)).body.code).toBe('organization.not_found');
});

test('loses its permissions with the role of its owner, and ends while they are disabled', async () => {
  const { token } = await made('members.read');
  const set = (roleId: string) =>
    t.select`update memberships set role_id = ${roleId} where person_id = ${a.manager.id}`;
  await set('member');
  expect((await membersOf(token)).body.code).toBe('organization.permission_needed');
  await set('manager');
  const owner = { token: admin.token, params: { personId: a.manager.id } };
  await t.call(disablePerson, owner);
  expect((await membersOf(token)).body.code).toBe('person.disabled');
  await t.call(enablePerson, owner);
  await setStatus('suspended');
  expect((await membersOf(token)).body.code).toBe('organization.suspended');
  await setStatus('active');
  expect((await membersOf(token)).status).toBe(200);
});

test('is listed and revoked in its organization only', async () => {
  const { token, details } = await made('members.read');
  const site = await t.callAs(admin, createToken, {
    body: { name: 'Site', scopes: ['people:read'], days: 1 },
  });
  const listed = async (params: { organizationId: string }) =>
    (await t.callAs(admin, listOrganizationTokens, { params })).body.rows.map(({ id }) => id);
  expect(await listed(inA)).toEqual([details.id]);
  expect(await listed(inB)).toEqual([]);
  expect((await t.callAs(admin, listTokens)).body.rows.map(({ id }) => id)).toEqual([site.body.details.id]);
  const revoke = (by: TestPerson, tokenId: string, params: { organizationId: string }) =>
    t.callAs(by, revokeOrganizationToken, { params: { ...params, tokenId } });
  expect((await revoke(b.manager, details.id, inB)).body.code).toBe('token.not_found');
  expect((await revoke(a.manager, site.body.details.id, inA)).body.code).toBe('token.not_found');
  const wrong = await t.callAs(admin, revokeToken, { params: { tokenId: details.id } });
  expect(wrong.body.code).toBe('token.not_found');
  expect((await membersOf(token)).status).toBe(200);
  expect((await revoke(a.manager, details.id, inA)).body.state).toBe('revoked');
  expect((await membersOf(token)).body.code).toBe('token.invalid');
  const [entry] = await t.auditOf(details.id, 'token.revoked');
  expect(entry).toMatchObject({ detail: { organization: { id: a.id } } });
});

test('counts with the other tokens of its owner', async () => {
  for (let count = 0; count < tokensPerPerson; count += 1) await made('members.read');
  expect((await create(a.manager, ['members.read'])).body.code).toBe('token.too_many');
});

test('is listed as suspended after its owner has left the organization, who gets no mail about its expiry', async () => {
  await addManager(b, a.manager);
  const { details } = (await create(a.manager, ['members.read'], inB)).body;
  const mails = tokenMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
  const write = () => mails['token-expiry']?.write(details.id);
  const states = async () =>
    (await t.callAs(admin, listOrganizationTokens, { params: inB })).body.rows.map(({ state }) => state);
  expect((await write())?.text).toContain('/layout/organization/bolt/integrations');
  expect(await states()).toEqual(['active']);
  await t.select`delete from memberships where organization_id = ${b.id} and person_id = ${a.manager.id}`;
  expect(await write()).toBeNull();
  expect(await states()).toEqual(['suspended']);
});

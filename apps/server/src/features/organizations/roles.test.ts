import {
  addMember,
  changeMember,
  createRole,
  deleteRole,
  listMembers,
  listOrganizationRoles,
  listRoles,
  replaceRole,
} from '@vestibule/contract/organizations';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { createOrganizationSite, type OrganizationSite } from './test-organizations.ts';

let site: OrganizationSite;
let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
beforeEach(async () => {
  site = await createOrganizationSite();
  ({ t, admin, a } = site);
});
afterEach(() => t.close());

const paramsOf = (organization: { id: string }) => ({ organizationId: organization.id });
const readMembers = async (token: string, organization: { id: string }, query = {}) =>
  (await t.call(listMembers, { token, params: paramsOf(organization), query })).body;

describe('roles (R3)', () => {
  const createHelpDesk = async (permissions = ['members.read', 'members.write']) =>
    (await t.callAs(admin, createRole, { body: { name: 'Help desk', permissions } })).body;
  const give = (token: string, person: TestPerson, roleId: string) =>
    t.call(changeMember, { token, params: { ...paramsOf(a), personId: person.id }, body: { roleId } });

  test('a role is a set of permissions, effective from the next request', async () => {
    const role = await createHelpDesk(['members.read']);
    expect((await give(a.manager.token, a.member, role.id)).body).toMatchObject({ roleName: 'Help desk' });
    expect((await readMembers(a.member.token, a)).rows).toHaveLength(2);
    await t.callAs(admin, replaceRole, {
      params: { roleId: role.id },
      body: { name: 'Reader', permissions: [] },
    });
    const refused = await t.callAs(a.member, listMembers, { params: paramsOf(a), query: {} });
    expect(refused.body.code).toBe('organization.permission_needed');
  });

  test('no role has the name of a built-in one', async () => {
    const body = { name: 'Manager', permissions: [] };
    expect((await t.callAs(admin, createRole, { body })).body.code).toBe('organization.role_taken');
    const { id } = await createHelpDesk();
    const renamed = await t.callAs(admin, replaceRole, { params: { roleId: id }, body });
    expect(renamed.body.code).toBe('organization.role_taken');
  });

  test('a permission that one does not have can be neither given nor taken', async () => {
    const role = await createHelpDesk();
    const third = await t.join('third@acme.example');
    await t.callAs(admin, addMember, { params: paramsOf(a), body: { personId: third.id } });
    await give(a.manager.token, a.member, role.id);
    const helper = a.member.token;
    expect((await give(helper, third, 'manager')).body.code).toBe('organization.role_too_high');
    expect((await give(helper, a.manager, 'member')).body.code).toBe('organization.role_too_high');
    expect((await give(helper, a.member, 'manager')).body.code).toBe('organization.role_too_high');
    const { rows } = (await t.call(listOrganizationRoles, { token: helper, params: paramsOf(a) })).body;
    expect(rows.map(({ id, mayGive }) => [id, mayGive])).toEqual([
      ['manager', false],
      ['member', true],
      [role.id, true],
    ]);
  });

  test('a role in use, an unknown permission and the built-in roles are protected', async () => {
    const role = await createHelpDesk();
    await give(a.manager.token, a.member, role.id);
    const remove = (roleId: string) => t.callAs(admin, deleteRole, { params: { roleId } });
    expect((await remove(role.id)).body.code).toBe('organization.role_in_use');
    expect((await remove('manager')).body.code).toBe('organization.built_in_role');
    await give(a.manager.token, a.member, 'member');
    expect((await remove(role.id)).status).toBe(200);
    const unknown = await t.callAs(admin, createRole, { body: { name: 'X', permissions: ['all.write'] } });
    expect(unknown.body.fields).toEqual({ permissions: 'There is no permission all.write.' });
    expect((await give(a.manager.token, a.member, role.id)).body.code).toBe('organization.role_not_found');
    expect((await t.callAs(admin, listRoles)).body.rows.map(({ id }) => id)).toEqual(['manager', 'member']);
  });
});

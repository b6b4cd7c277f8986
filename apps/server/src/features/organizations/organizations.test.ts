import {
  exportOrganizationActivity,
  listActivity,
  listOrganizationActivity,
} from '@vestibule/contract/activity';
import { inviteToOrganization } from '@vestibule/contract/invitations/in-organization';
import {
  addMember,
  changeMember,
  changeOrganization,
  createOrganization,
  deleteOrganization,
  exportMembers,
  getOrganization,
  leaveOrganization,
  listMembers,
  listOrganizations,
  removeMember,
} from '@vestibule/contract/organizations';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import { createOrganizations, type OrganizationRow } from '@vestibule/contract/organizations/batch';
import { downloadMyData } from '@vestibule/contract/profile';
import { changeRole, disablePerson, removePerson } from '@vestibule/contract/people';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { createOrganizationSite, type OrganizationSite } from './test-organizations.ts';

let site: OrganizationSite;
let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
let b: OrganizationSite['b'];
beforeEach(async () => {
  site = await createOrganizationSite();
  ({ t, admin, a, b } = site);
});
afterEach(() => t.close());

const paramsOf = (organization: { id: string }) => ({ organizationId: organization.id });
const readMembers = async (token: string, organization: { id: string }, query = {}) =>
  (await t.call(listMembers, { token, params: paramsOf(organization), query })).body;
async function withoutManager() {
  const filters = JSON.stringify([{ column: 'group', is: 'oneOf', values: ['withoutManager'] }]);
  return (await t.callAs(admin, listOrganizations, { query: { filters } })).body.rows;
}
const emailsOf = ({ rows }: { rows: { email: string }[] }) => rows.map(({ email }) => email).toSorted();

test('the default orders of members and of invitations of an organization have indexes (U3)', async () => {
  const indexes =
    await t.scalars<string>`select indexdef as definition from pg_indexes where tablename in ('memberships', 'invitations')`;
  const definitions = indexes.join('\n');
  expect(definitions).toContain('memberships USING btree (organization_id, joined_at, person_id)');
  expect(definitions).toContain('invitations USING btree (organization_id, created_at, id)');
});

describe('organizations (R1)', () => {
  test('are listed with their members, searched and filtered', async () => {
    const { body } = await t.callAs(admin, listOrganizations, { query: { search: 'ACM' } });
    expect(body).toMatchObject({
      rows: [{ id: a.id, name: 'The acme', slug: 'acme', status: 'active', memberCount: 2, seatLimit: null }],
      total: 1,
    });
  });

  test('a short name has at most 50 small letters, digits and hyphens between them', async () => {
    for (const slug of ['Acme', '-acme', 'acme-', 'ac me', '', 'a'.repeat(51), 'müller']) {
      const { status, body } = await t.callAs(admin, createOrganization, { body: { name: 'Acme', slug } });
      expect([slug, status, body.code]).toEqual([slug, 400, 'request.invalid']);
    }
  });

  test('a short name is unique, and free again after a deletion', async () => {
    const create = () => t.callAs(admin, createOrganization, { body: { name: 'Acme 2', slug: 'acme' } });
    const { body } = await create();
    expect(body.code).toBe('organization.slug_taken');
    // So that forms show the message at the field.
    expect(body.fields).toEqual({ slug: body.message });
    const refused = await t.callAs(admin, changeOrganization, {
      params: paramsOf(b),
      body: { slug: 'acme' },
    });
    expect(refused.body.code).toBe('organization.slug_taken');
    const remove = (version: number) =>
      t.callAs(admin, deleteOrganization, { params: paramsOf(a), query: { version } });
    expect((await remove(2)).body.code).toBe('organization.changed');
    expect((await remove(1)).status).toBe(200);
    const again = await create();
    expect(again.status).toBe(200);
    expect(again.body.id).not.toBe(a.id);
    // Nothing of the deleted organization belongs to its successor.
    expect((await readMembers(admin.token, again.body)).rows).toEqual([]);
    expect(await t.select`select from people where id = ${a.member.id}`).toHaveLength(1);
  });

  test('a change based on an outdated version is refused', async () => {
    const rename = (name: string) =>
      t.callAs(admin, changeOrganization, { params: paramsOf(a), query: { version: 1 }, body: { name } });
    expect((await rename('Acme Ltd')).body).toMatchObject({ name: 'Acme Ltd', version: 2 });
    expect((await rename('Other')).body.code).toBe('organization.changed');
  });

  test.each([
    ['suspended', { status: 'suspended' }],
    ['expired', { expiresAt: '2020-01-01T00:00:00Z' }],
  ] as const)(
    'a %s one is closed to its members from the next request, but not to site administrators',
    async (_, body) => {
      const read = (token: string) => t.call(getOrganization, { token, params: paramsOf(a) });
      expect((await read(a.manager.token)).status).toBe(200);
      await t.callAs(admin, changeOrganization, { params: paramsOf(a), body });
      expect((await read(a.manager.token)).body.code).toBe('organization.suspended');
      expect((await read(admin.token)).status).toBe(200);
      expect((await t.callAs(a.member, listMyOrganizations)).body.rows).toMatchObject([
        { organizationId: a.id, isSuspended: true },
      ]);
      await t.callAs(admin, changeOrganization, {
        params: paramsOf(a),
        body: { status: 'active', expiresAt: null },
      });
      expect((await read(a.member.token)).status).toBe(200);
    },
  );

  test('a full organization admits no further people', async () => {
    await t.callAs(admin, changeOrganization, { params: paramsOf(a), body: { seatLimit: 2 } });
    const added = await t.callAs(admin, addMember, { params: paramsOf(a), body: { personId: b.member.id } });
    expect(added.body.code).toBe('organization.full');
  });
});

describe('a list of organizations (R1)', () => {
  const create = async (rows: OrganizationRow[], dryRun = false) =>
    (await t.callAs(admin, createOrganizations, { body: { rows, dryRun } })).body;
  const count = async () => (await t.select('select from organizations')).length;

  test('is created as a whole, with derived short names', async () => {
    const rows = Array.from({ length: 998 }, (_, index) => ({ name: `Customer ${index}` }));
    rows.push({ name: 'Müller & Söhne' });
    expect(
      await create([...rows, { name: 'Last', slug: 'z', seatLimit: ' 5 ', expiresOn: '2027-12-31' }]),
    ).toEqual({
      created: 1_000,
      problems: [],
    });
    const { body } = await t.callAs(admin, listOrganizations, { query: { search: 'last' } });
    expect(body.rows).toMatchObject([{ slug: 'z', seatLimit: 5, expiresAt: '2028-01-01T00:00:00.000Z' }]);
    expect(await t.select`select from organizations where slug = 'mueller-soehne'`).toHaveLength(1);
    expect(
      await t.select(`select from audit_log where action = 'organization.created' and target_label = 'Last'`),
    ).toHaveLength(1);
  });

  test('is not created if a row has a problem; each is named', async () => {
    const { created, problems } = await create([
      { name: 'Fine' },
      { name: '  ' },
      { name: 'ACME', seatLimit: '5.5' },
      { name: 'Acme' },
      { name: 'fine!' },
      { name: '株式会社' },
      { name: 'Old', expiresOn: '31.12.2027' },
      { name: 'Leap', expiresOn: '2027-02-30' },
      { name: 'Bad', slug: 'Bad slug' },
    ]);
    expect(created).toBe(0);
    expect(problems.map(({ row, field, problem }) => [row, field, problem.message])).toEqual([
      [2, 'name', 'Enter a name.'],
      [2, 'slug', expect.stringContaining('Use 1 to 50 letters')],
      [3, 'seatLimit', expect.stringContaining('whole number')],
      [4, 'slug', 'Another organization has the short name acme.'],
      [5, 'slug', 'Row 1 has the same short name fine.'],
      [6, 'slug', 'No short name can be derived from this name. Enter one.'],
      [7, 'expiresOn', 'Enter a day such as 2027-12-31.'],
      [8, 'expiresOn', 'Enter a day such as 2027-12-31.'],
      [9, 'slug', expect.stringContaining('Use 1 to 50 letters')],
    ]);
    expect(await create([{ name: 'Fine' }], true)).toEqual({ created: 0, problems: [] });
    expect(await count()).toBe(2);
  });
});

describe('members (R2, R4)', () => {
  test('a member of two organizations appears in each with the role there', async () => {
    await t.callAs(admin, addMember, {
      params: paramsOf(b),
      body: { personId: a.member.id, roleId: 'manager' },
    });
    for (const query of [{}, { search: 'member@' }, { sort: 'email' as const }]) {
      const { rows } = await readMembers(a.manager.token, a, query);
      expect(rows.filter(({ id }) => id === a.member.id)).toMatchObject([{ roleId: 'member' }]);
    }
    expect(emailsOf(await readMembers(a.member.token, b))).toEqual([
      'manager@bolt.example',
      'member@acme.example',
      'member@bolt.example',
    ]);
    expect((await t.callAs(a.member, listMyOrganizations)).body.rows).toMatchObject([
      { slug: 'acme', roleId: 'member', managers: [{ email: 'manager@acme.example' }] },
      { slug: 'bolt', roleId: 'manager' },
    ]);
  });

  test('lists, searches and exports contain no members of other organizations', async () => {
    expect(emailsOf(await readMembers(a.manager.token, a))).toEqual([
      'manager@acme.example',
      'member@acme.example',
    ]);
    expect(await readMembers(a.manager.token, a, { search: 'bolt' })).toEqual({ rows: [], total: 0 });
    const filters = JSON.stringify([{ column: 'email', is: 'contains', text: 'bolt' }]);
    expect((await readMembers(a.manager.token, a, { filters })).total).toBe(0);
    const exported = await t.callAs(a.manager, exportMembers, {
      params: paramsOf(a),
      body: { ids: [a.member.id, b.member.id] },
    });
    expect(exported.text).toContain('member@acme.example');
    expect(exported.text).not.toContain('bolt');
  });

  test('a manager changes roles and removes members; the other memberships remain', async () => {
    await t.callAs(admin, addMember, { params: paramsOf(b), body: { personId: a.member.id } });
    const params = { ...paramsOf(a), personId: a.member.id };
    const changed = await t.callAs(a.manager, changeMember, { params, body: { roleId: 'manager' } });
    expect(changed.body).toMatchObject({ roleId: 'manager' });
    const removed = await t.callAs(a.manager, removeMember, { params });
    expect(removed.body).toEqual({ id: a.member.id, email: 'member@acme.example' });
    const read = (organization: { id: string }) =>
      t.callAs(a.member, getOrganization, { params: paramsOf(organization) });
    expect((await read(a)).status).toBe(404);
    expect((await read(b)).status).toBe(200);
  });

  test('a member leaves, but the last manager does not', async () => {
    const leave = async (person: TestPerson) => {
      const { status, body } = await t.callAs(person, leaveOrganization, { params: { slug: a.slug } });
      return body.code ?? status;
    };
    const person = await t.join('leaver@example.com');
    await t.callAs(admin, addMember, { params: paramsOf(a), body: { personId: person.id } });
    expect(await leave(person)).toBe(200);
    expect((await t.callAs(person, listMyOrganizations)).body.rows).toEqual([]);
    expect(await t.auditOf(person.id, 'member.removed')).toMatchObject([{ actor_id: person.id }]);
    expect(await leave(person)).toBe('organization.not_found');
    expect(await leave(a.manager)).toBe('organization.last_manager');
  });

  test('the activity of each organization shows that a member was removed from the site', async () => {
    const person = await t.join('removed@example.com');
    const body = { personId: person.id };
    for (const organization of [a, b])
      await t.callAs(admin, addMember, { params: paramsOf(organization), body });
    await t.callAs(admin, removePerson, { params: { personId: person.id } });
    for (const organization of [a, b]) {
      const { rows } = (
        await t.callAs(organization.manager, listOrganizationActivity, { params: paramsOf(organization) })
      ).body;
      expect(rows[0]).toMatchObject({
        action: 'member.removed',
        target: 'removed@example.com',
        detail: { organization: { id: organization.id, asSiteAdministrator: true } },
      });
    }
  });

  test('the last manager can neither be removed nor become a member', async () => {
    const params = { ...paramsOf(a), personId: a.manager.id };
    for (const { token } of [a.manager, admin]) {
      const demoted = await t.call(changeMember, { token, params, body: { roleId: 'member' } });
      expect(demoted.body.code).toBe('organization.last_manager');
      expect((await t.call(removeMember, { token, params })).body.code).toBe('organization.last_manager');
    }
  });

  test('one of two managers remains if each removes the other at once', async () => {
    const other = { ...paramsOf(a), personId: a.member.id };
    await t.callAs(admin, changeMember, { params: other, body: { roleId: 'manager' } });
    await Promise.all([
      t.callAs(admin, removeMember, { params: other }),
      t.callAs(admin, removeMember, { params: { ...other, personId: a.manager.id } }),
    ]);
    expect((await readMembers(admin.token, a)).rows).toHaveLength(1);
  });

  test('a manager cannot change the membership of a site administrator', async () => {
    await t.callAs(admin, addMember, { params: paramsOf(a), body: { personId: admin.id } });
    const params = { ...paramsOf(a), personId: admin.id };
    expect((await t.callAs(a.manager, removeMember, { params })).body.code).toBe(
      'organization.site_administrator',
    );
  });

  test('a disabled person does not count as a manager, and can be removed', async () => {
    const manager = { ...paramsOf(a), personId: a.manager.id };
    const other = { ...paramsOf(a), personId: a.member.id };
    await t.callAs(admin, changeMember, { params: other, body: { roleId: 'manager' } });
    await t.callAs(admin, disablePerson, { params: { personId: a.manager.id } });
    const leave = () => t.callAs(a.member, leaveOrganization, { params: { slug: a.slug } });
    expect((await leave()).body.code).toBe('organization.last_manager');
    expect(await withoutManager()).toEqual([]);
    await t.callAs(admin, disablePerson, { params: { personId: a.member.id } });
    expect(await withoutManager()).toMatchObject([{ id: a.id }]);
    expect((await t.callAs(admin, removeMember, { params: manager })).status).toBe(200);
  });

  test('the counts follow the removal of a person', async () => {
    await t.callAs(admin, removePerson, { params: { personId: a.manager.id }, query: { files: 'delete' } });
    expect(await withoutManager()).toMatchObject([{ id: a.id, memberCount: 1 }]);
  });

  test('the log names the organization, and that a site administrator acted as such', async () => {
    await t.callAs(a.manager, changeMember, {
      params: { ...paramsOf(a), personId: a.member.id },
      body: { roleId: 'manager' },
    });
    const { rows } = (await t.callAs(admin, listActivity, { query: { limit: 200 } })).body;
    const organization = { id: a.id, name: 'The acme' };
    expect(rows.find(({ action }) => action === 'member.role_changed')?.detail).toEqual({
      before: { role: 'member' },
      after: { role: 'manager' },
      organization,
    });
    expect(
      rows.find(({ action, target }) => action === 'member.added' && target === 'member@acme.example')
        ?.detail,
    ).toEqual({ role: 'member', organization: { ...organization, asSiteAdministrator: true } });
  });
});

describe('activity (R4)', () => {
  const changeMembersOf = (organization: OrganizationSite['a']) =>
    t.callAs(organization.manager, changeMember, {
      params: { ...paramsOf(organization), personId: organization.member.id },
      body: { roleId: 'manager' },
    });

  test('managers see what happened in their organization, without network addresses', async () => {
    await changeMembersOf(a);
    await changeMembersOf(b);
    const { rows, total } = (
      await t.callAs(a.manager, listOrganizationActivity, { params: paramsOf(a), query: {} })
    ).body;
    expect(rows.map(({ action, actor, target }) => [action, actor, target])).toEqual([
      ['member.role_changed', 'manager@acme.example', 'member@acme.example'],
      ['member.added', 'admin@example.com', 'member@acme.example'],
      ['member.added', 'admin@example.com', 'manager@acme.example'],
      ['organization.created', 'admin@example.com', 'The acme'],
    ]);
    expect(total).toBe(4);
    expect(JSON.stringify(rows)).not.toContain('127.0.0.1');
  });

  test('managers do not learn from it whether an invited address has an account', async () => {
    const invited = { params: paramsOf(a), body: { email: b.member.email } };
    await t.callAs(a.manager, inviteToOrganization, invited);
    const entryFor = async (call: object) =>
      (await t.callAs(a.manager, listOrganizationActivity, { params: paramsOf(a), query: call })).body
        .rows[0];
    expect(await entryFor({ search: 'invitation.created' })).toMatchObject({
      target: b.member.email,
      targetPerson: null,
    });
  });

  test('an export contains only entries of the organization, and is one itself', async () => {
    const exportIt = () => t.callAs(a.manager, exportOrganizationActivity, { params: paramsOf(a), body: {} });
    expect((await exportIt()).text).not.toContain('bolt');
    expect((await exportIt()).text).toContain('activity.exported');
  });

  test('the own data of a person name their organizations', async () => {
    const data = JSON.parse((await t.callAs(a.member, downloadMyData)).text) as object;
    expect(data).toMatchObject({
      organizations: [{ slug: 'acme', role: 'member', addedBy: 'admin@example.com' }],
    });
  });
});

test('an administrator of the site who becomes a member again has only the permissions of their membership', async () => {
  const second = await t.join('second@example.com', 'admin');
  await t.callAs(admin, changeRole, { params: { personId: second.id }, body: { role: 'member' } });
  const { status } = await t.callAs(second, getOrganization, { params: paramsOf(a) });
  expect(status).toBe(404);
});

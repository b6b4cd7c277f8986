import { getInvitation, invite, listInvitations } from '@vestibule/contract/invitations';
import {
  actOnOrganizationInvitations,
  changeOrganizationInvitationAddress,
  checkOrganizationInvitations,
  countOrganizationInvitations,
  createOrganizationBatch,
  exportOrganizationInvitations,
  getOrganizationBatch,
  getOrganizationInvitation,
  getOrganizationInvitationLink,
  listOrganizationBatches,
  listOrganizationInvitations,
  renewOrganizationInvitation,
  resendOrganizationInvitation,
  revokeOrganizationInvitation,
  undoOrganizationBatch,
} from '@vestibule/contract/invitations/in-organization';
import { changeMember, createRole, deleteRole } from '@vestibule/contract/organizations';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from './test-organizations.ts';

let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
let b: OrganizationSite['b'];
beforeEach(async () => {
  ({ t, admin, a, b } = await createOrganizationSite());
});
afterEach(() => t.close());

const { inOrganization, inviteTo, one, signUp, organizationsOf } = createInvitingHelpers(() => t);

describe('a manager invites (R4)', () => {
  test('and the invitee joins the site and the organization, with the role', async () => {
    const { status, body } = await inviteTo(a, 'new@acme.example', { role: 'Manager' });
    expect([status, body]).toMatchObject([
      200,
      { role: 'member', organizationId: a.id, organizationRoleId: 'manager', createdBy: a.manager.email },
    ]);
    const joined = await signUp('new@acme.example', body.id);
    expect(await organizationsOf(joined.token)).toEqual([['acme', 'manager']]);
    const { body: listed } = await t.call(listOrganizationInvitations, inOrganization(a));
    expect(listed.rows).toMatchObject([{ id: body.id, status: 'redeemed', organizationName: 'The acme' }]);
    expect((await t.call(listOrganizationInvitations, inOrganization(b))).body.rows).toEqual([]);
  });

  test('by a mail that names the organization', async () => {
    const { body } = await inviteTo(a, 'new@acme.example', { message: 'Welcome' });
    const mail = await t.mailTemplates['invitation']?.write(`${body.id}/1`);
    expect(mail?.subject).toBe('Your invitation to The acme (Vestibule)');
    expect(mail?.text).toContain(`(${a.manager.email}) invites you to The acme (Vestibule).`);
    expect(mail?.text).toContain('Welcome');
  });

  test('only with roles that exist and whose permissions they have', async () => {
    const { body: role } = await t.callAs(admin, createRole, {
      body: { name: 'Recruiter', permissions: ['invitations.read', 'invitations.write'] },
    });
    await t.call(changeMember, {
      ...inOrganization(a),
      params: { organizationId: a.id, personId: a.member.id },
      body: { roleId: role.id },
    });
    const invited = async (name: string) =>
      (await inviteTo(a, `new-${name}@acme.example`, { role: name }, a.member.token)).body.code ?? 'invited';
    expect(await invited('recruiter')).toBe('invited');
    expect(await invited('member')).toBe('invited');
    expect(await invited('manager')).toBe('organization.role_too_high');
    expect(await invited('owner')).toBe('organization.role_not_found');
    // A role that was promised cannot be deleted.
    await t.call(changeMember, {
      ...inOrganization(a),
      params: { organizationId: a.id, personId: a.member.id },
      body: { roleId: 'member' },
    });
    const deleted = await t.callAs(admin, deleteRole, { params: { roleId: role.id } });
    expect(deleted.body.code).toBe('organization.role_in_use');
  });

  test('an address once, and not a member', async () => {
    await inviteTo(a, 'new@acme.example');
    expect((await inviteTo(a, 'New@Acme.example')).body.code).toBe('invitation.already_invited');
    expect((await inviteTo(a, a.member.email)).body.code).toBe('invitation.already_member');
  });

  test('copies the link only for an address in a verified domain of the organization, because it proves the address', async () => {
    const [own, foreign] = [await inviteTo(a, 'new@acme.example'), await inviteTo(a, 'ceo@bolt.example')];
    const linkOf = async ({ body }: typeof own, more = {}) => {
      const response = await t.call(getOrganizationInvitationLink, { ...one(a, body.id), ...more });
      return response.body.link ?? response.body.code;
    };
    expect(await linkOf(own)).toBe('invitation.link_is_proof');
    await t.select`
      insert into organization_domains (organization_id, domain, state, token, created_at)
      select id, domain, 'verified', gen_random_uuid(), now()
      from (values (${a.id}::uuid, 'acme.example'), (${b.id}::uuid, 'bolt.example')) as of (id, domain)`;
    expect(await linkOf(own)).toContain('/signup?i=');
    expect(await linkOf(foreign)).toBe('invitation.link_is_proof');
    expect(await linkOf(foreign, { token: admin.token })).toContain('/signup?i=');
  });

  test('needs the permissions of the role to copy the link or change the address of an invitation', async () => {
    const { body: role } = await t.callAs(admin, createRole, {
      body: { name: 'Recruiter', permissions: ['invitations.read', 'invitations.write'] },
    });
    await t.call(changeMember, {
      ...inOrganization(a),
      params: { organizationId: a.id, personId: a.member.id },
      body: { roleId: role.id },
    });
    await t.select`
      insert into organization_domains (organization_id, domain, state, token, created_at)
      values (${a.id}, 'acme.example', 'verified', gen_random_uuid(), now())`;
    const attempt = async (invitationRole: string, token: string) => {
      const { body } = await inviteTo(a, `new-${invitationRole}@acme.example`, { role: invitationRole });
      const copied = await t.call(getOrganizationInvitationLink, { ...one(a, body.id), token });
      const moved = await t.call(changeOrganizationInvitationAddress, {
        ...one(a, body.id),
        token,
        body: { email: `other-${invitationRole}@acme.example` },
      });
      return [copied.body.code ?? 'copied', moved.body.code ?? 'changed'];
    };
    expect(await attempt('manager', a.member.token)).toEqual([
      'organization.role_too_high',
      'organization.role_too_high',
    ]);
    expect(await attempt('member', a.member.token)).toEqual(['copied', 'changed']);
    const { body: listed } = await t.call(listOrganizationInvitations, inOrganization(a));
    expect(listed.rows.map(({ email }) => email).toSorted()).toEqual([
      'new-manager@acme.example',
      'other-member@acme.example',
    ]);
  });

  test('resends, renews and revokes', async () => {
    const { body } = await inviteTo(a, 'new@acme.example');
    await t.select`update invitations set mail_state = 'sent' where id = ${body.id}`;
    expect((await t.call(resendOrganizationInvitation, one(a, body.id))).body.mailState).toBe('queued');
    await t.select`update invitations set expires_at = created_at where id = ${body.id}`;
    const renewed = await t.call(renewOrganizationInvitation, { ...one(a, body.id), body: {} });
    expect(renewed.body.status).toBe('pending');
    expect((await t.call(revokeOrganizationInvitation, one(a, body.id))).body.status).toBe('revoked');
    expect((await signUp('new@acme.example', body.id)).code).toBe('person.invitation_revoked');
    const details = await t.call(getOrganizationInvitation, one(a, body.id));
    expect(details.body.timeline.map(({ kind, by }) => [kind, by])).toContainEqual([
      'revoked',
      a.manager.email,
    ]);
  });
});

describe('invitations of other organizations (R6)', () => {
  test('are neither listed, counted, exported nor found by a check', async () => {
    await inviteTo(a, 'secret@bolt.example');
    await t.callAs(admin, invite, { body: { email: 'site@bolt.example' } });
    const list = await t.call(listOrganizationInvitations, inOrganization(b));
    expect(list.body).toEqual({ rows: [], total: 0 });
    expect((await t.call(countOrganizationInvitations, inOrganization(b))).body.all).toBe(0);
    const exported = await t.call(exportOrganizationInvitations, {
      ...inOrganization(b),
      body: { format: 'csv', columns: ['email'] },
    });
    expect(exported.text).not.toContain('@bolt.example');
    const rows = ['secret@bolt.example', 'site@bolt.example', a.member.email, 'secrct@bolt.example'];
    const check = await t.call(checkOrganizationInvitations, {
      ...inOrganization(b),
      body: { rows: rows.map((email) => ({ email })) },
    });
    expect(check.body.rows.map(({ verdict }) => verdict)).toEqual(['new', 'new', 'new', 'new']);
    const own = await t.call(checkOrganizationInvitations, {
      ...inOrganization(a),
      body: {
        rows: [...rows.slice(0, 3).map((email) => ({ email })), { email: 'x@a.example', role: 'owner' }],
      },
    });
    expect(own.body.rows.map(({ verdict }) => verdict)).toEqual(['invited', 'new', 'member', 'invalid']);
  });

  test('are skipped by an action on several', async () => {
    const own = (await inviteTo(b, 'own@bolt.example')).body.id;
    const foreign = (await inviteTo(a, 'foreign@acme.example')).body.id;
    const { body } = await t.call(actOnOrganizationInvitations, {
      ...inOrganization(b),
      body: { action: 'revoke', selection: { ids: [own, foreign] } },
    });
    expect(body).toMatchObject({ done: 1, skipped: [{ id: foreign, label: '' }] });
    expect((await t.call(getOrganizationInvitation, one(a, foreign))).body.status).toBe('pending');
    const all = await t.call(actOnOrganizationInvitations, {
      ...inOrganization(b),
      body: { action: 'revoke', selection: { all: { total: 2 } } },
    });
    expect(all.body.done).toBe(0);
  });

  test('cannot flood an address by revoking and inviting again', async () => {
    const inviteAndRevoke = async () => {
      const { status, body } = await inviteTo(a, 'victim@elsewhere.example');
      if (status === 200) await t.call(revokeOrganizationInvitation, one(a, body.id));
      return status;
    };
    for (let count = 1; count <= 10; count += 1) expect(await inviteAndRevoke()).toBe(200);
    expect(await inviteAndRevoke()).toBe(429);
    const listed = {
      headers: { 'idempotency-key': 'flood' },
      body: { rows: [{ email: 'other@elsewhere.example' }, { email: 'VICTIM@elsewhere.example' }] },
    };
    const mostUsed = () => t.select('select max(used) from rate_limits');
    const before = await mostUsed();
    expect((await t.call(createOrganizationBatch, { ...inOrganization(a), ...listed })).status).toBe(429);
    expect(await mostUsed()).toEqual(before);
    expect((await inviteTo(a, 'other@elsewhere.example')).status).toBe(200);
    expect((await inviteTo(b, 'victim@elsewhere.example')).status).toBe(200);
  });

  test('a batch belongs to one organization', async () => {
    const request = {
      headers: { 'idempotency-key': 'list-1' },
      body: { rows: [{ email: 'one@acme.example' }, { email: 'two@acme.example', role: 'manager' }] },
    };
    const { body: batch } = await t.call(createOrganizationBatch, { ...inOrganization(a), ...request });
    expect(batch.counts).toEqual({ created: 2, sentAgain: 0, skipped: 0 });
    const ofBatch = (organization: OrganizationSite['a']) => ({
      token: organization.manager.token,
      params: { organizationId: organization.id, batchId: batch.id },
    });
    expect((await t.call(getOrganizationBatch, ofBatch(b))).status).toBe(404);
    expect((await t.call(undoOrganizationBatch, ofBatch(b))).status).toBe(404);
    expect((await t.call(listOrganizationBatches, inOrganization(b))).body.rows).toEqual([]);
    const [two] = await t.select<{ id: string }>(
      "select id from invitations where email = 'two@acme.example'",
    );
    const joined = await signUp('two@acme.example', two?.id);
    expect(await organizationsOf(joined.token)).toEqual([['acme', 'manager']]);
    const undone = await t.call(undoOrganizationBatch, ofBatch(a));
    expect(undone.body).toMatchObject({ redeemed: 1, revoked: 1, open: 0 });
  });

  test('are seen by site administrators, with the organization', async () => {
    const { body } = await inviteTo(a, 'new@acme.example');
    const { body: listed } = await t.callAs(admin, listInvitations);
    expect(listed.rows.find(({ id }) => id === body.id)).toMatchObject({
      organizationId: a.id,
      organizationName: 'The acme',
    });
    const details = await t.callAs(admin, getInvitation, { params: { invitationId: body.id } });
    expect(details.body.organizationName).toBe('The acme');
  });
});

test('the log of the organization names who invited and who joined', async () => {
  const { body } = await inviteTo(a, 'new@acme.example', {}, admin.token);
  await signUp('new@acme.example', body.id);
  const entries = await t.select<{ action: string; organization: object }>`
    select action, detail -> 'organization' as organization from audit_log where target_id = ${body.id} order by id`;
  expect(entries).toEqual([
    {
      action: 'invitation.created',
      organization: { id: a.id, name: 'The acme', asSiteAdministrator: true },
    },
    { action: 'invitation.redeemed', organization: { id: a.id, name: 'The acme' } },
  ]);
});

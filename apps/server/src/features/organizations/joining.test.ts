import { getInvitation, invite } from '@vestibule/contract/invitations';
import {
  countOrganizationInvitations,
  createOrganizationBatch,
  getOrganizationInvitationLink,
  inviteToOrganization,
} from '@vestibule/contract/invitations/in-organization';
import { getInvitationLinkState, getInviteToken } from '@vestibule/contract/invitations/link';
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
} from '@vestibule/contract/invitations/mine';
import { changeMember, changeOrganization, deleteOrganization } from '@vestibule/contract/organizations';
import { changeRole } from '@vestibule/contract/people';
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

const mine = (person: { token: string }, invitationId: string) => ({
  token: person.token,
  params: { invitationId },
});
const { inOrganization, inviteTo, one, signUp, organizationsOf, memberEmails } = createInvitingHelpers(
  () => t,
);

describe('an address invited by several (R2)', () => {
  test('joins with the link of one, and accepts the other afterwards', async () => {
    const first = (await inviteTo(a, 'ada@example.com')).body;
    const second = (await inviteTo(b, 'ada@example.com', { role: 'manager' })).body;
    const site = await t.callAs(admin, invite, { body: { email: 'ada@example.com' } });
    expect(site.status).toBe(200);
    const ada = await signUp('ada@example.com', first.id);
    expect(await organizationsOf(ada.token)).toEqual([['acme', 'member']]);
    // The invitation to the site has no purpose any more.
    const ended = await t.callAs(admin, getInvitation, { params: { invitationId: site.body.id } });
    expect(ended.body.status).toBe('replaced');

    const { body: open } = await t.callAs(ada, listMyInvitations);
    expect(open.rows).toMatchObject([
      { id: second.id, organizationName: 'The bolt', roleId: 'manager', inviter: 'Someone' },
    ]);
    const accepted = await t.call(acceptMyInvitation, mine(ada, second.id));
    expect(accepted.body).toMatchObject({ slug: 'bolt', name: 'The bolt' });
    expect(await organizationsOf(ada.token)).toEqual([
      ['acme', 'member'],
      ['bolt', 'manager'],
    ]);
    expect((await t.call(acceptMyInvitation, mine(ada, second.id))).body.code).toBe('invitation.not_pending');
  });

  test('without a link, the invitation to the site comes first, and no organization is joined unasked', async () => {
    await inviteTo(a, 'ada@example.com');
    await t.callAs(admin, invite, { body: { email: 'ada@example.com' } });
    const ada = await signUp('ada@example.com');
    expect(ada.status).toBe(200);
    expect(await organizationsOf(ada.token)).toEqual([]);
    expect((await t.callAs(ada, listMyInvitations)).body.rows).toHaveLength(1);
  });
});

describe('an invitation to a person with an account', () => {
  test('can be declined, and only the invited person can accept it', async () => {
    const { body } = await inviteTo(a, b.member.email);
    expect((await t.call(acceptMyInvitation, mine(b.manager, body.id))).status).toBe(404);
    expect((await t.call(declineMyInvitation, mine(b.manager, body.id))).status).toBe(404);
    expect((await t.call(declineMyInvitation, mine(b.member, body.id))).status).toBe(200);
    expect((await t.call(acceptMyInvitation, mine(b.member, body.id))).body.code).toBe(
      'invitation.not_pending',
    );
    expect(await memberEmails(a)).not.toContain(b.member.email);
  });

  test('is announced by its link, but creates no second account', async () => {
    const { body } = await inviteTo(a, b.member.email);
    const { link } = (await t.call(getOrganizationInvitationLink, { ...one(a, body.id), token: admin.token }))
      .body;
    const code = new URL(link).searchParams.get('i') as string;
    const state = await t.call(getInvitationLinkState, { body: { code } });
    expect(state.body).toMatchObject({ state: 'open', organization: 'The acme', acceptAfterSignIn: body.id });
    const token = await t.call(getInviteToken, { body: { code } });
    expect(token.body).toMatchObject({ Succeeded: false, ErrorMessage: 'AlreadySignedUp' });
  });

  test('of another identity with the same address is refused', async () => {
    const { body } = await inviteTo(a, b.member.email);
    const { code } = await t.signIn(b.member.email, { sub: 'another', invitationId: body.id });
    expect(code).toBe('person.has_other_account');
    expect(await memberEmails(a)).not.toContain(b.member.email);
  });
});

describe('an open invitation cannot be redeemed', () => {
  test('for more than the role member, if neither the invitation nor the address is proven', async () => {
    await inviteTo(a, 'boss@acme.example', { role: 'manager' });
    await inviteTo(a, 'worker@acme.example');
    expect((await signUp('boss@acme.example')).code).toBe('person.organization_role_unproven');
    expect((await signUp('worker@acme.example')).status).toBe(200);
  });

  test.each(['manager', 'member'])('for the role %s, if the inviter is no manager any more', async (role) => {
    const { body: second } = await inviteTo(a, 'second@acme.example', { role: 'manager' });
    const other = await signUp('second@acme.example', second.id);
    const { body } = await inviteTo(a, 'friend@acme.example', { role });
    const demoted = await t.callAs(other, changeMember, {
      params: { organizationId: a.id, personId: a.manager.id },
      body: { roleId: 'member' },
    });
    expect(demoted.status).toBe(200);
    const friend = await signUp('friend@acme.example', body.id);
    // A plain membership gives nothing that the inviter did not have.
    expect(friend.code).toBe(role === 'member' ? undefined : 'invitation.inviter_lost_role');
    const { body: existing } = await t.call(inviteToOrganization, {
      ...inOrganization(a, other.token),
      body: { email: b.member.email, role },
    });
    await t.select`update invitations set created_by_id = ${a.manager.id} where id = ${existing.id}`;
    const accepted = await t.call(acceptMyInvitation, mine(b.member, existing.id));
    expect(accepted.body.code).toBe(role === 'member' ? undefined : 'invitation.inviter_lost_role');
  });

  test('while the organization is suspended', async () => {
    const { body } = await inviteTo(a, 'new@acme.example');
    const { body: ofMember } = await inviteTo(a, b.member.email);
    const { link } = (await t.call(getOrganizationInvitationLink, { ...one(a, body.id), token: admin.token }))
      .body;
    const set = (status: 'active' | 'suspended') =>
      t.callAs(admin, changeOrganization, { params: { organizationId: a.id }, body: { status } });
    await set('suspended');
    expect((await signUp('new@acme.example', body.id)).code).toBe('organization.suspended');
    const code = new URL(link).searchParams.get('i') as string;
    expect((await t.call(getInvitationLinkState, { body: { code } })).body.state).toBe('suspended');
    expect((await t.call(acceptMyInvitation, mine(b.member, ofMember.id))).body.code).toBe(
      'organization.suspended',
    );
    expect((await t.callAs(b.member, listMyInvitations)).body.rows).toMatchObject([{ isSuspended: true }]);
    for (const { body: refused } of [
      await inviteTo(a, 'late@acme.example', {}, admin.token),
      await t.call(createOrganizationBatch, {
        ...inOrganization(a, admin.token),
        headers: { 'idempotency-key': 'suspended' },
        body: { rows: [{ email: 'late@acme.example' }] },
      }),
    ])
      expect(refused.code).toBe('invitation.organization_suspended');
    await set('active');
    expect((await signUp('new@acme.example', body.id)).status).toBe(200);
  });

  test('after the organization was deleted', async () => {
    const { body } = await inviteTo(a, 'new@acme.example');
    await t.callAs(admin, deleteOrganization, { params: { organizationId: a.id } });
    expect((await signUp('new@acme.example', body.id)).code).toBe('person.invitation_revoked');
    const details = await t.callAs(admin, getInvitation, { params: { invitationId: body.id } });
    expect(details.body).toMatchObject({ status: 'revoked', organizationId: null });
  });

  test('beyond the seat limit: of 64 sign-ups at once, exactly the free seats are admitted', async () => {
    await t.callAs(admin, changeOrganization, { params: { organizationId: a.id }, body: { seatLimit: 12 } });
    const rows = Array.from({ length: 64 }, (_, index) => ({ email: `p${index}@acme.example` }));
    await t.call(createOrganizationBatch, {
      ...inOrganization(a),
      headers: { 'idempotency-key': 'seats' },
      body: { rows },
    });
    const results = await Promise.all(rows.map(({ email }) => signUp(email)));
    // A manager and a member were there before.
    expect(results.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(new Set(results.map(({ code }) => code))).toEqual(new Set([undefined, 'organization.full']));
    expect(await memberEmails(a)).toHaveLength(12);
    const open = await t.call(countOrganizationInvitations, inOrganization(a));
    expect(open.body).toMatchObject({ waiting: 54, joined: 10 });
    const refused = await t.select(
      "select from invitation_events where kind = 'refused' and about = 'no free seat'",
    );
    expect(refused).toHaveLength(54);
    const accepted = await inviteTo(a, b.member.email);
    expect((await t.call(acceptMyInvitation, mine(b.member, accepted.body.id))).body.code).toBe(
      'organization.full',
    );
  });
});

test('an administrator of the site who is demoted keeps invitations to the role member only', async () => {
  const second = await t.join('second@example.com', 'admin');
  const { body } = await inviteTo(a, 'new@acme.example', { role: 'manager' }, second.token);
  await t.callAs(admin, changeRole, { params: { personId: second.id }, body: { role: 'member' } });
  expect((await signUp('new@acme.example', body.id)).code).toBe('invitation.inviter_lost_role');
});

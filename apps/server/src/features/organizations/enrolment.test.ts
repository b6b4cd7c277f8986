/** Joining by the verified domain of an address: requests that a manager approves, and by one click (R7). */
import { listOrganizationActivity } from '@vestibule/contract/activity';
import { listOrganizationInvitations } from '@vestibule/contract/invitations/in-organization';
import { addMember, changeOrganization, createRole, removeMember } from '@vestibule/contract/organizations';
import type { Enrolment } from '@vestibule/contract/organizations/domains';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import {
  approveMembershipRequest,
  declineMembershipRequest,
  joinOrganization,
  listJoinableOrganizations,
  listMembershipRequests,
} from '@vestibule/contract/organizations/requests';
import { removePerson } from '@vestibule/contract/people';
import { erasePerson } from '@vestibule/contract/people/removed';
import { changeSettings, getSettings } from '@vestibule/contract/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectionMethodOf } from '../../platform/config/sign-in-methods.ts';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { deleteOldRequests } from './request-store.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from './test-organizations.ts';

const day = 24 * 3_600_000;

let t: TestApp;
let admin: TestPerson;
let a: OrganizationSite['a'];
let b: OrganizationSite['b'];
beforeEach(async () => {
  ({ t, admin, a, b } = await createOrganizationSite({ environment: { SIGN_IN_WITH: 'passkeys,b2c' } }));
});
afterEach(() => t.close());

const { memberEmails, inOrganization } = createInvitingHelpers(() => t);

/** Stores a verified domain of an organization. */
async function open(enrolment: Enrolment, { of = a, domain = 'acme.example', roleId = 'member' } = {}) {
  await t.select`
    insert into organization_domains (organization_id, domain, state, token, enrolment, role_id, created_at)
    values (${of.id}, ${domain}, 'verified', gen_random_uuid(), ${enrolment}, ${roleId}, now())
    on conflict (organization_id, domain) do update set enrolment = ${enrolment}`;
}

/** Person with an account, whose address a sign-in has verified. */
async function verifiedPerson(email = 'ann@acme.example') {
  const person = await t.join(email);
  return { ...person, token: (await t.signIn(email)).token };
}

const joinable = async ({ token }: { token: string }) =>
  (await t.call(listJoinableOrganizations, { token })).body.rows;
const join = ({ token }: { token: string }, organization = a) =>
  t.call(joinOrganization, { token, params: { organizationId: organization.id } });
const requestsOf = async (organization = a) =>
  (await t.call(listMembershipRequests, inOrganization(organization))).body;
const organizationsOf = async (token: string) =>
  (await t.call(listMyOrganizations, { token })).body.rows.map(({ slug, roleId }) => [slug, roleId]);
const firstRequest = async () => {
  const [request] = (await requestsOf()).rows;
  return { organizationId: a.id, requestId: request?.id as string };
};
const approve = async (roleId?: string, token = a.manager.token) =>
  t.call(approveMembershipRequest, {
    token,
    params: await firstRequest(),
    body: roleId === undefined ? {} : { roleId },
  });
const decline = async () => t.callAs(a.manager, declineMembershipRequest, { params: await firstRequest() });
const change = (body: object) =>
  t.callAs(admin, changeOrganization, { params: { organizationId: a.id }, body });
async function setSettings(values: object) {
  const settings = (await t.callAs(admin, getSettings)).body as Record<string, unknown>;
  const versions = Object.fromEntries(
    Object.keys(values).map((name) => [name, (settings[name] as { version: number }).version]),
  );
  const body = { ...values, versions };
  expect((await t.callAs(admin, changeSettings, { body })).status).toBe(200);
}
const mailsOf = async (template: string) => {
  const jobs = await t.select<{ subject: string }>`
    select data ->> 'subjectId' as subject from jobs.job where data ->> 'template' = ${template} order by created_on`;
  return Promise.all(jobs.map(async ({ subject }) => t.mailTemplates[template]?.write(subject)));
};

describe('a request of a user without an account', () => {
  test('is sent to the managers once, and creates no account', async () => {
    await open('request');
    for (let time = 0; time < 3; time += 1)
      expect((await t.signIn('ann@acme.example')).code).toBe('person.join_requested');
    expect(await t.select(`select from people where email = 'ann@acme.example'`)).toEqual([]);
    expect(await requestsOf()).toMatchObject({
      total: 1,
      rows: [{ email: 'ann@acme.example', hasAccount: false, roleId: 'member' }],
    });
    const mails = await mailsOf('membership-request');
    expect(mails).toMatchObject([
      { to: { address: a.manager.email }, subject: 'ann@acme.example asks to join The acme (Vestibule)' },
    ]);
    expect(mails[0]?.text).toContain('/layout/organization/acme/members');
    expect((await requestsOf(b)).total).toBe(0);
  });

  test('is answered by an invitation with the role', async () => {
    await open('request');
    await t.signIn('ann@acme.example');
    expect((await approve('manager')).body).toEqual({
      outcome: 'invited',
      email: 'ann@acme.example',
    });
    expect((await requestsOf()).total).toBe(0);
    const [invitation] = (await t.call(listOrganizationInvitations, inOrganization(a))).body.rows;
    expect(invitation).toMatchObject({ email: 'ann@acme.example', mailState: 'queued' });
    expect(await organizationsOf((await t.signIn('ann@acme.example')).token)).toEqual([['acme', 'manager']]);
  });

  test('can be declined, and repeated after 30 days', async () => {
    await open('request');
    await t.signIn('ann@acme.example');
    expect((await decline()).status).toBe(200);
    expect(await mailsOf('membership-declined')).toMatchObject([
      {
        to: { address: 'ann@acme.example' },
        subject: 'Your request to join The acme (Vestibule) was declined',
      },
    ]);
    expect((await t.signIn('ann@acme.example')).code).toBe('person.join_declined');
    t.clock.advance(30 * day);
    expect((await t.signIn('ann@acme.example')).code).toBe('person.join_requested');
    const token = await t.mint({ sub: a.manager.subject });
    expect((await t.call(listMembershipRequests, inOrganization(a, token))).body.total).toBe(1);
  });

  test('needs a verified address, and an organization that accepts it', async () => {
    await open('request');
    const refused = async () => expect((await t.signIn('ann@acme.example')).code).toBe('person.not_invited');
    expect((await t.signIn('ann@acme.example', {})).code).toBe('person.not_invited');
    await change({ status: 'suspended' });
    await refused();
    await change({ status: 'active' });
    await t.select(`update organization_domains set state = 'failing'`);
    await refused();
    await t.select(`update organization_domains set state = 'verified'`);
    await setSettings({ allowedDomains: ['bolt.example'] });
    await refused();
    await setSettings({ allowedDomains: ['acme.example'], signInDomains: ['acme.example passkeys'] });
    await refused();
    expect((await requestsOf()).total).toBe(0);
    await setSettings({ signInDomains: ['acme.example b2c'] });
    expect((await t.signIn('ann@acme.example')).code).toBe('person.join_requested');
  });

  test('is not possible for the address of a person, or of a removed person', async () => {
    await open('request');
    const other = await t.signIn(a.member.email, { sub: 'another', email_verified: true });
    expect(other.code).toBe('person.account_replaced');
    const person = await verifiedPerson();
    await t.callAs(admin, removePerson, { params: { personId: person.id } });
    expect((await t.signIn(person.email)).code).toBe('person.not_invited');
    expect((await requestsOf()).total).toBe(0);
  });

  test('is mailed to the managers at most 20 times an hour', async () => {
    await open('request');
    for (let index = 0; index < 22; index += 1) await t.signIn(`p${index}@acme.example`);
    expect((await requestsOf()).total).toBe(22);
    expect(await mailsOf('membership-request')).toHaveLength(20);
  });

  test('is deleted after 90 days', async () => {
    await open('request');
    await t.signIn('ann@acme.example');
    const deleteAfter = (days: number) =>
      deleteOldRequests(t.database, new Date(t.clock.now() + days * day + 1000));
    expect(await deleteAfter(89)).toBe(0);
    expect(await deleteAfter(90)).toBe(1);
  });
});

describe('a request of a person with an account', () => {
  test('needs an approval, which makes the person a member', async () => {
    await open('request');
    const ann = await verifiedPerson();
    expect(await joinable(ann)).toMatchObject([
      { organizationId: a.id, name: 'The acme', enrolment: 'request', state: 'open' },
    ]);
    expect((await join(ann)).body).toEqual({ outcome: 'requested', slug: 'acme', name: 'The acme' });
    expect((await join(ann)).body.outcome).toBe('requested');
    expect(await joinable(ann)).toMatchObject([{ state: 'requested' }]);
    expect(await mailsOf('membership-request')).toHaveLength(1);
    expect((await requestsOf()).rows).toMatchObject([{ email: ann.email, hasAccount: true }]);
    expect(await organizationsOf(ann.token)).toEqual([]);

    expect((await approve()).body.outcome).toBe('joined');
    expect(await organizationsOf(ann.token)).toEqual([['acme', 'member']]);
    expect(await mailsOf('membership-approved')).toMatchObject([
      { to: { address: ann.email }, subject: 'You are now a member of The acme (Vestibule)' },
    ]);
    expect(await joinable(ann)).toEqual([]);
    const { rows } = (await t.call(listOrganizationActivity, inOrganization(a))).body;
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual(
      expect.arrayContaining([
        ['membership_request.created', ann.email],
        ['member.added', a.manager.email],
      ]),
    );
  });

  test('is decided once, by members with the permission, with a role that they may give', async () => {
    await open('request');
    const ann = await verifiedPerson();
    await join(ann);
    expect((await approve('member', b.manager.token)).status).toBe(404);
    expect((await approve('member', a.member.token)).status).toBe(403);
    const { body: role } = await t.callAs(admin, createRole, {
      body: { name: 'Inviter', permissions: ['invitations.write'] },
    });
    await t.select`update memberships set role_id = ${role.id} where person_id = ${a.member.id}`;
    const byInviter = await approve('manager', a.member.token);
    expect(byInviter.body.code).toBe('organization.role_too_high');
    const [request] = (await requestsOf()).rows;
    const params = { organizationId: a.id, requestId: request?.id as string };
    const both = await Promise.all([
      t.callAs(a.member, approveMembershipRequest, { params, body: {} }),
      t.callAs(a.manager, declineMembershipRequest, { params }),
    ]);
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404']);
  });

  test('beyond the seat limit waits for a seat: exactly the limit is admitted', async () => {
    await open('request');
    const people = await Promise.all(
      ['p1', 'p2', 'p3', 'p4'].map((name) => verifiedPerson(`${name}@acme.example`)),
    );
    for (const person of people) await join(person);
    await change({ seatLimit: 4 });
    const approved = await Promise.all(
      (await requestsOf()).rows.map(({ id }) =>
        t.callAs(a.manager, approveMembershipRequest, {
          params: { organizationId: a.id, requestId: id },
          body: {},
        }),
      ),
    );
    expect(approved.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(new Set(approved.map(({ body }) => body.code))).toEqual(new Set([undefined, 'organization.full']));
    expect((await requestsOf()).total).toBe(2);
    expect(await memberEmails(a)).toHaveLength(4);
  });

  test('ends when the person becomes a member in another way', async () => {
    await open('request');
    const ann = await verifiedPerson();
    await join(ann);
    await open('automatic');
    expect((await join(ann)).body.outcome).toBe('joined');
    expect(await requestsOf()).toEqual({ rows: [], total: 0 });
  });

  test('ends with the account, and with an erasure', async () => {
    await open('request');
    const ann = await verifiedPerson();
    await join(ann);
    expect((await requestsOf()).total).toBe(1);
    await t.callAs(admin, removePerson, { params: { personId: ann.id } });
    expect((await requestsOf()).total).toBe(0);
    await t.signIn('ben@acme.example');
    expect((await requestsOf()).total).toBe(1);
    const erased = await t.callAs(admin, erasePerson, { body: { email: 'ben@acme.example' } });
    expect(erased.status).toBe(200);
    expect((await requestsOf()).total).toBe(0);
  });
});

describe('automatic enrolment of a person with an account', () => {
  test('is offered, and joins with the role of the domain by one click only', async () => {
    const { body: role } = await t.callAs(admin, createRole, {
      body: { name: 'Reader', permissions: ['members.read'] },
    });
    await open('automatic', { roleId: role.id });
    const ann = await verifiedPerson();
    expect(await organizationsOf(ann.token)).toEqual([]);
    expect(await joinable(ann)).toMatchObject([{ enrolment: 'automatic', state: 'open' }]);
    expect((await join(ann)).body.outcome).toBe('joined');
    expect(await organizationsOf(ann.token)).toEqual([['acme', role.id]]);
    expect((await join(ann)).body.code).toBe('joining.not_offered');
  });

  test('needs a verified address in the domain', async () => {
    await open('automatic');
    const unverified = await t.join('eve@acme.example');
    expect(await joinable(unverified)).toEqual([]);
    expect((await join(unverified)).body.code).toBe('joining.not_offered');
    // A provider that verifies another address than that of the account proves nothing.
    const other = await t.join('eve@other.example');
    const token = await t.mint({ sub: other.subject, emails: ['eve@acme.example'], email_verified: true });
    expect(await joinable({ token })).toEqual([]);
    expect(await joinable(await verifiedPerson('ann@sub.acme.example'))).toEqual([]);
    const ann = await verifiedPerson();
    expect((await join(ann, b)).body.code).toBe('joining.not_offered');
    // The provider of another organization, which had the domain earlier, proves nothing.
    const linkTo = ({ id }: { id: string }) =>
      t.select`
        insert into identities (issuer, subject, person_id, way, email, email_verified)
        values (${`https://${id}.example`}, 'eve', ${unverified.id}, ${connectionMethodOf(id)}, ${unverified.email}, true)`;
    await linkTo(b);
    expect(await joinable(unverified)).toEqual([]);
    await linkTo(a);
    expect(await joinable(unverified)).toMatchObject([{ organizationId: a.id, state: 'open' }]);
  });

  test('follows the allowed domains, the sign-in method and the state of the organization', async () => {
    await open('automatic');
    const ann = await verifiedPerson();
    const refused = async () => {
      expect(await joinable(ann)).toEqual([]);
      expect((await join(ann)).body.code).toBe('joining.not_offered');
    };
    await change({ status: 'suspended' });
    await refused();
    await change({ status: 'active', seatLimit: 2 });
    await refused();
    await change({ seatLimit: null });
    await t.select(`update organization_domains set state = 'failing'`);
    await refused();
    await t.select(`update organization_domains set state = 'verified'`);
    await setSettings({ allowedDomains: ['bolt.example'] });
    await refused();
    await setSettings({ allowedDomains: [], signInDomains: ['acme.example passkeys'] });
    await refused();
    await setSettings({ signInDomains: ['acme.example b2c'] });
    expect((await join(ann)).status).toBe(200);
  });

  test('does not bring back a removed member, who can be added or invited', async () => {
    await open('automatic');
    const ann = await verifiedPerson();
    await join(ann);
    const params = { organizationId: a.id, personId: ann.id };
    expect((await t.callAs(a.manager, removeMember, { params })).status).toBe(200);
    expect(await joinable(ann)).toMatchObject([{ state: 'declined' }]);
    expect((await join(ann)).body.code).toBe('joining.declined');
    const added = await t.callAs(admin, addMember, {
      params: { organizationId: a.id },
      body: { personId: ann.id },
    });
    expect(added.status).toBe(200);
    expect(await joinable(ann)).toEqual([]);
  });
});

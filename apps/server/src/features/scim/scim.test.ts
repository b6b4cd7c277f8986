import { changeDirectory, getDirectory } from '@vestibule/contract/directory';
import { invite, listInvitations } from '@vestibule/contract/invitations';
import {
  changeRole,
  disablePerson,
  enablePerson,
  listPeople,
  removePerson,
} from '@vestibule/contract/people';
import { erasePerson } from '@vestibule/contract/people/removed';
import { downloadMyData } from '@vestibule/contract/profile';
import { createToken } from '@vestibule/contract/profile/tokens';
import { createWebhook, listWebhookMessages } from '@vestibule/contract/webhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestScim, makeToken, patchOf, type TestDirectory } from './test-scim.ts';

let d: TestDirectory;
beforeEach(async () => {
  d = await createTestScim({
    environment: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes' },
  });
});
afterEach(() => d.close());

const active = (id: string, value: boolean) =>
  d.scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value }));
const person = async (email: string) =>
  (
    await d.t.select<{ id: string; role: string; status: string }>`
      select id, role, status from people where email = ${email}`
  )[0];
const invitationsTo = (email: string) =>
  d.t.select<{ status: string; mail_state: string; role: string }>`
    select status, mail_state, role from invitations where email_canonical = ${email} order by created_at`;

describe('the directory token', () => {
  test('is shown once', async () => {
    expect(d.token).toMatch(/^vsd_[0-9A-Za-z]{43}$/);
    await d.scim('GET', '/Users');
    const shown = await d.t.callAs(d.admin, getDirectory);
    expect(shown.text).not.toContain(d.token.slice(4));
    expect(shown.body).toMatchObject({
      isOn: true,
      address: 'https://portal.example.com/scim/v2',
      lastUsedAt: expect.any(String),
    });
  });

  test('stays valid for a day after it was replaced, and is rejected while the sync is disabled (security 70)', async () => {
    const newToken = await makeToken(d.t, d.admin);
    const requestUsers = async (token: string) =>
      (await d.scim('GET', '/Users', undefined, { authorization: `Bearer ${token}` })).status;
    expect([await requestUsers(d.token), await requestUsers(newToken)]).toEqual([200, 200]);
    d.t.clock.advance(24 * 3_600_000 + 1);
    expect([await requestUsers(d.token), await requestUsers(newToken)]).toEqual([401, 200]);
    const again = await d.t.join('later@example.com', 'admin');
    for (let time = 0; time < 2; time += 1)
      await d.t.callAs(again, changeDirectory, { body: { isOn: false } });
    expect(
      await d.t.select`select from audit_log where actor_id = ${again.id} and action = 'directory.changed'`,
    ).toHaveLength(1);
    expect(await d.scim('GET', '/Users', undefined, { authorization: `Bearer ${newToken}` })).toMatchObject({
      status: 403,
      headers: { 'content-type': 'application/scim+json; charset=utf-8' },
      body: { status: '403', schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] },
    });
  });

  test('is required before the sync can be enabled', async () => {
    await d.t.select('update directory set token_hash = null, token_made_at = null, is_on = false');
    expect((await d.set({ isOn: true })).body).toMatchObject({ code: 'directory.token_missing' });
  });
});

describe('a new directory user', () => {
  test('is invited by mail and signs up with that invitation', async () => {
    await d.create('ann@example.com', { displayName: '\u202EAnn Example\u202C' });
    expect(await invitationsTo('ann@example.com')).toEqual([
      { status: 'pending', mail_state: 'queued', role: 'member' },
    ]);
    expect(
      await d.t.select`select organization_id, organization_role_id from invitations where name <> ''`,
    ).toEqual([{ organization_id: null, organization_role_id: null }]);
    const { body } = await d.t.callAs(d.admin, listInvitations, { query: {} });
    expect(body.rows[0]).toMatchObject({ name: 'Ann Example', createdBy: 'Directory' });
    expect(await d.signIn('ann@example.com')).toMatchObject({ status: 200 });
  });

  test('is admitted without a mail if administrators chose so: the provider verifies the address', async () => {
    await d.set({ onCreate: 'admit' });
    const before = await d.t.select('select from jobs.job');
    await d.create('quiet@example.com');
    expect(await invitationsTo('quiet@example.com')).toMatchObject([
      { status: 'pending', mail_state: 'none' },
    ]);
    expect(await d.t.select('select from jobs.job')).toHaveLength(before.length);
    const unproven = await d.t.signIn('quiet@example.com', { sub: 'x', email_verified: false });
    expect(unproven.code).toBe('person.email_unverified');
    expect(await d.signIn('quiet@example.com')).toMatchObject({ status: 200 });
    expect(await invitationsTo('quiet@example.com')).toMatchObject([{ status: 'redeemed' }]);
  });

  test('keeps their data and role if they already have an account', async () => {
    const member = await d.t.join('here@example.com', 'admin');
    await d.t.callAs(d.admin, disablePerson, { params: { personId: member.id } });
    const user = await d.create('here@example.com');
    expect(user).toMatchObject({ active: false });
    expect(await person('here@example.com')).toMatchObject({ role: 'admin', status: 'disabled' });
    expect(await invitationsTo('here@example.com')).toMatchObject([{ status: 'redeemed' }]);
  });

  test('has the name and address that the directory gives them later; an administrator keeps the address', async () => {
    const user = await d.create('ann@example.com', { displayName: 'Ann' });
    await d.signIn('ann@example.com');
    const id = (await person('ann@example.com'))?.id;
    const rename = (displayName: string, userName: string) =>
      d.scim('PUT', `/Users/${user.id}`, { userName, displayName, active: true });
    const stored = () => d.t.select`select display_name, email from people where id = ${id}`;
    expect((await rename('Ann Married', 'married@example.com')).status).toBe(200);
    expect(await stored()).toEqual([{ display_name: 'Ann Married', email: 'married@example.com' }]);
    expect((await rename('Ann Married', 'ann_x.example#EXT#@contoso.example')).status).toBe(200);
    expect(await stored()).toMatchObject([{ email: 'married@example.com' }]);
    await d.t.join('taken@example.com');
    expect((await rename('Ann Married', 'taken@example.com')).status).toBe(409);
    await d.t.select`update people set role = 'admin', display_name = 'Annie' where id = ${id}`;
    expect((await rename('Ann Married', 'attacker@example.com')).status).toBe(200);
    expect(await stored()).toEqual([{ display_name: 'Annie', email: 'married@example.com' }]);
  });

  test('needs an address of an allowed domain', async () => {
    expect(await d.scim('POST', '/Users', { userName: 'no address' })).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    });
    await d.t.select(
      `insert into settings (name, value, version, changed_at, changed_by) values ('allowedDomains', '["example.com"]', 1, now(), '')`,
    );
    d.t.settings.invalidate();
    expect((await d.scim('POST', '/Users', { userName: 'a@elsewhere.example' })).status).toBe(400);
    await d.create('a@example.com');
  });

  test('is created once, also with concurrent creations, invitations and redemptions', async () => {
    const email = 'race@example.com';
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => d.scim('POST', '/Users', { userName: email })),
      d.t.callAs(d.admin, invite, { body: { email } }),
    ]);
    const statuses = responses.slice(0, 8).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(7);
    expect([200, 409]).toContain(responses[8]?.status);
    expect(await invitationsTo(email)).toHaveLength(1);

    for (let round = 0; round < 2; round += 1) {
      const invited = `redeem-${round}@example.com`;
      await d.t.invitationTo(invited);
      const [{ status }, signedIn] = await Promise.all([
        d.scim('POST', '/Users', { userName: invited }),
        d.signIn(invited),
      ]);
      expect([status, signedIn.status]).toEqual([201, 200]);
      const [linked] = await d.t.select<{ id: string; person: string | null }>`
        select id, person_id as person from directory_users where email = ${invited}`;
      expect(linked?.person).toBe((await person(invited))?.id);
    }
  });
});

describe('a disabled directory user', () => {
  test('is rejected at the next request by session and token, and their invitation is revoked (security 9)', async () => {
    const inside = await d.create('inside@example.com');
    const { token } = await d.signIn('inside@example.com');
    await d.t.callAs(d.admin, changeRole, {
      params: { personId: (await person('inside@example.com'))?.id as string },
      query: {},
      body: { role: 'admin' },
    });
    const body = { name: 'theirs', scopes: ['people:read' as const], days: 1 };
    const own = (await d.t.call(createToken, { token, body })).body.token;
    expect((await d.t.call(listPeople, { token: own })).status).toBe(200);
    expect((await active(inside.id, false)).body).toMatchObject({ active: false });
    for (const shown of [token, own])
      expect((await d.t.call(listPeople, { token: shown })).body).toMatchObject({ code: 'person.disabled' });

    const pending = await d.create('waiting@example.com');
    await active(pending.id, false);
    expect(await invitationsTo('waiting@example.com')).toMatchObject([
      { status: 'revoked', mail_state: 'none' },
    ]);
    expect(await d.signIn('waiting@example.com')).toMatchObject({ code: 'person.invitation_revoked' });
    await active(pending.id, true);
    expect(await d.signIn('waiting@example.com')).toMatchObject({ status: 200 });
  });

  test('stays disabled if an administrator disabled them, until the directory disables and enables them', async () => {
    const email = 'okta@example.com';
    const { id } = await d.create(email);
    await d.signIn(email);
    const params = { personId: (await person(email))?.id as string };
    const put = (more: object) => d.scim('PUT', `/Users/${id}`, { userName: email, active: true, ...more });
    await d.t.callAs(d.admin, disablePerson, { params, query: {} });
    // Okta sends the whole user at every change.
    expect((await put({ displayName: 'Olga' })).body).toMatchObject({ displayName: 'Olga', active: false });
    await active(id, true);
    expect(await person(email)).toMatchObject({ status: 'disabled' });
    await active(id, false);
    expect((await put({})).body).toMatchObject({ active: true });
    expect(await person(email)).toMatchObject({ status: 'active' });
  });

  test('is disabled even if an administrator had enabled them (security 9)', async () => {
    const email = 'word@example.com';
    const { id } = await d.create(email);
    await d.signIn(email);
    const call = {
      token: d.admin.token,
      params: { personId: (await person(email))?.id as string },
      query: {},
    };
    await d.t.call(disablePerson, call);
    await active(id, false);
    await d.t.call(enablePerson, call);
    expect((await d.scim('GET', `/Users/${id}`)).body).toMatchObject({ active: false });
    await active(id, false);
    expect(await person(email)).toMatchObject({ status: 'disabled' });
    await d.t.call(enablePerson, call);
    await d.scim('PUT', `/Users/${id}`, { userName: email, active: false });
    expect(await person(email)).toMatchObject({ status: 'disabled' });
  });

  test('remains disabled when they sign up with a later invitation', async () => {
    await d.create('blocked@example.com', { active: false });
    expect(await invitationsTo('blocked@example.com')).toEqual([]);
    await d.t.callAs(d.admin, invite, { body: { email: 'blocked@example.com' } });
    expect(await d.signIn('blocked@example.com')).toMatchObject({ code: 'person.disabled' });
    expect(await person('blocked@example.com')).toMatchObject({ status: 'disabled' });
  });

  test.each(['PATCH', 'PUT', 'DELETE'] as const)(
    'is never the last administrator: %s is rejected (security 12)',
    async (method) => {
      const { id } = await d.create('admin@example.com');
      const body = {
        PATCH: patchOf({ op: 'Replace', path: 'active', value: 'False' }),
        PUT: { userName: 'admin@example.com', active: false },
        DELETE: undefined,
      }[method];
      expect(await d.scim(method, `/Users/${id}`, body)).toMatchObject({
        status: 409,
        body: { status: '409', detail: expect.stringContaining('last active administrator') },
      });
      expect((await d.scim('GET', `/Users/${id}`)).body).toMatchObject({ active: true });
      expect(await person('admin@example.com')).toMatchObject({ status: 'active', role: 'admin' });
    },
  );

  test('is removed like other people when the directory deletes them, and cannot be found by the directory after an administrator removed them', async () => {
    const deletedUser = await d.create('gone@example.com');
    await d.signIn('gone@example.com');
    expect((await d.scim('DELETE', `/Users/${deletedUser.id}`)).status).toBe(204);
    expect(await d.t.select('select removed_by from removed_people')).toEqual([{ removed_by: 'Directory' }]);
    expect((await d.scim('DELETE', `/Users/${deletedUser.id}`)).status).toBe(404);

    const member = await d.create('here@example.com');
    await d.signIn('here@example.com');
    const personId = (await person('here@example.com'))?.id as string;
    await d.t.callAs(d.admin, removePerson, { params: { personId }, query: {} });
    expect((await d.scim('GET', `/Users/${member.id}`)).status).toBe(404);
    // The user may be created again.
    await d.create('here@example.com');

    const never = await d.create('never@example.com');
    expect((await d.scim('DELETE', `/Users/${never.id}`)).status).toBe(204);
    expect(await invitationsTo('never@example.com')).toMatchObject([{ status: 'revoked' }]);
  });

  test('is in no row of the directory after erasure (security 67)', async () => {
    await d.create('erased@example.com', { displayName: 'Erasmus Ausgeloescht', active: false });
    await d.t.callAs(d.admin, erasePerson, { body: { email: 'erased@example.com' } });
    const rows = await d.t.scalars<string>`select x::text as row from directory_users x
      union all select x::text from audit_log x`;
    expect(rows.join('\n')).not.toMatch(/erased@example|Erasmus/i);
  });
});

test('the export of a person contains the data of the directory', async () => {
  const { id } = await d.create('own@example.com', { externalId: 'e-7', displayName: 'Olga Own' });
  await d.scim('POST', '/Groups', { displayName: 'Sales', members: [{ value: id }] });
  const { token } = await d.signIn('own@example.com');
  const { body } = await d.t.call(downloadMyData, { token });
  expect(body).toMatchObject({
    directory: [
      { userName: 'own@example.com', externalId: 'e-7', displayName: 'Olga Own', groups: ['Sales'] },
    ],
  });
});

test('reading, paging and attribute selection follow RFC 7644', async () => {
  const users = [];
  for (const name of ['a', 'b', 'c'])
    users.push(await d.create(`${name}@example.com`, { displayName: name }));
  const page = (await d.scim('GET', '/Users?startIndex=2&count=1')).body;
  expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1, Resources: [users[1]] });
  expect((await d.scim('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 3, Resources: [] });
  expect((await d.scim('GET', '/Users?startIndex=0&count=-1')).body).toMatchObject({ startIndex: 1 });
  const [first] = users as [{ id: string }];
  const parts = (await d.scim('GET', `/Users/${first.id}?attributes=userName,emails.value`)).body;
  expect(parts).toEqual({
    schemas: [expect.any(String)],
    id: first.id,
    userName: 'a@example.com',
    emails: [{ value: 'a@example.com', type: 'work', primary: true }],
  });
  const url = `/Users/${first.id}`;
  expect((await d.scim('GET', `${url}?excludedAttributes=emails,meta`)).body).not.toHaveProperty('emails');
});

test('every change is recorded with the directory as its actor and sent to webhooks', async () => {
  const hook = await d.t.callAs(d.admin, createWebhook, {
    body: {
      url: 'http://127.0.0.1:9/hook',
      description: '',
      events: ['invitation.created', 'person.disabled', 'person.removed'],
    },
  });
  const { id } = await d.create('told@example.com');
  await d.signIn('told@example.com');
  await active(id, false);
  await d.scim('DELETE', `/Users/${id}`);
  const directoryId = await d.t.scalar<string>`select id from directory`;
  const log = await d.t.scalars<string>`
    select action from audit_log where actor_id = ${directoryId} and actor_label = 'Directory' order by id`;
  expect(log).toEqual([
    'directory.user_created',
    'invitation.created',
    'directory.user_changed',
    'person.disabled',
    'person.removed',
    'directory.user_removed',
  ]);
  const params = { webhookId: hook.body.webhook.id };
  const { rows } = (await d.t.callAs(d.admin, listWebhookMessages, { params, query: {} })).body;
  expect(rows.map(({ event }) => event).toSorted()).toEqual([
    'invitation.created',
    'person.disabled',
    'person.removed',
  ]);
});

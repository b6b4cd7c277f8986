import { invite } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { removePerson } from '@vestibule/contract/people';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { signInsPerHour } from '@vestibule/contract/rules/limits';
import { describe, expect, test } from 'vitest';
import { createTestApp, testEnvironment, testIssuer } from '../../test/test-app.ts';
import { setUpAdmissionApp } from './test-admission.ts';

const t = await setUpAdmissionApp();

describe('access token of a new user', () => {
  test('redeems the invitation, and creates the person and the audit row in the same transaction', async () => {
    const email = t.newAddress();
    const invitation = await t.invitationTo(email, { role: 'admin' });
    const token = await t.mint({
      sub: 'ann',
      emails: [email],
      name: 'Ann Example',
      invitationId: invitation.id,
    });
    const response = await t.call(getMe, { token });
    expect(response).toMatchObject({
      status: 200,
      body: { Email: email, DisplayName: 'Ann Example', IsAdmin: true },
    });
    expect(await t.invitationState(invitation.id)).toEqual({
      status: 'redeemed',
      redeemed_by: response.body.Id,
    });
    expect(await t.auditOf(invitation.id, 'invitation.redeemed')).toMatchObject([
      { actor_label: email, detail: { role: 'admin', personId: response.body.Id } },
    ]);
  });

  test('cancels the invitation mail that is still queued', async () => {
    const email = t.newAddress();
    const { body } = await t.callAs(t.admin, invite, { body: { email } });
    expect(body.mailState).toBe('queued');
    await t.call(getMe, { token: await t.mint({ sub: email, emails: [email], invitationId: body.id }) });
    expect(await t.select`select status, mail_state from invitations where id = ${body.id}`).toEqual([
      { status: 'redeemed', mail_state: 'none' },
    ]);
  });

  test('line breaks in the display name become spaces, and invisible characters are removed', async () => {
    const email = t.newAddress();
    await t.invitationTo(email);
    const token = await t.mint({
      sub: 'bcc',
      emails: [email],
      name: '\u202EAnn\r\nBcc: x@example.com\u2028\u200B',
    });
    expect((await t.call(getMe, { token })).body.DisplayName).toBe('Ann Bcc: x@example.com');
  });

  test('a role in the token is ignored', async () => {
    const email = t.newAddress();
    await t.invitationTo(email);
    const token = await t.mint({
      sub: 'self-made-admin',
      emails: [email],
      role: 'admin',
      roles: ['admin'],
      IsAdmin: true,
      extension_role: 'admin',
    });
    expect((await t.call(getMe, { token })).body.IsAdmin).toBe(false);
  });
});

describe('identity of a person', () => {
  test('a token with the same address and another subject is not matched to the person', async () => {
    const ann = await t.join(t.newAddress());
    const token = await t.mint({ sub: 'another subject', emails: [ann.email] });
    expect((await t.call(getMe, { token })).body.code).toBe('person.not_invited');
    expect(await t.peopleWith(ann.email)).toEqual([{ id: ann.id, issuer: testIssuer, subject: ann.subject }]);
  });

  test('a changed address at the provider does not change the person', async () => {
    const ann = await t.join(t.newAddress());
    const token = await t.mint({ sub: ann.subject, emails: ['admin@example.com'] });
    expect((await t.call(getMe, { token })).body).toMatchObject({ Id: ann.id, Email: ann.email });
  });
});

describe('changes by an administrator apply to the next request with a valid token', () => {
  test('a removed person is refused and can join again by a new invitation', async () => {
    const ann = await t.join(t.newAddress());
    await t.callAs(t.admin, removePerson, { params: { personId: ann.id } });
    expect(await t.callAs(ann, getMe)).toMatchObject({
      status: 403,
      body: { code: 'person.not_invited' },
    });
    await t.invitationTo(ann.email);
    const token = await t.mint({ sub: ann.subject, emails: [ann.email] });
    expect((await t.call(getMe, { token })).status).toBe(200);
  });
});

describe('64 concurrent redemptions on two server processes', () => {
  test.each([
    ['the same identity', () => 'the one'],
    ['64 identities', (index: number) => `one of many ${index}`],
  ])('create one person from %s', async (_what, subject) => {
    const second = await createTestApp({ sharedWith: t });
    try {
      const email = t.newAddress();
      const { id } = await t.invitationTo(email);
      const responses = await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const token = await t.mint({ sub: subject(index), emails: [email], invitationId: id });
          return (index % 2 ? t : second).call(getMe, { token });
        }),
      );
      const people = await t.peopleWith(email);
      expect(people).toHaveLength(1);
      const accepted = responses.filter(({ status }) => status === 200);
      expect(new Set(accepted.map(({ body }) => body.Id))).toEqual(new Set([people[0]?.id]));
      expect(accepted).toHaveLength(subject(0) === subject(1) ? 64 : 1);
      expect(responses.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
      expect(await t.auditOf(id, 'invitation.redeemed')).toHaveLength(1);
    } finally {
      await second.close();
    }
  });
});

test('last_seen_at is written at most every five minutes', async () => {
  const ann = await t.join(t.newAddress());
  const seen = async () =>
    (await t.select<{ last_seen_at: Date }>`select last_seen_at from people where id = ${ann.id}`)[0]
      ?.last_seen_at;
  const first = await seen();
  t.clock.advance(4 * 60_000);
  await t.callAs(ann, getMe);
  expect(await seen()).toEqual(first);
  t.clock.advance(60_000);
  await t.callAs(ann, getMe);
  expect((await seen())?.getTime()).toBe(t.clock.now());
});

test('the token of a sign-up is not recorded as a sign-in; the next token with another auth_time is recorded', async () => {
  const email = t.newAddress();
  const { id } = await t.invitationTo(email);
  const seconds = Math.floor(t.clock.now() / 1000);
  const signUp = { sub: email, emails: [email], tfp: testEnvironment.SIGN_UP_POLICY.toUpperCase() };
  const signedUp = await t.mint({ ...signUp, invitationId: id, auth_time: seconds });
  const { body } = await t.call(getMe, { token: signedUp });
  const signIns = () => t.select`select session from sign_ins where person_id = ${body.Id}`;
  const times = async () =>
    (
      await t.select<{ seen: Date; signed_in: Date | null; at_provider: Date | null }>`
        select last_seen_at as seen, people.last_sign_in_at as signed_in, identities.last_sign_in_at as at_provider
        from people join identities on person_id = people.id where people.id = ${body.Id}`
    )[0];
  expect(await t.call(getMe, { token: signedUp })).toMatchObject({ status: 200 });
  expect(await signIns()).toEqual([]);
  expect(await times()).toMatchObject({ signed_in: null, at_provider: null });

  t.clock.advance(2_000);
  const token = await t.mint({ sub: email, auth_time: seconds + 2 });
  await t.call(getMe, { token });
  expect(await signIns()).toEqual([{ session: String(seconds + 2) }]);
  const { seen, signed_in: signedIn } = (await times())!;
  expect(signedIn?.getTime()).toBe(t.clock.now());
  expect(seen.getTime()).toBeGreaterThanOrEqual(signedIn!.getTime());
});

test('signing out everywhere invalidates the token of a sign-up', async () => {
  const email = t.newAddress();
  const { id } = await t.invitationTo(email);
  const signUp = { sub: email, emails: [email], tfp: testEnvironment.SIGN_UP_POLICY };
  const token = await t.mint({
    ...signUp,
    invitationId: id,
    auth_time: Math.floor(t.clock.now() / 1000) + 30,
  });
  expect(await t.call(getMe, { token })).toMatchObject({ status: 200 });
  expect(await t.call(signOutEverywhere, { token, body: { revokeTokens: false } })).toMatchObject({
    status: 200,
  });
  expect(await t.call(getMe, { token })).toMatchObject({ body: { code: 'person.signed_out' } });
});

describe('repeated sign-ins at the provider by a script', () => {
  const hourMs = 3_600_000;

  test('are limited per hour and leave at most 50 rows in the list of sign-ins', async () => {
    const ann = await t.join(t.newAddress());
    const allowed = 60;
    await t.select`
      insert into rate_limits (key, used, ends_at)
      values ('sign-ins of a person:' || ${ann.id}, ${signInsPerHour - allowed}, ${new Date(t.clock.now() + hourMs)})
      on conflict (key) do update set used = excluded.used, ends_at = excluded.ends_at`;
    const first = Math.floor(t.clock.now() / 1000) + 10;
    const signIn = (number: number) => t.mint({ sub: ann.subject, auth_time: first + number });
    for (let number = 1; number <= allowed; number += 1)
      expect((await t.call(getMe, { token: await signIn(number) })).status).toBe(200);
    const { status, body, headers } = await t.call(getMe, { token: await signIn(allowed + 1) });
    expect([status, body.code]).toEqual([429, 'sign_in.too_often']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect(await t.select`select from sign_ins where person_id = ${ann.id}`).toHaveLength(50);
    // A recorded sign-in does not count again, and other people are not limited.
    for (const token of [await signIn(allowed), t.admin.token])
      expect((await t.call(getMe, { token })).status).toBe(200);
    t.clock.advance(hourMs);
    expect((await t.call(getMe, { token: await signIn(hourMs / 1000) })).status).toBe(200);
  });
});

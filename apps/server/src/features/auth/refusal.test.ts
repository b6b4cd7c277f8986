import { getInvitation, revokeInvitation } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { describe, expect, test } from 'vitest';
import { newId } from '../../platform/database/new-id.ts';
import { setUpAdmissionApp } from './test-admission.ts';

const t = await setUpAdmissionApp();

const detailsOf = async (invitationId: string) =>
  (await t.callAs(t.admin, getInvitation, { params: { invitationId } })).body;

describe('an access token of a user without an account', () => {
  test('is refused for an invitation to another address, even if the address in the token is invited too', async () => {
    const email = t.newAddress();
    const own = await t.invitationTo(email);
    const { id } = await t.invitationTo(t.newAddress());
    const token = await t.mint({ sub: 'mixed', emails: [email], invitationId: id });
    expect((await t.call(getMe, { token })).body.code).toBe('person.invited_as_another');
    expect((await t.invitationState(own.id))?.status).toBe('pending');
    expect((await t.invitationState(id))?.status).toBe('pending');
    expect(await t.auditOf(id, 'invitation.refused')).toMatchObject([
      { actor_label: 'Vestibule', detail: { reason: 'another e-mail' } },
    ]);
  });

  test.each([false, 'false', 0, 1, null, 'TRUE', ' true', [true], {}])(
    'is refused with email_verified %j; the invitation stays open, with an audit row and a timeline entry (security 20)',
    async (value) => {
      const email = t.newAddress();
      const { id } = await t.invitationTo(email);
      const token = await t.mint({
        sub: `unverified ${email}`,
        email,
        invitationId: id,
        email_verified: value,
      });
      expect(await t.call(getMe, { token })).toMatchObject({
        status: 403,
        body: { code: 'person.email_unverified' },
      });
      expect((await t.invitationState(id))?.status).toBe('pending');
      expect(await t.auditOf(id, 'invitation.refused')).toHaveLength(1);
      expect((await detailsOf(id)).timeline.map(({ kind, note }) => [kind, note])).toEqual([
        ['refused', 'unverified e-mail'],
      ]);
    },
  );

  test.each([
    // Each case: the token's claims, whether the token contains the invitation's id, and the expected result: the roles
    // whose invitations are redeemed.
    [{ email_verified: true }, false, ['member', 'admin']],
    [{ email_verified: 'true' }, false, ['member', 'admin']],
    [{}, true, ['member', 'admin']],
    [{ email_verified: true }, true, ['member', 'admin']],
    [{ email_verified: false }, true, []],
    [{}, false, ['member']],
  ])(
    'with the claims %j, and with an invitation id (%s), redeems only invitations with the roles %j',
    async (value, isCarried, redeemed) => {
      for (const role of ['member', 'admin'] as const) {
        const email = t.newAddress();
        const { id } = await t.invitationTo(email, { role });
        const token = await t.mint({
          sub: email,
          email: email.toUpperCase(),
          ...value,
          ...(isCarried && { invitationId: id }),
        });
        const { status, body } = await t.call(getMe, { token });
        expect([role, status, body.IsAdmin]).toEqual(
          redeemed.includes(role) ? [role, 200, role === 'admin'] : [role, 403, undefined],
        );
      }
    },
  );

  test("is refused for an administrator's invitation if it contains neither a verified address nor the invitation", async () => {
    const email = t.newAddress();
    const earlier = await t.invitationTo(email, { expiresInMs: 60_000 });
    t.clock.advance(60_000);
    const { id } = await t.invitationTo(email, { role: 'admin' });
    for (const claims of [
      {},
      { invitationId: earlier.id },
      { invitationId: newId() },
      { invitationId: [id] },
    ]) {
      const token = await t.mint({ sub: 'unproven', emails: [email], ...claims });
      expect(await t.call(getMe, { token })).toMatchObject({
        status: 403,
        body: {
          code: 'person.administrator_unproven',
          message: expect.stringMatching(/Open the link/) as string,
        },
      });
    }
    expect((await t.invitationState(id))?.status).toBe('pending');
    expect(await t.auditOf(id, 'invitation.refused')).toMatchObject([
      { detail: { reason: 'unproven administrator' } },
    ]);
    const { timeline, explanation } = await detailsOf(id);
    expect(timeline.map(({ kind, note }) => [kind, note])).toEqual([['refused', 'unproven administrator']]);
    expect(explanation).toContain('an administrator needs one of the two');
    const token = await t.mint({ sub: 'unproven', emails: [email], invitationId: id });
    expect((await t.call(getMe, { token })).body.IsAdmin).toBe(true);
  });

  test.each([
    ['missing', {}],
    ['an empty list', { emails: [] }],
    ['a list in a list', { emails: [['a@example.com']] }],
    ['an object', { email: { value: 'a@example.com' } }],
    ['an unacceptable address', { emails: ['"a"@example.com'] }],
  ])('is refused if its address claim is %s', async (_what, more) => {
    const token = await t.mint({ sub: 'addressless', ...more });
    expect((await t.call(getMe, { token })).body.code).toBe('person.email_unverified');
  });

  test.each([
    ['expired', 'person.invitation_expired', 'signed in after it had expired', /^Expired on .+ Renew it/],
    [
      'revoked',
      'person.invitation_revoked',
      'signed in after it was revoked',
      /^Revoked on .+ invite the address again/,
    ],
  ])(
    'adds one timeline entry a day with the number of attempts if the invitation has %s (K2)',
    async (state, code, note, explanation) => {
      const email = t.newAddress();
      const { id } = await t.invitationTo(email);
      const selected = { token: t.admin.token, params: { invitationId: id } };
      if (state === 'revoked') await t.call(revokeInvitation, selected);
      else await t.select`update invitations set expires_at = ${new Date(t.clock.now())} where id = ${id}`;
      const token = await t.mint({ sub: `late ${state}`, emails: [email], invitationId: id });
      await Promise.all(
        Array.from({ length: 8 }, async () => expect((await t.call(getMe, { token })).body.code).toBe(code)),
      );
      expect((await t.invitationState(id))?.status).toBe(state === 'revoked' ? 'revoked' : 'pending');
      expect(await t.peopleWith(email)).toEqual([]);
      const { body } = await t.call(getInvitation, selected);
      expect(body.timeline.filter(({ kind }) => kind === 'refused')).toMatchObject([{ note, times: 8 }]);
      expect(body.explanation).toMatch(explanation);
      expect(body.explanation).toContain(
        'The invited person tried to sign in after that, most recently on 21 November 2026',
      );
      expect(await t.auditOf(id, 'invitation.refused')).toEqual([]);
    },
  );

  test('writes one audit row an hour for each reason of refusal', async () => {
    const { id } = await t.invitationTo(t.newAddress());
    await t.select`
      insert into audit_log (at, action, actor_label, target_type, target_id, target_label, address, request_id, detail)
      select clock_timestamp() - age, 'invitation.refused', 'Vestibule', 'invitation', ${id}, '', '', '', detail
      from (values (interval '61 minutes', '{"reason": "another e-mail"}'::jsonb), ('1 minute', '{"reason": "unverified e-mail"}')) as earlier (age, detail)`;
    const token = await t.mint({ sub: 'insistent', emails: [t.newAddress()], invitationId: id });
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await t.call(getMe, { token })).body.code).toBe('person.invited_as_another');
    const unverified = await t.mint({ sub: 'unverified', email_verified: false, invitationId: id });
    expect((await t.call(getMe, { token: unverified })).body.code).toBe('person.email_unverified');
    expect((await t.auditOf(id, 'invitation.refused')).map(({ detail }) => detail['reason'])).toEqual([
      'another e-mail',
      'unverified e-mail',
      'another e-mail',
    ]);
  });

  test('is refused for an address that was never invited, with a missing, malformed or unknown invitation id', async () => {
    for (const invitationId of [
      undefined,
      "' or 1=1 --",
      '0192f0c1-2345-7abc-8def-0123456789ab',
      ['x'],
      { a: 1 },
    ]) {
      const token = await t.mint({ sub: 'guesser', emails: [t.newAddress()], invitationId });
      expect((await t.call(getMe, { token })).body.code).toBe('person.not_invited');
    }
  });
});

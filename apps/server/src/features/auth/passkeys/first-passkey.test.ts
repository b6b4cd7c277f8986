import { startFirstPasskey, createFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { changeInvitationAddress, renewInvitation } from '@vestibule/contract/invitations';
import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { describe, expect, test } from 'vitest';
import { createTestAuthenticator, type Deviation } from '../../../test/sign-in/test-authenticator.ts';
import { postAs, setUpPasskeySite, type PasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { disablePerson, removePerson } from '@vestibule/contract/people';

const site = await setUpPasskeySite();
const { t } = site;

const home = '/layout/dashboard';
const device = () => createTestAuthenticator();
const statusOf = async (id: string) => (await t.invitationState(id))?.status;

describe('first passkey by an invitation link', () => {
  test('redeems the invitation under the typed name and signs in', async () => {
    const email = site.newAddress();
    const { id, code } = await t.invitationTo(email);
    const page = site.browser();
    const { body } = await postAs(page, startFirstPasskey, {
      invitation: code,
      name: ' Ann Other ',
      returnTo: '/attachment',
    });
    expect(body.options).toMatchObject({
      rp: { id: 'portal.example.com', name: 'Vestibule' },
      user: { name: email, displayName: 'Ann Other' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      timeout: 300_000,
      excludeCredentials: [],
    });
    expect(body.options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-8, -7, -257]);
    expect(body.options.authenticatorSelection).not.toHaveProperty('authenticatorAttachment');
    expect(Buffer.from(body.options.user.id, 'base64url')).toHaveLength(32);
    expect(await statusOf(id)).toBe('pending');
    const authenticator = device();
    expect(await site.finishFirst(page, body, authenticator)).toBe('/attachment');
    expect(await page.whoAmI()).toBe(email);
    expect(await statusOf(id)).toBe('redeemed');
    expect(await t.select`select display_name, role from people where email = ${email}`).toEqual([
      { display_name: 'Ann Other', role: 'member' },
    ]);
    expect(await site.signIn(site.browser(), authenticator)).toBe(home);
  });

  test('works after a scanner has opened the link and requested options; GET is not supported', async () => {
    const { id, code } = await t.invitationTo(site.newAddress());
    const scanner = site.browser();
    await scanner.ask('GET', `/signup?inviteToken=${code}`);
    expect((await scanner.ask('GET', startFirstPasskey.path)).statusCode).toBe(404);
    await postAs(scanner, startFirstPasskey, { invitation: code });
    expect(await statusOf(id)).toBe('pending');
    expect(await site.createFirst(site.browser(), device(), { invitation: code })).toBe(home);
  });

  test.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['a sister domain', { origin: 'https://evil.portal.example.com' }],
    ['another site', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['a sign-in', { type: 'webauthn.get' }],
    ['a framed page', { crossOrigin: true }],
    ['a user who was not present', { isPresent: false }],
    ['a user who was not verified', { isVerified: false }],
    ['an algorithm that was not offered', { algorithm: -65_535 }],
    ['another passkey', { id: 'AAAA' }],
    ['a backup that is not eligible', { isBackupEligible: false, isBackedUp: true }],
  ])('is refused for a response with %s, without redeeming the invitation', async (_what, wrong) => {
    const { id, email, code } = await t.invitationTo(site.newAddress());
    const page = site.browser();
    expect(await site.createFirst(page, device(), { invitation: code }, wrong)).toBe('passkey.refused');
    expect(await statusOf(id)).toBe('pending');
    expect(await t.select`select from people where email = ${email}`).toEqual([]);
    expect(await page.whoAmI()).toBe('sign_in.needed');
    expect(await site.createFirst(page, device(), { invitation: code })).toBe(home);
  });

  test('uses a challenge once, even if the first response is refused', async () => {
    const { code } = await t.invitationTo(site.newAddress());
    const page = site.browser();
    const { body } = await postAs(page, startFirstPasskey, { invitation: code });
    expect(await site.finishFirst(page, body, device(), { isVerified: false })).toBe('passkey.refused');
    expect(await site.finishFirst(page, body)).toBe('sign_in.expired');
    expect(await page.whoAmI()).toBe('sign_in.needed');
  });

  test('binds a challenge to one browser, one invitation and ten minutes', async () => {
    const first = await t.invitationTo(site.newAddress());
    const second = await t.invitationTo(site.newAddress());
    const page = site.browser();
    const result = (await postAs(page, startFirstPasskey, { invitation: first.code })).body;
    const other = (await postAs(page, startFirstPasskey, { invitation: second.code })).body;
    expect(await site.finishFirst(site.browser(), result)).toBe('sign_in.expired');
    expect(await site.finishFirst(page, { ...result, options: other.options })).toBe('passkey.refused');
    t.clock.advance(10 * 60_000);
    expect(await site.finishFirst(page, other)).toBe('sign_in.expired');
    expect([await statusOf(first.id), await statusOf(second.id)]).toEqual(['pending', 'pending']);
  });

  test('succeeds once for many concurrent requests with one link', async () => {
    const { email, code } = await t.invitationTo(site.newAddress());
    const ended = await Promise.all(
      Array.from({ length: 16 }, () => site.createFirst(site.browser(), device(), { invitation: code })),
    );
    expect(ended.filter((result) => result === home)).toHaveLength(1);
    expect(ended.filter((result) => result !== home).every((result) => result.startsWith('person.'))).toBe(
      true,
    );
    expect(await t.select`select from people where email = ${email}`).toHaveLength(1);
    expect(
      await t.select(
        `select from passkeys where not exists (select from people where people.id = person_id)`,
      ),
    ).toEqual([]);
  });

  test('is refused for members, and for used, revoked, expired and unknown links', async () => {
    const { email, code } = await t.invitationTo(site.newAddress());
    expect(await site.createFirst(site.browser(), device(), { invitation: code })).toBe(home);
    expect(await site.createFirst(site.browser(), device(), { invitation: code })).toBe(
      'person.invitation_expired',
    );
    expect(
      await t.select`select from passkeys join people on people.id = person_id where email = ${email}`,
    ).toHaveLength(1);
    const withdrawn = await t.invitationTo(site.newAddress());
    const page = site.browser();
    const { body } = await postAs(page, startFirstPasskey, { invitation: withdrawn.code });
    await t.select`update invitations set status = 'revoked', revoked_at = now() where id = ${withdrawn.id}`;
    expect(await site.finishFirst(page, body)).toBe('person.invitation_expired');
    const expired = await t.invitationTo(site.newAddress(), { expiresInMs: 0 });
    for (const invitation of [withdrawn.code, expired.code, 'no code of ours'])
      expect(await site.createFirst(page, device(), { invitation })).toBe('person.invitation_expired');
  });

  test.each(['sent to another address', 'renewed'])(
    'is refused if the invitation was %s after the options were requested (security 20)',
    async (what) => {
      const { token } = await t.join(site.newAddress(), 'admin');
      const { id, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { body } = await postAs(page, startFirstPasskey, { invitation: code });
      const request = { token, params: { invitationId: id } };
      if (what === 'renewed') {
        await t.select`update invitations set expires_at = ${new Date(t.clock.now() - 1)} where id = ${id}`;
        await t.call(renewInvitation, { ...request, body: {} });
      } else await t.call(changeInvitationAddress, { ...request, body: { email: site.newAddress() } });
      expect(await site.finishFirst(page, body)).toBe('sign_in.expired');
      expect(await page.whoAmI()).toBe('sign_in.needed');
      expect(await statusOf(id)).toBe('pending');
    },
  );

  test('is refused for a known credential without affecting concurrent requests', async () => {
    const authenticator = device();
    await site.join('member', authenticator);
    const knownCredentialId = authenticator.held[0]?.id as string;
    const invitations = await Promise.all([1, 2, 3].map(() => t.invitationTo(site.newAddress())));
    const ended = await Promise.all(
      invitations.map(async ({ code }, number) => {
        const page = site.browser();
        const { body } = await postAs(page, startFirstPasskey, { invitation: code });
        const theirs = device();
        const response = theirs.create(body.options);
        if (number === 1)
          await t.select`
            update passkeys set credential_id = ${response.id} where credential_id = ${knownCredentialId}`;
        return (
          (await postAs(page, createFirstPasskey, { attempt: body.attempt, response })).body.code ?? 'inside'
        );
      }),
    );
    expect(ended).toEqual(['inside', 'passkey.already_there', 'inside']);
    expect(await statusOf(invitations[1]?.id as string)).toBe('pending');
  });
});

const admin = await t.join('admin@example.com', 'admin');

const outcomeOf = async (page: ReturnType<PasskeySite['browser']>, attempt: string) =>
  (await page.outcome(`/login?attempt=${attempt}`)).kind;

describe('a code before the passkey', () => {
  test("is required for administrators' invitations", async () => {
    const email = site.newAddress();
    const { id, code } = await t.invitationTo(email, { role: 'admin' });
    const page = site.browser();
    expect(await site.createFirst(page, device(), { invitation: code })).toBe('passkey.code_first');
    const { status, body } = await site.enterCode(page, {
      invitation: code,
      name: 'The Boss',
      returnTo: '/people',
    });
    expect([status, body.next, body.returnTo]).toEqual([200, 'offer-passkey', '/people']);
    expect(await page.whoAmI()).toBe(email);
    expect(await statusOf(id)).toBe('redeemed');
    expect(await t.select`select display_name, role from people where email = ${email}`).toEqual([
      { display_name: 'The Boss', role: 'admin' },
    ]);
  });

  test('is required for all invitations if the setting requires it', () =>
    site.withSettings({ codeBeforePasskey: true }, async () => {
      const { code, email } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      expect((await t.call(getInvitationLinkState, { body: { code } })).body.codeFirst).toBe(true);
      expect(await site.createFirst(page, device(), { invitation: code })).toBe('passkey.code_first');
      expect((await site.enterCode(page, { invitation: code })).body.next).toBe('offer-passkey');
      expect(await page.whoAmI()).toBe(email);
    }));

  test('is also required if the setting changed after the options were requested', async () => {
    const { code } = await t.invitationTo(site.newAddress());
    const page = site.browser();
    const { body } = await postAs(page, startFirstPasskey, { invitation: code });
    await site.withSettings({ codeBeforePasskey: true }, async () =>
      expect(await site.finishFirst(page, body)).toBe('passkey.code_first'),
    );
  });
});

describe('with a required passkey', () => {
  test("a new user's code only allows creating a passkey", () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const { id, email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt, body } = await site.enterCode(page, { invitation: code, name: 'Ann' });
      expect(body.next).toBe('passkey-required');
      expect(await page.whoAmI()).toBe('sign_in.needed');
      expect(await statusOf(id)).toBe('pending');
      expect(await outcomeOf(page, attempt)).toBe('proven');
      expect(await outcomeOf(site.browser(), attempt)).toBe('problem');
      expect(await site.createFirst(site.browser(), device(), { attempt })).toBe('sign_in.expired');
      const tabs = await Promise.all([1, 2].map(() => postAs(page, startFirstPasskey, { attempt })));
      const ends = await Promise.all(tabs.map((started) => site.finishFirst(page, started.body)));
      expect(ends.toSorted()).toEqual([home, 'sign_in.expired']);
      expect(await page.whoAmI()).toBe(email);
      expect(await statusOf(id)).toBe('redeemed');
      expect(await site.createFirst(page, device(), { attempt })).toBe('sign_in.expired');
      expect(await outcomeOf(page, attempt)).toBe('problem');
    }));

  test('the entered code stays valid when creating the passkey is canceled repeatedly', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const { email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt } = await site.enterCode(page, { invitation: code });
      for (let time = 0; time < 6; time += 1) {
        t.clock.advance(1_000);
        await postAs(page, startFirstPasskey, { attempt });
      }
      expect(await site.createFirst(page, device(), { attempt })).toBe(home);
      expect(await page.whoAmI()).toBe(email);
    }));

  test('a member with a lost device adds a passkey next to the old one and receives a mail', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const person = await site.join();
      const page = site.browser();
      const { attempt, body } = await site.enterCode(page, { address: person.email });
      expect(body.next).toBe('passkey-required');
      expect(await page.whoAmI()).toBe('sign_in.needed');
      const { body: started } = await postAs(page, startFirstPasskey, { attempt });
      // The handle is the same; existing passkeys are excluded so that the device does not replace them.
      expect(started.options.user.id).toBe(person.device.held[0]?.handle);
      expect(started.options.excludeCredentials.map(({ id }) => id)).toEqual([person.device.held[0]?.id]);
      const newDevice = device();
      expect(await site.finishFirst(page, started, newDevice)).toBe(home);
      expect(await page.whoAmI()).toBe(person.email);
      expect(await site.signIn(site.browser(), person.device)).toBe(home);
      expect(await site.signIn(site.browser(), newDevice)).toBe(home);
    }));

  test('members sign in by code if only administrators need a passkey', () =>
    site.withSettings({ passkeyRequired: 'administrators' }, async () => {
      const member = await site.join();
      const boss = await site.join('admin');
      expect((await site.enterCode(site.browser(), { address: member.email })).body.next).toBe(
        'offer-another-passkey',
      );
      expect((await site.enterCode(site.browser(), { address: boss.email })).body.next).toBe(
        'passkey-required',
      );
    }));

  test('a person who was disabled or removed after entering the code cannot create one', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      for (const [route, query, code] of [
        [disablePerson, {}, 'person.disabled'],
        [removePerson, { handOverTo: admin.email }, 'person.not_invited'],
      ] as const) {
        const person = await site.join();
        const page = site.browser();
        const { attempt } = await site.enterCode(page, { address: person.email });
        const { body } = await postAs(page, startFirstPasskey, { attempt });
        await t.callAs(admin, route, { params: { personId: person.id }, query });
        const newDevice = device();
        expect(await site.finishFirst(page, body, newDevice)).toBe(code);
        const ids = [newDevice.held[0]?.id];
        expect(await t.select('select from passkeys where credential_id = $1', ids)).toEqual([]);
      }
    }));
});

import { disablePerson, removePerson } from '@vestibule/contract/people';
import { startFirstPasskey, createFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import { postAs, type PasskeySite, setUpPasskeySite } from '../../../test/test-passkey-site.ts';

const site = await setUpPasskeySite();
const { t } = site;
const admin = await t.join('admin@example.com', 'admin');

const home = '/layout/dashboard';
const device = () => createTestAuthenticator();
const statusOf = async (id: string) => (await t.invitationState(id))?.status;
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
    expect(await t.select('select display_name, role from people where email = $1', [email])).toEqual([
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
    await site.withSettings({ codeBeforePasskey: true }, async () => {
      const response = device().create(body.options);
      expect((await postAs(page, createFirstPasskey, { attempt: body.attempt, response })).body.code).toBe(
        'passkey.code_first',
      );
    });
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
      expect(await site.createFirst(page, device(), { attempt })).toBe(home);
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
      const response = newDevice.create(started.options);
      expect(
        (await postAs(page, createFirstPasskey, { attempt: started.attempt, response })).body.returnTo,
      ).toBe(home);
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
      for (const [route, code] of [
        [disablePerson, 'person.disabled'],
        [removePerson, 'person.not_invited'],
      ] as const) {
        const person = await site.join();
        const page = site.browser();
        const { attempt } = await site.enterCode(page, { address: person.email });
        const { body } = await postAs(page, startFirstPasskey, { attempt });
        await t.call(route, {
          token: admin.token,
          params: { personId: person.id },
          query: { handOverTo: admin.email },
        });
        const response = device().create(body.options);
        const created = await postAs(page, createFirstPasskey, { attempt: body.attempt, response });
        expect(created.body.code).toBe(code);
        expect(await t.select('select from passkeys where credential_id = $1', [response.id])).toEqual([]);
      }
    }));
});

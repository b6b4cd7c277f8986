/** Where a code comes before the passkey, or a code alone is not enough (statement M7). */
import { disablePerson, removePerson } from '@vestibule/contract/people';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { startFirstPasskey, createFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { getInvitationLinkState } from '@vestibule/contract/invitations/link';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import { postAs, createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';

let site: PasskeySite;
let t: PasskeySite['t'];
let admin: TestPerson;
beforeAll(async () => {
  site = await createPasskeySite();
  ({ t } = site);
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => site.close());

const home = '/layout/dashboard';
const device = () => createTestAuthenticator();
const statusOf = async (id: string) =>
  (await t.select<{ status: string }>('select status from invitations where id = $1', [id]))[0]?.status;
const outcomeOf = async (page: ReturnType<PasskeySite['browser']>, attempt: string) =>
  (await page.outcome(`/login?attempt=${attempt}`)).kind;

describe('a code before the passkey', () => {
  test("an administrator's invitation needs one: a link is not the person", async () => {
    const email = site.newAddress();
    const { id, code } = await t.invitationTo(email, { role: 'admin' });
    const page = site.browser();
    expect(await site.makeFirst(page, device(), { invitation: code })).toBe('passkey.code_first');
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

  test('a setting demands it for all', () =>
    site.having({ codeBeforePasskey: true }, async () => {
      const { code, email } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      expect((await t.call(getInvitationLinkState, { body: { code } })).body.codeFirst).toBe(true);
      expect(await site.makeFirst(page, device(), { invitation: code })).toBe('passkey.code_first');
      expect((await site.enterCode(page, { invitation: code })).body.next).toBe('offer-passkey');
      expect(await page.whoAmI()).toBe(email);
    }));

  test('what was begun before somebody demanded it is refused', async () => {
    const { code } = await t.invitationTo(site.newAddress());
    const page = site.browser();
    const { body } = await postAs(page, startFirstPasskey, { invitation: code });
    await site.having({ codeBeforePasskey: true }, async () => {
      const response = device().create(body.options);
      expect((await postAs(page, createFirstPasskey, { attempt: body.attempt, response })).body.code).toBe(
        'passkey.code_first',
      );
    });
  });
});

describe('where a passkey is required', () => {
  test('a code lets nobody in, but to make a passkey: somebody new', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { id, email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt, body } = await site.enterCode(page, { invitation: code, name: 'Ann' });
      expect(body.next).toBe('passkey-required');
      expect(await page.whoAmI()).toBe('sign_in.needed');
      expect(await statusOf(id)).toBe('pending');
      // A page that is loaded again goes on there.
      expect(await outcomeOf(page, attempt)).toBe('proven');
      expect(await outcomeOf(site.browser(), attempt)).toBe('problem');
      // In another browser, or with the link alone, what was entered here is worth nothing.
      expect(await site.makeFirst(site.browser(), device(), { attempt })).toBe('sign_in.expired');
      expect(await site.makeFirst(page, device(), { attempt })).toBe(home);
      expect(await page.whoAmI()).toBe(email);
      expect(await statusOf(id)).toBe('redeemed');
      expect(await site.makeFirst(page, device(), { attempt })).toBe('sign_in.expired');
      expect(await outcomeOf(page, attempt)).toBe('problem');
    }));

  test('whoever cancels again and again makes one all the same: the code that was entered stays', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt } = await site.enterCode(page, { invitation: code });
      for (let time = 0; time < 6; time += 1) {
        t.clock.advance(1_000);
        await postAs(page, startFirstPasskey, { attempt });
      }
      expect(await site.makeFirst(page, device(), { attempt })).toBe(home);
      expect(await page.whoAmI()).toBe(email);
    }));

  test('what is begun in other tabs takes the passkey away from nobody whose device asks for it', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const inAnotherTab = async () => {
        t.clock.advance(1_000);
        await postAs(page, requestCode, { address: site.newAddress() });
      };
      for (let tab = 0; tab < 3; tab += 1) await inAnotherTab();
      t.clock.advance(1_000);
      const { attempt: proven } = await site.enterCode(page, { invitation: code });
      const { body } = await postAs(page, startFirstPasskey, { attempt: proven });
      await inAnotherTab();
      const { attempt, options } = body;
      const response = device().create(options);
      expect((await postAs(page, createFirstPasskey, { attempt, response })).body.returnTo).toBe(home);
      expect(await page.whoAmI()).toBe(email);
    }));

  test('nor the code that was entered, from nobody who cancels and tries again', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt } = await site.enterCode(page, { invitation: code });
      t.clock.advance(1_000);
      await postAs(page, startFirstPasskey, { attempt });
      for (let tab = 0; tab < 4; tab += 1) {
        t.clock.advance(1_000);
        await postAs(page, requestCode, { address: site.newAddress() });
      }
      t.clock.advance(1_000);
      expect(await site.makeFirst(page, device(), { attempt })).toBe(home);
      expect(await page.whoAmI()).toBe(email);
    }));

  test('and somebody who is inside and lost their device: the new one is kept beside the old one, and a mail tells of it', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const person = await site.join();
      const page = site.browser();
      const { attempt, body } = await site.enterCode(page, { address: person.email });
      expect(body.next).toBe('passkey-required');
      expect(await page.whoAmI()).toBe('sign_in.needed');
      const { body: begun } = await postAs(page, startFirstPasskey, { attempt });
      // The same handle, and what is known is left out: else the device would replace it.
      expect(begun.options.user.id).toBe(person.device.held[0]?.handle);
      expect(begun.options.excludeCredentials.map(({ id }) => id)).toEqual([person.device.held[0]?.id]);
      const fresh = device();
      const response = fresh.create(begun.options);
      expect(
        (await postAs(page, createFirstPasskey, { attempt: begun.attempt, response })).body.returnTo,
      ).toBe(home);
      expect(await page.whoAmI()).toBe(person.email);
      expect(await site.signIn(site.browser(), person.device)).toBe(home);
      expect(await site.signIn(site.browser(), fresh)).toBe(home);
    }));

  test('of administrators only, everybody else comes in by the code', () =>
    site.having({ passkeyRequired: 'administrators' }, async () => {
      const member = await site.join();
      const boss = await site.join('admin');
      expect((await site.enterCode(site.browser(), { address: member.email })).body.next).toBe(
        'offer-another-passkey',
      );
      expect((await site.enterCode(site.browser(), { address: boss.email })).body.next).toBe(
        'passkey-required',
      );
    }));

  test('a code entered once makes one passkey, however many ask at once', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { email, code } = await t.invitationTo(site.newAddress());
      const page = site.browser();
      const { attempt } = await site.enterCode(page, { invitation: code });
      const tabs = await Promise.all([1, 2, 3].map(() => postAs(page, startFirstPasskey, { attempt })));
      const ended = await Promise.all(
        tabs.map(async ({ body }) => {
          const response = device().create(body.options);
          return (
            (await postAs(page, createFirstPasskey, { attempt: body.attempt, response })).body.code ??
            'inside'
          );
        }),
      );
      expect(ended.filter((one) => one === 'inside')).toHaveLength(1);
      expect(
        await t.select('select from passkeys join people on people.id = person_id where email = $1', [email]),
      ).toHaveLength(1);
    }));

  test('whoever is disabled or removed meanwhile makes none', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
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
        const made = await postAs(page, createFirstPasskey, { attempt: body.attempt, response });
        expect(made.body.code).toBe(code);
        expect(await t.select('select from passkeys where credential_id = $1', [response.id])).toEqual([]);
      }
    }));

  test('a code of an address that nobody knows leads nowhere', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { body } = await postAs(site.browser(), requestCode, { address: 'nobody@example.com' });
      expect(await site.codeOf(body.attempt)).toBeUndefined();
    }));
});

import { randomBytes } from 'node:crypto';
import { disablePerson } from '@vestibule/contract/people';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  askForPasskey,
  startFirstPasskey,
  signInWithPasskey,
  addPasskey,
  startPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestAuthenticator, type Deviation } from '../../../test/sign-in/test-authenticator.ts';
import { createTestBrowser, wrongCode, type TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { postAs, type PasskeySite, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { failedPasskeyLimit } from './passkey-sign-in.ts';
import { deleteExpired } from '../sessions/session-store.ts';
import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
import { sessionCookie } from '../sessions/sessions.ts';

const site = await setUpPasskeySite();
const { t } = site;

const home = '/layout/dashboard';

test('a passkey signs in on any browser without a user name and returns to the requested page', async () => {
  const { email, device } = await site.join();
  const page = site.browser();
  const { body: options } = await postAs(page, askForPasskey);
  expect(options).toMatchObject({
    rpId: 'portal.example.com',
    userVerification: 'required',
    timeout: 300_000,
  });
  expect(options).not.toHaveProperty('allowCredentials');
  const { body } = await postAs(page, signInWithPasskey, {
    response: device.get(options),
    returnTo: '/people?x=1',
  });
  expect(body.returnTo).toBe('/people?x=1');
  expect(await page.whoAmI()).toBe(email);
  const { body: nextOptions } = await postAs(page, askForPasskey);
  const request = { response: device.get(nextOptions), returnTo: '//evil.example' };
  expect((await postAs(page, signInWithPasskey, request)).body.returnTo).toBe(home);
});

test('requesting a challenge writes nothing; used challenges and sessions are deleted when they have expired', async () => {
  const rows = async () =>
    (await t.select('select from used_challenges')).length +
    (await t.select('select from sign_in_transactions')).length;
  const { device } = await site.join();
  const before = await rows();
  await postAs(site.browser(), askForPasskey);
  expect(await rows()).toBe(before);
  await site.signIn(site.browser(), device);
  expect(await rows()).toBe(before + 1);
  t.clock.advance(300_000);
  await deleteExpired(t.database, { now: t.clock.now(), absoluteMs: 300_000, transactionMs: 600_000 });
  expect(await t.select('select from used_challenges union all select from sessions')).toEqual([]);
});

describe('signInWithPasskey', () => {
  test.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['the same site without encryption', { origin: 'http://portal.example.com' }],
    ["another site's key", { rpId: 'evil.example' }],
    ['a registration', { type: 'webauthn.create' }],
    ['a framed page', { crossOrigin: true }],
    ['a user who was not present', { isPresent: false }],
    ['a user who was not verified', { isVerified: false }],
    ["another person's handle", { handle: randomBytes(32).toString('base64url') }],
    ['no user handle', { handle: undefined }],
    ['a backup that is not eligible', { isBackupEligible: false, isBackedUp: true }],
    ['a wrong signature', { signature: randomBytes(70).toString('base64url') }],
  ])('refuses %s', async (_what, wrong) => {
    const { device } = await site.join();
    const page = site.browser();
    expect(await site.signIn(page, device, wrong)).toBe('passkey.refused');
    expect(await page.whoAmI()).toBe('sign_in.needed');
    expect(await site.signIn(page, device)).toBe(home);
  });

  test("refuses the credential id of another person's passkey", async () => {
    const owner = await site.join();
    const other = await site.join();
    const id = other.device.held[0]?.id as string;
    expect(await site.signIn(site.browser(), owner.device, { id })).toBe('passkey.refused');
    const handle = other.device.held[0]?.handle;
    expect(await site.signIn(site.browser(), owner.device, { id, handle })).toBe('passkey.refused');
  });

  test.each([
    ['nothing', {}],
    ['empty texts', { clientDataJSON: '', authenticatorData: '', signature: '' }],
    ['invalid JSON', { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }],
  ])('returns 400 if the response of the passkey contains %s', async (_what, credential) => {
    const page = site.browser();
    await postAs(page, askForPasskey);
    const response = await postAs(page, signInWithPasskey, {
      response: { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: credential },
    });
    expect(response.status).toBe(400);
    expect(response.body.message).toBeTruthy();
  });

  test('refuses disabled and removed people', async () => {
    const admin = await t.join('admin@example.com', 'admin');
    const { id, device } = await site.join();
    await t.callAs(admin, disablePerson, { params: { personId: id } });
    expect(await site.signIn(site.browser(), device)).toBe('person.disabled');
    await t.select`delete from people where id = ${id}`;
    expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
  });
});

describe('failed responses', () => {
  const challenges = async () => (await t.select('select from used_challenges')).length;

  test('are limited to thirty a minute per network, without blocking valid passkeys there', async () => {
    const page = site.browser();
    const [unknownDevice, { device }] = [createTestAuthenticator(), await site.join()];
    const { attempt, options } = (
      await postAs(page, startFirstPasskey, { invitation: (await t.invitationTo(site.newAddress())).code })
    ).body;
    expect(attempt).toBeTruthy();
    unknownDevice.create(options);
    const before = await challenges();
    const ends: string[] = [];
    for (let time = 0; time < failedPasskeyLimit.maximum + 4; time += 1)
      ends.push(
        await site.signIn(page, time % 2 === 0 ? unknownDevice : device, { isVerified: time % 2 === 0 }),
      );
    expect(ends.filter((end) => end !== 'request.too_many')).toHaveLength(failedPasskeyLimit.maximum);
    expect(await challenges()).toBe(before + failedPasskeyLimit.maximum);
    const { body: nextOptions } = await postAs(page, askForPasskey);
    const refused = await page.ask('POST', signInWithPasskey.path, {
      body: { response: unknownDevice.get(nextOptions) },
    });
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 60]);
    expect(await site.signIn(page, device)).toBe(home);
    expect(await site.signIn(site.browser(), unknownDevice)).toBe('passkey.unknown');
    t.clock.advance(60_000);
    expect(await site.signIn(page, unknownDevice)).toBe('passkey.unknown');
  });
});

describe('a challenge', () => {
  const signWith = async (response: object, page: ReturnType<PasskeySite['browser']>) =>
    (await postAs(page, signInWithPasskey, { response })).body.code ?? 'inside';

  test('works once, even if the first response was wrong or several responses are concurrent', async () => {
    const { device } = await site.join();
    const page = site.browser();
    const { body: first } = await postAs(page, askForPasskey);
    expect(await signWith(device.get(first, { isVerified: false }), page)).toBe('passkey.refused');
    expect(await signWith(device.get(first), page)).toBe('sign_in.expired');
    const { body: second } = await postAs(page, askForPasskey);
    const ended = await Promise.all([1, 2, 3, 4].map(() => signWith(device.get(second), page)));
    expect(ended.sort()).toEqual(['inside', 'sign_in.expired', 'sign_in.expired', 'sign_in.expired']);
  });

  test('works in the requesting browser, in any of its tabs', async () => {
    const { device } = await site.join();
    const page = site.browser();
    const { body: first } = await postAs(page, askForPasskey);
    const { body: second } = await postAs(page, askForPasskey);
    expect(await signWith(device.get(first), site.browser())).toBe('sign_in.expired');
    const other = site.browser();
    await postAs(other, askForPasskey);
    expect(await signWith(device.get(first), other)).toBe('sign_in.expired');
    expect(await signWith(device.get(second), page)).toBe('inside');
    expect(await signWith(device.get(first), page)).toBe('inside');
  });

  test('works for five minutes, also if the clock is set back', async () => {
    const { device } = await site.join();
    const page = site.browser();
    const { body: late } = await postAs(page, askForPasskey);
    t.clock.advance(300_000);
    expect(await signWith(device.get(late), page)).toBe('sign_in.expired');
    const { body: early } = await postAs(page, askForPasskey);
    t.clock.advance(-3_600_000);
    expect(await signWith(device.get(early), page)).toBe('inside');
    t.clock.advance(3_600_000);
  });

  test('is refused if it was modified', async () => {
    const { device } = await site.join();
    const page = site.browser();
    const { body: options } = await postAs(page, askForPasskey);
    const bytes = Buffer.from(options.challenge, 'base64url');
    for (let index = 0; index < bytes.length; index += 7) {
      const forged = Buffer.from(bytes);
      forged[index] = (forged[index] as number) ^ 1;
      const challenge = forged.toString('base64url');
      expect(await signWith(device.get({ ...options, challenge }), page)).toBe('sign_in.expired');
    }
    expect(await signWith(device.get({ ...options, challenge: '' }), page)).toBe('sign_in.expired');
  });

  test('can be requested only by pages of this site', async () => {
    for (const route of [askForPasskey, signInWithPasskey, requestCode]) {
      const response = await site
        .browser()
        .ask('POST', route.path, { body: {}, headers: { 'sec-fetch-site': 'cross-site' } });
      expect(response.json()).toMatchObject({ code: 'request.foreign_origin' });
    }
    expect((await site.browser().ask('GET', askForPasskey.path)).statusCode).toBe(404);
  });
});

test('a counter that does not increase is refused as a cloned authenticator', async () => {
  const device = createTestAuthenticator({ counts: true, isSynced: false });
  await site.join('member', device);
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await site.signIn(site.browser(), device, { counter: 2 })).toBe('passkey.refused');
  expect(await site.signIn(site.browser(), device, { counter: 0 })).toBe('passkey.refused');
  expect(await site.signIn(site.browser(), device)).toBe(home);
  const pages = [site.browser(), site.browser()];
  const ended = await Promise.all(pages.map((page) => site.signIn(page, device, { counter: 90 })));
  expect(ended.sort()).toEqual([home, 'passkey.refused']);
});

test('a passkey without a counter works repeatedly, and its backup state is recorded', async () => {
  const { id, device } = await site.join();
  expect(await site.signIn(site.browser(), device)).toBe(home);
  expect(await site.signIn(site.browser(), device, { isBackedUp: false })).toBe(home);
  expect(
    await t.select`
      select is_backed_up, last_used_at is not null as used, counter from passkeys where person_id = ${id}`,
  ).toEqual([{ is_backed_up: false, used: true, counter: 0 }]);
});

test('a passkey works after its password manager has changed the flag of backup eligibility, as KeePassXC 2.7.12 does', async () => {
  const { device } = await site.join();
  const local = { isBackupEligible: false, isBackedUp: false };
  expect(await site.signIn(site.browser(), device, local)).toBe(home);
  expect(await site.signIn(site.browser(), device)).toBe(home);
});

test('passkey routes are refused if passkeys are disabled', async () => {
  const without = await createTestApp();
  const page = createTestBrowser(without);
  for (const route of [askForPasskey, requestCode, startFirstPasskey]) {
    const body = route === askForPasskey ? {} : { invitation: 'a code' };
    expect((await page.ask('POST', route.path, { body })).json()).toMatchObject({
      code: 'sign_in.way_unknown',
    });
  }
  await without.close();
});

async function joinWithOldSession() {
  const person = await site.join();
  t.clock.advance(recentAuthMinutes * 60_000);
  return person;
}
const hasRecentAuth = async (browser: TestBrowser) => {
  const { status, body } = await postAs(browser, startPasskey);
  if (status !== 200) expect(body.code).toBe('sign_in.not_fresh');
  return status === 200;
};
const confirmWithPasskey = async (browser: TestBrowser, sign: (options: never) => object) => {
  const { body } = await postAs(browser, startPasskeyConfirmation);
  return postAs(browser, confirmByPasskey, { response: sign(body as never) });
};

test('confirming by passkey replaces the session; the old cookie stops working', async () => {
  const { email, device, browser } = await joinWithOldSession();
  expect(await hasRecentAuth(browser)).toBe(false);
  const before = browser.cookies.get(sessionCookie) as string;
  const { body } = await confirmWithPasskey(browser, (options) => device.get(options));
  expect(body).toEqual({ confirmed: true });
  expect(await hasRecentAuth(browser)).toBe(true);
  expect(await browser.whoAmI()).toBe(email);
  expect(browser.cookies.get(sessionCookie)).not.toBe(before);
  const old = site.browser();
  old.cookies.set(sessionCookie, before);
  expect(await old.whoAmI()).toBe('sign_in.needed');
});

test("confirming by code works with the code mailed to the user's own address", async () => {
  const { browser, email } = await joinWithOldSession();
  const { body } = await postAs(browser, startCodeConfirmation);
  expect((await site.mailOf(body.attempt))?.to.address).toBe(email);
  const code = (await site.codeOf(body.attempt)) as string;
  const wrong = { attempt: body.attempt, code: wrongCode(code) };
  expect((await postAs(browser, confirmByCode, wrong)).body.code).toBe('sign_in.code_wrong');
  expect(await hasRecentAuth(browser)).toBe(false);
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body).toEqual({
    confirmed: true,
  });
  expect(await hasRecentAuth(browser)).toBe(true);
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
});

test("a user cannot confirm an action with another person's passkey or code", async () => {
  const { browser } = await joinWithOldSession();
  const other = await joinWithOldSession();
  const { body: options } = await postAs(browser, startPasskeyConfirmation);
  const { allowCredentials: _, ...open } = options;
  const response = other.device.get(open);
  expect((await postAs(browser, confirmByPasskey, { response })).body.code).toBe('passkey.refused');
  const { body } = await postAs(other.browser, startCodeConfirmation);
  for (const [name, value] of other.browser.cookies)
    if (name.includes('-in-')) browser.cookies.set(name, value);
  const code = (await site.codeOf(body.attempt)) as string;
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
  expect(await hasRecentAuth(browser)).toBe(false);
});

test('a response to a confirmation may omit the user handle but not contain that of another person', async () => {
  const { device, browser } = await joinWithOldSession();
  const confirmWithHandle = async (handle: string | undefined) =>
    (await confirmWithPasskey(browser, (options) => device.get(options, { handle }))).body.code;
  expect(await confirmWithHandle(Buffer.from('another person').toString('base64url'))).toBe(
    'passkey.refused',
  );
  expect(await confirmWithHandle(undefined)).toBeUndefined();
  expect(await hasRecentAuth(browser)).toBe(true);
});

test('a challenge for a confirmation is valid only in its session, and a challenge or code for a sign-in is not valid for a confirmation', async () => {
  const { device, browser, email } = await joinWithOldSession();
  const { body: signInOptions } = await postAs(browser, askForPasskey);
  const confirm = async (response: object) =>
    (await postAs(browser, confirmByPasskey, { response })).body.code;
  expect(await confirm(device.get(signInOptions))).toBe('sign_in.expired');
  const otherBrowser = site.browser();
  await site.signIn(otherBrowser, device);
  const { body: otherOptions } = await postAs(otherBrowser, startPasskeyConfirmation);
  expect(await confirm(device.get(otherOptions))).toBe('sign_in.expired');
  const { body: requested } = await postAs(browser, requestCode, { address: email });
  const code = (await site.codeOf(requested.attempt)) as string;
  expect((await postAs(browser, confirmByCode, { attempt: requested.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
  expect(await hasRecentAuth(browser)).toBe(false);
});

test('a person who needs a passkey cannot confirm by code, and a person without a passkey cannot confirm by passkey', async () => {
  await site.withSettings({ passkeyRequired: 'everybody' }, async () => {
    const { browser } = await joinWithOldSession();
    expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('passkey.required');
  });
  const { id, browser } = await joinWithOldSession();
  await t.select`delete from passkeys where person_id = ${id}`;
  expect((await postAs(browser, startPasskeyConfirmation)).body.code).toBe('passkey.unknown');
});

test.each([
  ['no passkey', 'delete from passkeys where person_id = $1'],
  ['only a passkey of another host', `update passkeys set rp_id = 'old.example.com' where person_id = $1`],
])('a person who needs a passkey and has %s confirms by code to add one', async (_has, statement) => {
  await site.withSettings({ passkeyRequired: 'everybody' }, async () => {
    const { id, browser } = await joinWithOldSession();
    await t.select(statement, [id]);
    const { body } = await postAs(browser, startCodeConfirmation);
    const code = (await site.codeOf(body.attempt)) as string;
    expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).status).toBe(200);
    const { body: started } = await postAs(browser, startPasskey);
    const response = createTestAuthenticator().create(started.options);
    expect((await postAs(browser, addPasskey, { attempt: started.attempt, response })).status).toBe(200);
    t.clock.advance(recentAuthMinutes * 60_000);
    expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('passkey.required');
  });
});

test('a caller with an access token cannot confirm an action by passkey or code', async () => {
  const ann = await t.join('ann@example.com');
  for (const route of [startPasskeyConfirmation, startCodeConfirmation])
    expect((await t.callAs(ann, route, { body: {} })).body.code).toBe('sign_in.way_unknown');
});

test('a session of a provider cannot be confirmed by code if the person cannot sign in by code', async () => {
  const { id, browser } = await joinWithOldSession();
  await t.select`
    insert into identities (issuer, subject, person_id, way) values ('https://acme.example', 'x', ${id}, 'b2c')`;
  await t.select`
    update sessions set issuer = 'https://acme.example', subject = 'x', way = 'b2c' where person_id = ${id}`;
  await t.select`delete from identities where person_id = ${id} and way = 'passkeys'`;
  expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('sign_in.cannot_confirm');
});

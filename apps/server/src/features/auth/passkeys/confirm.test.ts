/** Confirming that it is you, by a passkey or a code, without leaving the page (statement M8). */
import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { addPasskey, askForPasskey, startPasskey } from '@vestibule/contract/sign-in/passkeys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import type { TestBrowser } from '../../../test/test-browser.ts';
import { postAs, createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';
import { sessionCookie } from '../sessions/sessions.ts';

let site: PasskeySite;
let t: PasskeySite['t'];
beforeAll(async () => {
  site = await createPasskeySite();
  ({ t } = site);
});
afterAll(() => site.close());

/** Somebody whose sign-in is too long ago for what needs a fresh one. */
async function joinStale() {
  const person = await site.join();
  t.clock.advance(recentAuthMinutes * 60_000);
  return person;
}
/** Whether a step that needs a fresh sign-in is let through. */
const isFresh = async (browser: TestBrowser) => {
  const { status, body } = await postAs(browser, startPasskey);
  if (status !== 200) expect(body.code).toBe('sign_in.not_fresh');
  return status === 200;
};
const byPasskey = async (browser: TestBrowser, sign: (options: never) => object) => {
  const { body } = await postAs(browser, startPasskeyConfirmation);
  return postAs(browser, confirmByPasskey, { response: sign(body as never) });
};

test('by a passkey: the same person goes on with a new session, and the old cookie opens nothing', async () => {
  const { email, device, browser } = await joinStale();
  expect(await isFresh(browser)).toBe(false);
  const before = browser.cookies.get(sessionCookie) as string;
  const { body } = await byPasskey(browser, (options) => device.get(options));
  expect(body).toEqual({ confirmed: true });
  expect(await isFresh(browser)).toBe(true);
  expect(await browser.whoAmI()).toBe(email);
  expect(browser.cookies.get(sessionCookie)).not.toBe(before);
  const old = site.browser();
  old.cookies.set(sessionCookie, before);
  expect(await old.whoAmI()).toBe('sign_in.needed');
});

test('by a code that goes to their own address', async () => {
  const { browser, email } = await joinStale();
  const { body } = await postAs(browser, startCodeConfirmation);
  expect((await site.mailOf(body.attempt))?.to.address).toBe(email);
  const code = (await site.codeOf(body.attempt)) as string;
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code: wrong })).body.code).toBe(
    'sign_in.code_wrong',
  );
  expect(await isFresh(browser)).toBe(false);
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body).toEqual({
    confirmed: true,
  });
  expect(await isFresh(browser)).toBe(true);
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
});

test('somebody else confirms nothing', async () => {
  const { browser } = await joinStale();
  const other = await joinStale();
  const { body: options } = await postAs(browser, startPasskeyConfirmation);
  const { allowCredentials: _, ...open } = options;
  const response = other.device.get(open);
  expect((await postAs(browser, confirmByPasskey, { response })).body.code).toBe('passkey.refused');
  // A code that they asked for, entered in a browser that both use.
  const { body } = await postAs(other.browser, startCodeConfirmation);
  for (const [name, value] of other.browser.cookies)
    if (name.includes('-in-')) browser.cookies.set(name, value);
  const code = (await site.codeOf(body.attempt)) as string;
  expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
  expect(await isFresh(browser)).toBe(false);
});

test('an authenticator that is asked by name may leave out whose passkey it is, and may not say another', async () => {
  const { device, browser } = await joinStale();
  const saying = async (handle: string | undefined) =>
    (await byPasskey(browser, (options) => device.get(options, { handle }))).body.code;
  expect(await saying(Buffer.from('somebody else').toString('base64url'))).toBe('passkey.refused');
  expect(await saying(undefined)).toBeUndefined();
  expect(await isFresh(browser)).toBe(true);
});

test('a challenge is for this session, and for confirming only', async () => {
  const { device, browser, email } = await joinStale();
  const { body: forSignIn } = await postAs(browser, askForPasskey);
  const confirm = async (response: object) =>
    (await postAs(browser, confirmByPasskey, { response })).body.code;
  expect(await confirm(device.get(forSignIn))).toBe('sign_in.expired');
  const elsewhere = site.browser();
  await site.signIn(elsewhere, device);
  const { body: ofOther } = await postAs(elsewhere, startPasskeyConfirmation);
  expect(await confirm(device.get(ofOther))).toBe('sign_in.expired');
  // A code for signing in confirms nothing either.
  const { body: asked } = await postAs(browser, requestCode, { address: email });
  const code = (await site.codeOf(asked.attempt)) as string;
  expect((await postAs(browser, confirmByCode, { attempt: asked.attempt, code })).body.code).toBe(
    'sign_in.expired',
  );
  expect(await isFresh(browser)).toBe(false);
});

test('whoever needs a passkey confirms with it, and whoever has none does not confirm by it', async () => {
  await site.having({ passkeyRequired: 'everybody' }, async () => {
    const { browser } = await joinStale();
    expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('passkey.required');
  });
  const { id, browser } = await joinStale();
  await t.select('delete from passkeys where person_id = $1', [id]);
  expect((await postAs(browser, startPasskeyConfirmation)).body.code).toBe('passkey.unknown');
});

test.each([
  ['no passkey', 'delete from passkeys where person_id = $1'],
  ['one of another host only', `update passkeys set rp_id = 'old.example.com' where person_id = $1`],
])('whoever needs a passkey and has %s confirms by a code, to add one', async (_has, statement) => {
  await site.having({ passkeyRequired: 'everybody' }, async () => {
    const { id, browser } = await joinStale();
    await t.select(statement, [id]);
    const { body } = await postAs(browser, startCodeConfirmation);
    const code = (await site.codeOf(body.attempt)) as string;
    expect((await postAs(browser, confirmByCode, { attempt: body.attempt, code })).status).toBe(200);
    const { body: begun } = await postAs(browser, startPasskey);
    const response = createTestAuthenticator().create(begun.options);
    expect((await postAs(browser, addPasskey, { attempt: begun.attempt, response })).status).toBe(200);
    // From now on it confirms, and a code does not.
    t.clock.advance(recentAuthMinutes * 60_000);
    expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('passkey.required');
  });
});

test('whoever calls with a token has no session to confirm', async () => {
  const ann = await t.join('ann@example.com');
  for (const route of [startPasskeyConfirmation, startCodeConfirmation])
    expect((await t.call(route, { token: ann.token, body: {} })).body.code).toBe('sign_in.way_unknown');
});

test('a session that a provider began confirms by a code only where codes are a way of theirs', async () => {
  const { id, browser } = await joinStale();
  await t.select(
    `insert into identities (issuer, subject, person_id, way) values ('https://acme.example', 'x', $1, 'b2c')`,
    [id],
  );
  await t.select(
    `update sessions set issuer = 'https://acme.example', subject = 'x', way = 'b2c' where person_id = $1`,
    [id],
  );
  await t.select(`delete from identities where person_id = $1 and way = 'passkeys'`, [id]);
  expect((await postAs(browser, startCodeConfirmation)).body.code).toBe('sign_in.cannot_confirm');
});

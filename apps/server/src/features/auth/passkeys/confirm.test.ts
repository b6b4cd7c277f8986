import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { addPasskey, askForPasskey, startPasskey } from '@vestibule/contract/sign-in/passkeys';
import { expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import { wrongCode, type TestBrowser } from '../../../test/test-browser.ts';
import { postAs, setUpPasskeySite } from '../../../test/test-passkey-site.ts';
import { sessionCookie } from '../sessions/sessions.ts';

const site = await setUpPasskeySite();
const { t } = site;

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
  await t.select('delete from passkeys where person_id = $1', [id]);
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
    expect((await t.call(route, { token: ann.token, body: {} })).body.code).toBe('sign_in.way_unknown');
});

test('a session of a provider cannot be confirmed by code if the person cannot sign in by code', async () => {
  const { id, browser } = await joinWithOldSession();
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

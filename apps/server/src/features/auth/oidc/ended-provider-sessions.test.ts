/** Logouts at the provider during a pending sign-in (statement M3; security 57). */
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestOidcSite, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { deleteExpired } from '../sessions/session-store.ts';
import { isEndedSince, recordEndedSession } from './ended-provider-sessions.ts';
import { createLogoutTokens } from './test-logout-token.ts';

let site: TestOidcSite;
let ann: Awaited<ReturnType<TestOidcSite['join']>>;
let phone: ReturnType<TestOidcSite['browser']>;
beforeAll(async () => {
  site = await createTestOidcSite();
});
beforeEach(async () => {
  ann = await site.join();
  phone = site.browser();
  await phone.signIn({ way: 'acme' });
});
afterAll(() => site.close());

const { sign, post, claimsOf } = createLogoutTokens(() => site);

const confirm = async (browser: typeof phone) => {
  const { url } = (
    await browser.ask('POST', confirmSignIn.path, { body: { returnTo: '/settings/tokens' } })
  ).json<{ url: string }>();
  return browser.visitProvider(url);
};
/**
 * Confirms a sign-in and posts a logout token before the token response arrives. The logout token is issued `seconds`
 * after `auth_time`.
 */
const endedAfterSignIn = async (seconds: number, named: (sid: string) => Record<string, unknown>) => {
  const back = await confirm(phone);
  let ended = false;
  site.acme.next.answer = async (path, body) => {
    if (path !== '/token') return body;
    site.acme.next.answer = null;
    const { sid, auth_time } = decodeJwt<{ sid: string; auth_time: number }>(body['id_token'] as string);
    ended =
      (await post(await sign(claimsOf({ sub: ann.sub, ...named(sid), iat: auth_time + seconds }))))
        .statusCode === 200;
    return body;
  };
  const end = String((await phone.ask('GET', back)).headers.location);
  expect(ended).toBe(true);
  return { end: await site.resultOf(phone, end), whoAmI: await phone.whoAmI() };
};
const refused = { end: 'sign_in.expired', whoAmI: 'sign_in.needed' };

test.each([0, 30])('a logout does not end a sign-in whose auth_time is %i s later', async (s) => {
  expect(await endedAfterSignIn(-s, () => ({}))).toEqual({ end: '/settings/tokens', whoAmI: ann.email });
});

test('a logout ends a sign-in with an earlier auth_time; if it names the session, it also ends one with a later auth_time', async () => {
  expect(await endedAfterSignIn(1, () => ({}))).toEqual(refused);
  await phone.signIn({ way: 'acme' });
  expect(await endedAfterSignIn(-30, (sid) => ({ sid }))).toEqual(refused);
});

test('a logout is stored for longer than a sign-in with resent codes can last', async () => {
  const at = site.t.clock.now();
  const hour = 3_600_000;
  const { issuer } = site.acme;
  const [sub, sid, authTime] = ['waits for codes', null, null];
  const token = { issuer, sub, sid, jti: 'of long ago', issuedAt: new Date(at), endsAt: new Date(at) };
  await recordEndedSession(site.t.database, token, at);
  await deleteExpired(site.t.database, {
    now: at + hour + 60_000,
    absoluteMs: 9 * hour,
    transactionMs: hour,
  });
  expect(await isEndedSince(site.t.database, { issuer, subject: sub, sid, authTime, askedAt: at })).toBe(
    true,
  );
});

test('a pending verification without a start time is not ended by a logout', async () => {
  const { issuer } = site.acme;
  const answer = { issuer, subject: ann.sub, sid: null, askedAt: undefined as never, authTime: null };
  expect(await isEndedSince(site.t.database, answer)).toBe(false);
});

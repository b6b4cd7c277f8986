/** Forged, foreign and repeated callbacks (security 53 to 55). */
import { beforeEach, describe, expect, test } from 'vitest';
import { homePath, type TestOidcSite, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { clientSecret, newSigningKey } from '../../../test/sign-in/test-oidc-provider.ts';
import { withRefusedWrites } from '../../../test/database/test-faults.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { storeProviderResult } from './provider-health.ts';

const site = await setUpOidcSite();
const ann = await site.join();
beforeEach(() => {
  site.acme.next.sub = ann.sub;
});

/** Key with the id of the provider's key. */
const foreignKey = await newSigningKey('k1');
type Browser = ReturnType<TestOidcSite['browser']>;
const finish = async (browser: Browser, back: string) =>
  site.resultOf(browser, String((await browser.ask('GET', back)).headers.location));
const start = async (browser: Browser, methodId = 'acme') =>
  browser.visitProvider(await browser.start({ way: methodId }));
describe('id token validation', () => {
  const seconds = (more: number) => Math.floor(Date.now() / 1000) + more;

  type Forgery = Parameters<TestOidcSite['acme']['forgeIdToken']>[1];
  test.each<[string, Record<string, unknown>, Forgery?]>([
    ['signed by a foreign key', { sub: 'admin' }, { key: foreignKey.privateKey }],
    ['without a signature', {}, { header: { alg: 'none' } }],
    [
      "signed with the client's secret",
      {},
      { header: { alg: 'HS256' }, key: new TextEncoder().encode(clientSecret) },
    ],
    ['of an unknown key', {}, { header: { kid: 'k9' } }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['of another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['for another client', { aud: 'another' }],
    ['for several clients, issued to another', { aud: ['vestibule', 'another'], azp: 'another' }],
    ['of another issuer', { iss: 'https://another.example' }],
    ['without a subject', { sub: undefined }],
    ['whose subject is empty', { sub: '' }],
    ['whose subject contains NUL', { sub: 'a\0b' }],
    ['whose subject is too long', { sub: 'a'.repeat(256) }],
    ['that expired five minutes ago', { iat: seconds(-900), exp: seconds(-300) }],
    ['that is valid only in five minutes', { nbf: seconds(300) }],
  ])('an id token %s is refused (security 53)', async (_what, change, forgery) => {
    site.acme.forgeIdToken((claims) => ({ ...claims, ...change }), forgery);
    const isWrongTime = 'exp' in change || 'nbf' in change;
    expect(await site.tryToSignIn()).toBe(isWrongTime ? 'sign_in.clocks' : 'sign_in.provider_answer');
  });

  test('a clock difference of less than 30 seconds is accepted', async () => {
    site.acme.forgeIdToken((claims) => ({ ...claims, exp: seconds(-20) }));
    expect(await site.tryToSignIn()).toBe(homePath);
  });

  test('a missing id token is refused', async () => {
    site.acme.next.rewrite = (path, { id_token: _, ...body }) =>
      path === '/token' ? body : { ...body, id_token: _ };
    expect(await site.tryToSignIn()).toBe('sign_in.provider_answer');
  });
});

test('userinfo of another subject does not verify a new user’s address', async () => {
  const email = site.newAddress();
  await site.t.invitationTo(email);
  site.acme.setNextAccount('a newcomer', {});
  site.acme.next.rewrite = (path, body) =>
    path === '/me' ? { sub: 'another account', email, email_verified: true } : body;
  expect(await site.tryToSignIn()).toBe('sign_in.provider_answer');
});

describe('GET /auth/:provider/callback', () => {
  test('a callback at another provider’s path is refused: no mix-up (security 54)', async () => {
    const browser = site.browser();
    const back = await start(browser);
    expect(await finish(browser, back.replace('/auth/acme/', '/auth/other/'))).toBe('sign_in.expired');
    expect(await finish(browser, back)).toBe(homePath);
  });

  test('a callback that names another issuer is refused (RFC 9207)', async () => {
    const browser = site.browser();
    const back = new URL(await start(browser), site.t.config.publicUrl);
    expect(back.searchParams.get('iss')).toBe(site.acme.issuer);
    back.searchParams.set('iss', site.other.issuer);
    site.acme.next.calls.length = 0;
    expect(await finish(browser, back.pathname + back.search)).toBe('sign_in.provider_answer');
    expect(site.acme.next.calls).not.toContain('/token');
  });

  test('an error without an issuer is reported as the error, although the provider names its issuer', async () => {
    const browser = site.browser();
    site.acme.next.error = 'access_denied';
    const back = new URL(await start(browser), site.t.config.publicUrl);
    site.acme.next.error = null;
    back.searchParams.delete('iss');
    expect(await finish(browser, back.pathname + back.search)).toBe('sign_in.cancelled');
  });

  test('a callback of a sign-in that another browser started is refused, also with a cookie of this name (security 55)', async () => {
    const theirs = site.browser();
    const back = await start(theirs);
    for (const cookies of [[], [...theirs.cookies.keys()]]) {
      const mine = site.browser();
      for (const name of cookies) mine.cookies.set(name, 'A'.repeat(43));
      expect(await finish(mine, back)).toBe('sign_in.expired');
      expect(mine.cookies.has(sessionCookie)).toBe(false);
    }
    expect(await finish(theirs, back)).toBe(homePath);
  });

  test.each<[string, (back: URL) => void]>([
    ['without a state', (back) => back.searchParams.delete('state')],
    [
      'with two states',
      (back) => back.searchParams.append('state', back.searchParams.get('state') as string),
    ],
    ['with another state', (back) => back.searchParams.set('state', 'A'.repeat(43))],
    ['with a state of 8 KB', (back) => back.searchParams.set('state', 'a'.repeat(8_000))],
    ['without parameters', (back) => (back.search = '')],
  ])('a callback %s is reported as expired, and the unaltered one still works', async (_what, alter) => {
    const browser = site.browser();
    const back = await start(browser);
    const altered = new URL(back, site.t.config.publicUrl);
    alter(altered);
    expect(await finish(browser, altered.pathname + altered.search)).toBe('sign_in.expired');
    expect(await finish(browser, back)).toBe(homePath);
  });

  test('a reloaded callback keeps the session and does not send the code again (security 54)', async () => {
    const browser = site.browser();
    const back = await start(browser);
    expect(await finish(browser, back)).toBe(homePath);
    site.acme.next.calls.length = 0;
    expect(await finish(browser, back)).toBe(homePath);
    expect(site.acme.next.calls).toEqual([]);
    expect(await browser.whoAmI()).toBe(ann.email);
  });

  test('two concurrent requests for one callback exchange its code once', async () => {
    const browser = site.browser();
    const back = await start(browser);
    site.acme.next.calls.length = 0;
    await Promise.all([browser.ask('GET', back), browser.ask('GET', back)]);
    expect(site.acme.next.calls.filter((path) => path === '/token')).toHaveLength(1);
  });

  test('a failed callback reports the same error when it is reloaded, and a sign-in in another tab still succeeds', async () => {
    const browser = site.browser();
    const [cancelled, other] = [await browser.start({ way: 'acme' }), await browser.start({ way: 'acme' })];
    site.acme.next.error = 'access_denied';
    const back = await browser.visitProvider(cancelled);
    expect(await finish(browser, back)).toBe('sign_in.cancelled');
    expect(await finish(browser, back)).toBe('sign_in.cancelled');
    site.acme.next.error = null;
    expect(await finish(browser, await browser.visitProvider(other))).toBe(homePath);
  });

  test('a callback after ten minutes is reported as expired', async () => {
    const browser = site.browser();
    const back = await start(browser);
    await site.t.select`
      update sign_in_transactions set created_at = ${new Date(site.t.clock.now() - 600_000)}`;
    expect(await finish(browser, back)).toBe('sign_in.expired');
  });

  test('a posted callback redirects to the same URL by GET, because the browser sends the cookies only with GET', async () => {
    const browser = site.browser();
    const back = new URL(await start(browser), site.t.config.publicUrl);
    const posted = await site.t.app.inject({
      method: 'POST',
      url: back.pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      payload: back.search.slice(1),
    });
    expect([posted.statusCode, posted.headers.location]).toEqual([303, back.pathname + back.search]);
    expect(await finish(browser, posted.headers.location as string)).toBe(homePath);
  });

  test('a callback of an unknown provider returns 404', async () => {
    for (const url of [
      '/auth/nowhere/callback?code=1&state=2',
      '/auth/b2c/callback',
      '/auth/__proto__/callback',
    ])
      expect((await site.t.app.inject(url)).statusCode).toBe(404);
  });

  test('the redirect URI is not taken from request headers (security 31, 56)', async () => {
    const browser = site.browser();
    const response = await browser.ask('POST', '/api/sign-in/start', {
      body: { way: 'acme' },
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    });
    const { searchParams } = new URL(response.json<{ url: string }>().url);
    expect(searchParams.get('redirect_uri')).toBe('https://portal.example.com/auth/acme/callback');
  });
});

test('an unexpected error of this server is shown, and no session starts', async () => {
  const browser = site.browser();
  const back = await start(browser);
  expect(await withRefusedWrites(site.t, 'sessions', () => finish(browser, back))).toBe('server.unexpected');
  expect(await browser.whoAmI()).toBe('sign_in.needed');
});

test('one browser has at most five pending sign-ins: starting a sixth removes the oldest', async () => {
  const browser = site.browser();
  const backs: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    backs.push(await start(browser));
    site.t.clock.advance(1);
  }
  expect([...browser.cookies.keys()].filter((name) => name.startsWith('__Host-vestibule-in-'))).toHaveLength(
    5,
  );
  expect(await finish(browser, backs[0] as string)).toBe('sign_in.expired');
  expect(await finish(browser, backs[5] as string)).toBe(homePath);
});

describe('an error response without a state', () => {
  const errorCallback = (error: string, methodId = 'acme') =>
    `/auth/${methodId}/callback?${new URLSearchParams({ error, error_description: 'Free <b>text</b>' }).toString()}`;
  const lastFailure = (methodId = 'acme') =>
    site.t.select`select last_failure_code from sign_in_method_status where way = ${methodId}`;
  beforeEach(async () => {
    await site.t.select('delete from sign_in_method_status');
    site.t.clock.advance(2_000);
    site.t.log.length = 0;
  });

  test.each([
    ['invalid_scope', 'sign_in.provider_setup', 'invalid_scope'],
    ['<b>Oops</b>', 'sign_in.refused_by_provider', 'unknown'],
  ])('the error %s is reported, logged and stored for Settings', async (error, code, logged) => {
    const browser = site.browser();
    await browser.start({ way: 'acme', returnTo: '/layout/people' });
    const path = String((await browser.ask('GET', errorCallback(error))).headers.location);
    const outcome = await browser.outcome(path);
    expect(outcome).toMatchObject({ kind: 'problem', code, way: { id: 'acme' }, returnTo: '/layout/people' });
    const log = site.t.log.join('');
    expect(log).toContain(`"oauthCode":"${logged}"`);
    expect(log).toContain(`"code":"${code}","signInMethod":"provider","address":"10.1.`);
    expect(log + JSON.stringify(outcome)).not.toMatch(/Free|Oops/);
    await expect.poll(() => lastFailure()).toEqual([{ last_failure_code: code }]);
  });

  test('a failure that is stored late does not replace a later one', async () => {
    const store = (failure: string | null, at: number) =>
      storeProviderResult(site.t.database, 'acme', failure, new Date(at));
    await store(null, 1_000);
    await store('sign_in.provider_down', 3_000);
    await store('sign_in.provider_setup', 2_000);
    expect(await lastFailure()).toEqual([{ last_failure_code: 'sign_in.provider_down' }]);
  });

  test('an error response without a state reports the same error when it is reloaded, and the callback with the state still signs in', async () => {
    const browser = site.browser();
    const back = await start(browser);
    for (const response of [errorCallback('server_error'), `${errorCallback('server_error')}&state=`])
      expect(await finish(browser, response)).toBe('sign_in.provider_down');
    expect(await finish(browser, back)).toBe(homePath);
  });

  test('a cancellation is not stored as a failure of the provider', async () => {
    const browser = site.browser();
    await browser.start({ way: 'other' });
    expect(await finish(browser, errorCallback('access_denied', 'other'))).toBe('sign_in.cancelled');
    expect(await lastFailure('other')).toEqual([]);
  });
});

import { SignJWT, type JWTPayload } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { homePath, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { newSigningKey } from '../../../test/sign-in/test-oidc-provider.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';

const site = await setUpOidcSite();
const ann = await site.join();
beforeEach(() => {
  site.acme.next.sub = ann.sub;
});

describe('provider errors and metadata', () => {
  test.each([
    ['access_denied', 'sign_in.cancelled'],
    ['login_required', 'sign_in.refused_by_provider'],
    ['server_error', 'sign_in.provider_down'],
    ['temporarily_unavailable', 'sign_in.provider_down'],
    ['invalid_scope', 'sign_in.provider_setup'],
  ])('the error %s is reported as %s', async (error, code) => {
    site.acme.next.error = error;
    expect(await site.tryToSignIn()).toBe(code);
  });

  test('the sign-in of a known user waits only a few seconds for a userinfo endpoint that does not respond', async () => {
    site.acme.forgeIdToken((claims) => ({ ...claims, email: undefined, email_verified: undefined }));
    // Keeps the connection open without a response.
    site.acme.next.instead = ({ url = '' }) => url.startsWith('/me');
    const began = performance.now();
    expect(await site.tryToSignIn()).toBe(homePath);
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(site.acme.next.calls).toContain('/me');
  });

  test('a provider that closes the connection is reported as down, and the user can try again', async () => {
    site.acme.next.instead = ({ url = '' }, response) =>
      url.startsWith('/token') && response.destroy() !== undefined;
    const browser = site.browser();
    const outcome = await browser.outcome(await browser.signIn({ way: 'acme' }));
    expect(outcome).toMatchObject({
      code: 'sign_in.provider_down',
      canRetry: true,
      values: { provider: 'Acme' },
    });
    expect(JSON.stringify(outcome)).not.toMatch(/OAUTH|Oops|fetch|oauth|undefined/);
  });

  const reads = () => site.acme.next.calls.filter((path) => path.startsWith('/.well-known')).length;

  test('the server starts while the provider is down; sign-in reports it and works once the provider is up', async () => {
    const t = await site.startProcess();
    const browser = createTestBrowser(t);
    const start = () => browser.ask('POST', '/api/sign-in/start', { body: { way: 'acme' } });
    site.acme.next.instead = (_request, response) => response.destroy() !== undefined;
    site.acme.next.calls.length = 0;
    const response = await start();
    expect(response.json()).toMatchObject({ code: 'sign_in.provider_down', values: { provider: 'Acme' } });
    expect(response.statusCode).toBe(503);
    await browser.start({ way: 'other' });
    // The delay between attempts grows to 30 seconds.
    for (let failures = 1; failures < 7; failures += 1) {
      site.t.clock.advance(30_000);
      await start();
    }
    expect([(await start()).statusCode, reads()]).toEqual([503, 7]);
    site.acme.next.instead = null;
    site.t.clock.advance(30_000);
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    expect(reads()).toBe(8);
    await t.close();
  });

  test('keys are read again after ten minutes, and tokens signed with a new key are then accepted', async () => {
    const t = await site.startProcess();
    const browser = createTestBrowser(t);
    site.acme.next.calls.length = 0;
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    const newKey = await newSigningKey('k2');
    site.acme.forgeIdToken((claims) => claims, { key: newKey.privateKey, header: { kid: 'k2' } });
    const forged = site.acme.next.rewrite;
    const { kty, n, e } = newKey.jwk;
    site.acme.next.rewrite = async (path, body) =>
      path === '/jwks' ? { keys: [{ kty, n, e, kid: 'k2' }] } : ((await forged?.(path, body)) ?? body);
    site.t.clock.advance(600_000);
    await browser.start({ way: 'acme' });
    await expect.poll(reads).toBe(2);
    await expect.poll(() => browser.signIn({ way: 'acme' })).toBe(homePath);
    expect(reads()).toBe(2);
    await t.close();
  });

  test.each([
    ['another id', 'k2'],
    ['the same id', 'k1'],
  ])('after the keys were replaced by one of %s, the second sign-in succeeds', async (_what, kid) => {
    const t = await site.startProcess();
    const browser = createTestBrowser(t);
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    const newKey = await newSigningKey(kid);
    site.acme.forgeIdToken((claims) => claims, { key: newKey.privateKey, header: { kid } });
    const forged = site.acme.next.rewrite;
    const { kty, n, e } = newKey.jwk;
    site.acme.next.rewrite = async (path, body) =>
      path === '/jwks' ? { keys: [{ kty, n, e, kid }] } : ((await forged?.(path, body)) ?? body);
    site.t.clock.advance(5_000);
    expect(await site.resultOf(browser, await browser.signIn({ way: 'acme' }))).toBe(
      'sign_in.provider_answer',
    );
    expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
    await t.close();
  });

  test.each<[string, string[] | undefined, (string | null)[]]>([
    ['no prompts', undefined, [null, 'select_account']],
    ['neither create nor select_account', ['none', 'login'], [null, 'login']],
    ['create and select_account', ['create', 'select_account'], ['create', 'select_account']],
  ])('a provider whose metadata lists %s gets a supported prompt', async (_what, offered, expected) => {
    site.acme.next.rewrite = (path, body) =>
      path.startsWith('/.well-known') ? { ...body, prompt_values_supported: offered } : body;
    const t = await site.startProcess();
    const browser = createTestBrowser(t);
    const { code } = await t.invitationTo(site.newAddress());
    const urls = [
      await browser.start({ way: 'acme', invitation: code }),
      await browser.start({ way: 'acme', chooseAccount: true }),
    ];
    expect(urls.map((url) => new URL(url).searchParams.get('prompt'))).toEqual(expected);
    await t.close();
  });

  test.each([
    ['contains no jwks_uri', { jwks_uri: undefined }],
    ['contains a jwks_uri that is not a URL', { jwks_uri: 'keys' }],
  ])('starting a sign-in fails if the provider’s metadata %s', async (_what, change) => {
    site.acme.next.rewrite = (path, body) =>
      path.startsWith('/.well-known') ? { ...body, ...change } : body;
    const t = await site.startProcess();
    const response = await createTestBrowser(t).ask('POST', '/api/sign-in/start', { body: { way: 'acme' } });
    expect(response.json()).toMatchObject({ code: 'sign_in.provider_answer', values: { provider: 'Acme' } });
    await t.close();
  });

  test('starting a sign-in fails for an unknown or missing method, and returns no URL for B2C', async () => {
    const browser = site.browser();
    for (const body of [{ way: 'nowhere' }, {}, { address: 'ann@elsewhere.example' }])
      expect((await browser.ask('POST', '/api/sign-in/start', { body })).json()).toMatchObject({
        code: 'sign_in.way_unknown',
      });
    expect((await browser.ask('POST', '/api/sign-in/start', { body: { way: 'b2c' } })).json()).toEqual({
      way: { id: 'b2c', kind: 'b2c', name: 'Microsoft' },
      url: null,
    });
  });
});

test('a failure is stored for Settings, without text from the provider', async () => {
  site.acme.next.error = 'server_error';
  site.t.clock.advance(2_000);
  await site.tryToSignIn();
  await expect
    .poll(() => site.t.select("select last_failure_code from sign_in_method_status where way = 'acme'"))
    .toEqual([{ last_failure_code: 'sign_in.provider_down' }]);
  site.acme.next.error = null;
  const admin = await site.join('admin');
  const { rows } = (await admin.browser.ask('GET', '/api/settings/sign-in-ways')).json<{
    rows: { id: string; lastFailure: { message: string } | null }[];
  }>();
  expect(rows.map(({ id, lastFailure }) => [id, lastFailure?.message ?? null])).toEqual([
    ['b2c', null],
    [
      'acme',
      'Acme cannot be reached right now. Try again in a minute. If the problem persists, tell support.',
    ],
    ['other', null],
  ]);
  expect(site.t.log.join('')).not.toMatch(/code=|state=/);
});

test('Settings shows the last successful sign-in through B2C', async () => {
  const admin = await site.join('admin');
  await site.t.join(site.newAddress());
  const lastSuccess = async () =>
    (await admin.browser.ask('GET', '/api/settings/sign-in-ways'))
      .json<{ rows: { id: string; lastSuccessAt: string | null }[] }>()
      .rows.find(({ id }) => id === 'b2c')?.lastSuccessAt;
  await expect.poll(lastSuccess).toEqual(expect.any(String));
});

describe('responses that differ from the specification without changing their meaning', () => {
  test('a token response with null in place of absent values signs in', async () => {
    site.acme.next.rewrite = (path, body) =>
      path === '/token' ? { ...body, refresh_token: null, scope: null, expires_in: null } : body;
    expect(await site.tryToSignIn()).toBe(homePath);
  });

  const signUserInfo = (claims: JWTPayload, key = site.acme.key.privateKey) => {
    site.acme.next.instead = ({ url = '' }, response) => {
      if (!url.startsWith('/me')) return false;
      const send = async () => {
        const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key);
        response.writeHead(200, { 'content-type': 'application/jwt' }).end(jwt);
      };
      void send();
      return true;
    };
  };

  test('signed userinfo verifies an address even if the metadata lists no algorithms for userinfo', async () => {
    const email = site.newAddress();
    await site.t.invitationTo(email);
    site.acme.setNextAccount('with signed userinfo', {});
    signUserInfo({ sub: 'with signed userinfo', email, email_verified: true });
    expect(await site.tryToSignIn()).toBe(homePath);
  });

  test('userinfo signed with another key is refused, and the log has the reason', async () => {
    const email = site.newAddress();
    await site.t.invitationTo(email);
    site.acme.setNextAccount('with forged userinfo', {});
    const { privateKey } = await newSigningKey('k1');
    signUserInfo({ sub: 'with forged userinfo', email, email_verified: true }, privateKey);
    site.t.log.length = 0;
    expect(await site.tryToSignIn()).toBe('sign_in.provider_answer');
    expect(site.t.log.join('')).toMatch(/"problem":"sign_in.provider_answer".*"reason":"[^"]*signature/);
  });
});

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  anna,
  authorizeRequest,
  ben,
  openTestTenant,
  redeemCode,
  signInWithTokens,
  type TestTenant,
} from '../test/test-tenant.ts';

const policy = 'b2c_1a_signin';
let tenant: TestTenant;
beforeAll(async () => {
  tenant = await openTestTenant();
});
afterAll(() => tenant.close());

const requestAuthorize = (parameters: Record<string, string>) =>
  tenant.browser().get(authorizeRequest(policy, parameters).url);

describe('a request without a valid redirect address (security 45)', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['an unknown client', { client_id: 'unknown' }, 'AADB2C90018'],
    ['no client', { client_id: '' }, 'AADB2C90008'],
    ['no redirect address', { redirect_uri: '' }, 'AADB2C90006'],
    ['a longer redirect address', { redirect_uri: 'http://localhost:3000/x' }, 'AADB2C90006'],
    ['a shorter one', { redirect_uri: 'http://localhost:3000' }, 'AADB2C90006'],
    ['one with a query', { redirect_uri: 'http://localhost:3000/?a=b' }, 'AADB2C90006'],
    ['another port', { redirect_uri: 'http://localhost:3001/' }, 'AADB2C90006'],
    ['another case', { redirect_uri: 'http://LOCALHOST:3000/' }, 'AADB2C90006'],
    ['a foreign site', { redirect_uri: 'https://evil.example/' }, 'AADB2C90006'],
    ["another client's address", { redirect_uri: 'http://localhost:4000/' }, 'AADB2C90006'],
    [
      'a very long redirect address',
      { redirect_uri: `http://localhost:3000/${'x'.repeat(9000)}` },
      'AADB2C90122',
    ],
  ];
  test.each(cases)('gets an error page: %s', async (_, parameters, code) => {
    const page = await requestAuthorize(parameters);
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
    expect(page.html).toContain(`${code}: `);
    expect(page.html).toMatch(/Correlation ID: [0-9a-f-]{36}/);
    expect(page.html).toContain('Go back to the application and try again.');
  });

  test('gets an error page: a repeated redirect address', async () => {
    const { url } = authorizeRequest(policy);
    const page = await tenant.browser().get(`${url}&redirect_uri=https%3A%2F%2Fevil.example%2F`);
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
  });
});

describe('another invalid request', () => {
  const cases: [string, Record<string, string>, string, string][] = [
    [
      'no PKCE (security 46)',
      { code_challenge: '', code_challenge_method: '' },
      'invalid_request',
      'AADB2C99059',
    ],
    ['plain PKCE (security 46)', { code_challenge_method: 'plain' }, 'invalid_request', 'AADB2C90184'],
    ['no PKCE method, which means plain', { code_challenge_method: '' }, 'invalid_request', 'AADB2C90184'],
    ['a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request', 'AADB2C90122'],
    ['an unknown scope (L4)', { scope: 'openid https://graph.example/read' }, 'invalid_scope', 'AADB2C90117'],
    [
      "another tenant's scope",
      { scope: 'https://contoso.onmicrosoft.com/api/access' },
      'invalid_scope',
      'AADB2C90117',
    ],
    ['no scope', { scope: '' }, 'invalid_request', 'AADB2C90010'],
    ['the implicit flow', { response_type: 'id_token' }, 'unsupported_response_type', 'AADB2C90013'],
    ['no response type', { response_type: '' }, 'invalid_request', 'AADB2C90083'],
    ['an unknown prompt', { prompt: 'maybe' }, 'invalid_request', 'AADB2C90043'],
    ['none together with login', { prompt: 'none login' }, 'invalid_request', 'AADB2C90043'],
    ['a max_age that is no number', { max_age: '-1' }, 'invalid_request', 'AADB2C90120'],
    ['no session for prompt=none (L4)', { prompt: 'none' }, 'interaction_required', 'AADB2C90077'],
    ['a nonce that is too long', { nonce: 'n'.repeat(9000) }, 'invalid_request', 'AADB2C90122'],
  ];
  test.each(cases)('is redirected with an error: %s', async (_, parameters, error, code) => {
    const back = await requestAuthorize(parameters);
    expect(back.status).toBe(303);
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/#state=state-1&/);
    expect(back.response.get('error')).toBe(error);
    expect(back.response.get('error_description')).toMatch(new RegExp(`^${code}: `));
    expect(back.response.get('state')).toBe('state-1');
    expect(back.headers).not.toHaveProperty('x-frame-options');
    expect(back.headers).not.toHaveProperty('content-security-policy');
  });

  test('is redirected with an error in the query for an unknown response mode', async () => {
    const back = await requestAuthorize({ response_mode: 'web_message' });
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/\?/);
    expect(back.response.get('error_description')).toMatch(/^AADB2C90014: /);
  });
});

describe('the authorization response', () => {
  const signIn = { email: anna.email, password: anna.password };

  test("uses the query by default and keeps the redirect address's own query", async () => {
    const browser = tenant.browser();
    const parameters = { response_mode: '', redirect_uri: 'https://app.example/callback?keep=1' };
    const page = await browser.get(authorizeRequest(policy, parameters).url);
    const back = await browser.submit(page, 'next', signIn);
    expect(back.url).toMatch(/^https:\/\/app\.example\/callback\?keep=1&state=state-1&code=/);
  });

  test('is posted by a form for form_post', async () => {
    const browser = tenant.browser();
    const page = await browser.get(authorizeRequest(policy, { response_mode: 'form_post' }).url);
    const back = await browser.submit(page, 'next', signIn);
    expect(back.status).toBe(200);
    expect(back.html).toMatch(/<form method="post" action="http:\/\/localhost:3000\/">/);
    expect(back.html).toMatch(/name="code" value="[\w.-]{43,}"/);
    expect(back.html).toContain('<script>document.forms[0].submit()</script>');
  });
});

describe('a signed-in user', () => {
  test('gets a code without a page, also with prompt=none', async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser);
    for (const prompt of ['', 'none']) {
      const { url, verifier } = authorizeRequest(policy, { prompt });
      const back = await browser.get(url);
      const { body } = await redeemCode(tenant, policy, back, verifier);
      expect(decodeJwt(body.id_token!)['emails']).toEqual([anna.email]);
    }
  });

  test('keeps the time of the first sign-in in auth_time', async () => {
    const browser = tenant.browser();
    const { tokens } = await signInWithTokens(tenant, browser);
    tenant.passSeconds(500);
    const { url, verifier } = authorizeRequest(policy);
    const { body } = await redeemCode(tenant, policy, await browser.get(url), verifier);
    const [first, second] = [decodeJwt(tokens.id_token!), decodeJwt(body.id_token!)];
    expect(second['auth_time']).toBe(first['auth_time']);
    expect(second.iat).toBe(first.iat! + 500);
  });

  test('signs in again for prompt=login, an exceeded max_age, or a login_hint of another address', async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser);
    tenant.passSeconds(100);
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }, { login_hint: ben.email }]) {
      const page = await browser.get(authorizeRequest(policy, parameters).url);
      expect(page.has('password')).toBe(true);
    }
    const silent = await browser.get(authorizeRequest(policy, { prompt: 'none', login_hint: ben.email }).url);
    expect(silent.response.get('error')).toBe('interaction_required');
  });

  test('is signed out after the session lifetime, which each use extends', async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser);
    for (const [seconds, returned] of [
      [80_000, 'code'],
      [80_000, 'code'],
      [86_401, 'error'],
    ] as const) {
      tenant.passSeconds(seconds);
      const { response } = await browser.get(authorizeRequest(policy, { prompt: 'none' }).url);
      expect(response.has(returned)).toBe(true);
    }
  });

  test('sees a page at policies that always need one', async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser);
    for (const other of ['b2c_1a_signup', 'b2c_1a_passwordreset']) {
      const back = await browser.get(authorizeRequest(other, { prompt: 'none' }).url);
      expect(back.response.get('error_description')).toMatch(/^AADB2C90077: /);
    }
  });
});

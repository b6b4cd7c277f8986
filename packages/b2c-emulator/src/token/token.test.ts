import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  anna,
  apiScope,
  authorizeRequest,
  clientId,
  openTestTenant,
  postToken,
  redeemCode,
  refresh,
  signInWithTokens,
  type TestTenant,
  type TokenResponse,
} from '../test/test-tenant.ts';
import { pkcePair } from '../test/test-browser.ts';

const policy = 'b2c_1a_signin';
let tenant: TestTenant;
beforeAll(async () => {
  tenant = await openTestTenant();
});
afterAll(() => tenant.close());

/** Signs in on the page without redeeming the code. */
async function signIn(parameters: Record<string, string> = {}) {
  const browser = tenant.browser();
  const { url, verifier } = authorizeRequest(policy, parameters);
  return { verifier, back: await browser.submit(await browser.get(url), 'next', anna) };
}

/** Returns status, error and B2C code, such as "400 invalid_grant AADB2C90080". */
function refusalOf({ status, body }: TokenResponse): string {
  return `${status} ${body.error} ${body.error_description?.split(':', 1)[0]}`;
}
const refusalOfRefresh = async (token: string | undefined) =>
  refusalOf(await refresh(tenant, policy, token ?? ''));

describe('redeeming a code', () => {
  test('returns an id token and a refresh token but no access token for offline_access alone', async () => {
    const { back, verifier } = await signIn({ scope: 'offline_access openid profile' });
    const { status, body, headers } = await redeemCode(tenant, policy, back, verifier);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).not.toHaveProperty('access_token');
    expect(body).toMatchObject({
      token_type: 'Bearer',
      scope: 'offline_access openid profile',
      refresh_token_expires_in: 86_400,
      not_before: tenant.clock.now / 1000,
    });
    const claims = decodeJwt(body.id_token!);
    expect(claims).toEqual({
      ver: '1.0',
      iss: 'https://vestibule.b2clogin.com/11111111-2222-4333-8444-555555555555/v2.0/',
      aud: clientId,
      sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
      oid: claims.sub,
      iat: tenant.clock.now / 1000,
      nbf: tenant.clock.now / 1000,
      exp: tenant.clock.now / 1000 + 3600,
      auth_time: tenant.clock.now / 1000,
      tfp: 'B2C_1A_SignIn',
      nonce: 'nonce-1',
      name: anna.displayName,
      emails: [anna.email],
    });
    expect(JSON.parse(Buffer.from(body.client_info!, 'base64url').toString())).toEqual({
      uid: `${claims.sub}-${policy}`,
      utid: '11111111-2222-4333-8444-555555555555',
    });
  });

  test('returns an access token with scp and azp and without a nonce for an API scope', async () => {
    const { back, verifier } = await signIn({ scope: `openid ${apiScope}` });
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(body.expires_in).toBe(3600);
    expect(body).not.toHaveProperty('refresh_token');
    const claims = decodeJwt(body.access_token!);
    expect(claims).toMatchObject({
      aud: clientId,
      azp: clientId,
      scp: 'access',
      tfp: 'B2C_1A_SignIn',
      ver: '1.0',
    });
    expect(claims).not.toHaveProperty('nonce');
    const idClaims = decodeJwt(body.id_token!);
    expect(idClaims).not.toHaveProperty('scp');
    expect(idClaims).not.toHaveProperty('tid');
  });

  test('returns an access token for the client ID as scope, for plain OpenID Connect clients', async () => {
    const { back, verifier } = await signIn({ scope: `openid ${clientId}` });
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.access_token!)).not.toHaveProperty('scp');
  });

  test('accepts the client ID in a Basic header, as sent by confidential clients', async () => {
    const { back, verifier } = await signIn();
    const response = await tenant.app.inject({
      method: 'POST',
      url: `/vestibule.onmicrosoft.com/${policy}/oauth2/v2.0/token`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${clientId}:any`).toString('base64')}`,
      },
      payload: new URLSearchParams({
        grant_type: 'authorization_code',
        redirect_uri: 'http://localhost:3000/',
        code: back.response.get('code')!,
        code_verifier: verifier,
      }).toString(),
    });
    expect(response.statusCode).toBe(200);
  });

  test('fails the second time and revokes the tokens of the first (security 46)', async () => {
    const { back, verifier } = await signIn();
    const first = await redeemCode(tenant, policy, back, verifier);
    expect(first.status).toBe(200);
    expect(refusalOf(await redeemCode(tenant, policy, back, verifier))).toBe('400 invalid_grant AADB2C90129');
    expect(await refusalOfRefresh(first.body.refresh_token)).toBe('400 invalid_grant AADB2C90129');
  });

  test('fails with a missing, short or wrong verifier (security 46)', async () => {
    const { back, verifier } = await signIn();
    for (const [wrong, code] of [
      ['', 'AADB2C90183'],
      ['short', 'AADB2C90183'],
      [pkcePair().verifier, 'AADB2C90182'],
    ] as const)
      expect(refusalOf(await redeemCode(tenant, policy, back, wrong))).toBe(`400 invalid_grant ${code}`);
    expect((await redeemCode(tenant, policy, back, verifier)).status).toBe(200);
  });

  test('fails with AADB2C90080 after five minutes (L4)', async () => {
    const { back, verifier } = await signIn();
    tenant.passSeconds(300);
    const response = await redeemCode(tenant, policy, back, verifier);
    expect(refusalOf(response)).toBe('400 invalid_grant AADB2C90080');
    expect(response.body.error_description).toMatch(
      /Current time: 2026-\d\d-\d\d \d\d:\d\d:\d\dZ, Grant issued time: /,
    );
  });

  test('fails at another policy, for another client or another redirect address (L4)', async () => {
    const { back, verifier } = await signIn();
    for (const [at, changes, code] of [
      ['b2c_1a_signup', {}, 'AADB2C90088'],
      [policy, { client_id: 'other-client' }, 'AADB2C90279'],
      [policy, { redirect_uri: 'https://app.example/callback?keep=1' }, 'AADB2C90006'],
    ] as const) {
      const response = await redeemCode(tenant, at, back, verifier, changes);
      expect(refusalOf(response)).toBe(`400 invalid_grant ${code}`);
    }
  });
});

describe('refreshing tokens', () => {
  test('returns an access token for a scope that the sign-in did not include', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const signedInAt = tenant.clock.now / 1000;
    tenant.passSeconds(60);
    const { status, body } = await refresh(tenant, policy, tokens.refresh_token!);
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token!)['auth_time']).toBe(signedInAt);
    expect(body.scope).toBe(`${apiScope} openid profile offline_access`);
    expect(decodeJwt(body.access_token!)['scp']).toBe('access');
    expect(body.refresh_token).not.toBe(tokens.refresh_token);
    expect(decodeJwt(body.id_token!)).not.toHaveProperty('nonce');
  });

  test('keeps the scope of the sign-in by default', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const { body } = await refresh(tenant, policy, tokens.refresh_token!, { scope: '' });
    expect(body.scope).toBe('offline_access openid profile');
  });

  test('fails for a scope that the client does not have', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const response = await refresh(tenant, policy, tokens.refresh_token!, { scope: 'https://x.example/y' });
    expect(refusalOf(response)).toBe('400 invalid_scope AADB2C90117');
  });

  test('works twice within the grace period, because tabs share a token', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const old = tokens.refresh_token!;
    const [one, two] = await Promise.all([refresh(tenant, policy, old), refresh(tenant, policy, old)]);
    tenant.passSeconds(30);
    const three = await refresh(tenant, policy, old);
    for (const { status, body } of [one, two, three]) {
      expect(status).toBe(200);
      expect((await refresh(tenant, policy, body.refresh_token!)).status).toBe(200);
    }
  });

  test('revokes the whole grant when a used token is reused after the grace period', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const next = await refresh(tenant, policy, tokens.refresh_token!);
    tenant.passSeconds(31);
    for (const { refresh_token } of [tokens, next.body])
      expect(await refusalOfRefresh(refresh_token)).toBe('400 invalid_grant AADB2C90129');
    const other = await signInWithTokens(tenant, tenant.browser());
    expect((await refresh(tenant, policy, other.tokens.refresh_token!)).status).toBe(200);
  });

  test('does not extend the 24 hours of a single-page app (L4)', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    tenant.passSeconds(86_399);
    const { body } = await refresh(tenant, policy, tokens.refresh_token!);
    expect(body.refresh_token_expires_in).toBe(1);
    tenant.passSeconds(1);
    expect(await refusalOfRefresh(body.refresh_token)).toBe('400 invalid_grant AADB2C90080');
  });

  test('fails at another policy or for another client without other effects (L4)', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    const token = tokens.refresh_token!;
    const wrongPolicy = await refresh(tenant, 'b2c_1a_signup', token);
    expect(refusalOf(wrongPolicy)).toBe('400 invalid_grant AADB2C90088');
    expect(wrongPolicy.body.error_description).toContain(
      'Actual Value : b2c_1a_signin and Expected Value : b2c_1a_signup',
    );
    const wrongClient = await refresh(tenant, policy, token, { client_id: 'other-client' });
    expect(refusalOf(wrongClient)).toBe('400 invalid_grant AADB2C90279');
    expect((await refresh(tenant, policy, token)).status).toBe(200);
  });
});

describe('an invalid token request', () => {
  const cases: [string, Record<string, string>, string, string][] = [
    ['no grant type', {}, 'invalid_request', 'AADB2C90083'],
    [
      'an unknown grant type',
      { grant_type: 'password', client_id: clientId },
      'unsupported_grant_type',
      'AADB2C90086',
    ],
    ['no client', { grant_type: 'refresh_token' }, 'invalid_request', 'AADB2C90083'],
    ['an unknown client', { grant_type: 'refresh_token', client_id: 'x' }, 'invalid_client', 'AADB2C90018'],
    [
      'an unknown code',
      {
        grant_type: 'authorization_code',
        client_id: clientId,
        code: 'x',
        redirect_uri: 'http://localhost:3000/',
        code_verifier: 'x',
      },
      'invalid_grant',
      'AADB2C90085',
    ],
    [
      'an unknown refresh token',
      { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'x' },
      'invalid_grant',
      'AADB2C90085',
    ],
    [
      'a parameter of 10,000 characters',
      { grant_type: 'x'.repeat(10_000) },
      'invalid_request',
      'AADB2C90122',
    ],
  ];
  test.each(cases)('is rejected with %s', async (_, parameters, error, code) => {
    const response = await postToken(tenant, policy, parameters);
    expect(refusalOf(response)).toBe(`400 ${error} ${code}`);
    expect(response.headers['access-control-allow-origin']).toBe('*');
  });

  test('is rejected with an id token as refresh token (security 6)', async () => {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    expect(await refusalOfRefresh(tokens.id_token)).toBe('400 invalid_grant AADB2C90085');
  });

  test('is rejected in JSON, never with a 5xx status, for a JSON body or more than 64 kB', async () => {
    const url = `/vestibule.onmicrosoft.com/${policy}/oauth2/v2.0/token`;
    const json = await tenant.app.inject({ method: 'POST', url, payload: { grant_type: 'refresh_token' } });
    expect(json.statusCode).toBe(415);
    const large = await tenant.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `grant_type=${'x'.repeat(70_000)}`,
    });
    expect(large.statusCode).toBe(413);
    for (const response of [json, large]) {
      expect(response.json().error).toBe('invalid_request');
      expect(response.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

/** Limits of the server's IDP_*_SECONDS variables (security 66). */
test.each([1, 999_999_999])('tokens and sessions can have a lifetime of %i seconds', async (seconds) => {
  const lasting = await openTestTenant({
    lifetimes: { accessTokenSeconds: seconds, refreshTokenSeconds: seconds, sessionSeconds: seconds },
  });
  const { tokens } = await signInWithTokens(lasting, lasting.browser());
  lasting.passSeconds(seconds - 1);
  expect(await refresh(lasting, policy, tokens.refresh_token!)).toMatchObject({
    status: 200,
    body: { expires_in: seconds },
  });
  await lasting.close();
});

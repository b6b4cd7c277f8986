import { importJWK, jwtVerify, type JWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestTenant, origin, signInWithTokens, testConfig, type TestTenant } from './test/test-tenant.ts';

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await openTestTenant();
});
afterAll(() => tenant.close());

const metadataPath = '/vestibule.onmicrosoft.com/b2c_1a_signin/v2.0/.well-known/openid-configuration';

test('every policy has metadata with lower-case URLs of its tenant (L1)', async () => {
  for (const policy of Object.keys(testConfig.policies).map((name) => name.toLowerCase())) {
    const response = await tenant.app.inject(metadataPath.replace('b2c_1a_signin', policy));
    const base = `${origin}/vestibule.onmicrosoft.com/${policy}`;
    expect(response.json()).toMatchObject({
      issuer: 'https://vestibule.b2clogin.com/11111111-2222-4333-8444-555555555555/v2.0/',
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
  }
});

test.each([
  '/VESTIBULE.onmicrosoft.com/B2C_1A_SignIn/v2.0/.well-known/openid-configuration',
  '/vestibule.onmicrosoft.com/b2c_1A_SIGNIN/V2.0/.well-known/openid-configuration',
  '/11111111-2222-4333-8444-555555555555/b2c_1a_signin/v2.0/.well-known/openid-configuration',
])('metadata ignores case and accepts the tenant id in the path: %s', async (path) => {
  const response = await tenant.app.inject(path);
  expect(response.json().token_endpoint).toBe(
    `${origin}/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/token`,
  );
});

test.each([
  metadataPath.replace('b2c_1a_signin', 'b2c_1a_other'),
  metadataPath.replace('vestibule', 'contoso'),
])('metadata returns 404 in JSON for an unknown policy or tenant: %s', async (path) => {
  const response = await tenant.app.inject(path);
  expect(response.statusCode).toBe(404);
  expect(response.json().error_description).toMatch(/^AADB2C90022: Unable to return metadata for the policy/);
  expect(response.headers['access-control-allow-origin']).toBe('*');
});

test('metadata, keys and tokens allow any origin, other endpoints none', async () => {
  const base = '/vestibule.onmicrosoft.com/b2c_1a_signin';
  const headers = { origin: 'http://localhost:3000' };
  for (const path of [metadataPath, `${base}/discovery/v2.0/keys`]) {
    const response = await tenant.app.inject({ url: path, headers });
    expect(response.headers['access-control-allow-origin']).toBe('*');
  }
  const token = await tenant.app.inject({ method: 'POST', url: `${base}/oauth2/v2.0/token`, headers });
  expect(token.headers['access-control-allow-origin']).toBe('*');
  const preflight = await tenant.app.inject({ method: 'OPTIONS', url: `${base}/oauth2/v2.0/token`, headers });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
  });
  for (const path of ['authorize', 'logout']) {
    const response = await tenant.app.inject({ url: `${base}/oauth2/v2.0/${path}`, headers });
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('the published key verifies tokens and contains no private part', async () => {
  const { tokens } = await signInWithTokens(tenant, tenant.browser());
  const response = await tenant.app.inject('/vestibule.onmicrosoft.com/b2c_1a_signin/discovery/v2.0/keys');
  const [jwk] = response.json<{ keys: JWK[] }>().keys;
  expect(Object.keys(jwk!).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  const { protectedHeader } = await jwtVerify(tokens.id_token!, await importJWK(jwk!, 'RS256'), {
    currentDate: new Date(tenant.clock.now),
  });
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: jwk!.kid });
});

test('the issuer can contain the policy, for clients that discover metadata below the issuer', async () => {
  const own = await openTestTenant({ issuer: `${origin}/vestibule.onmicrosoft.com/{policy}/v2.0` });
  const response = await own.app.inject(metadataPath);
  expect(response.json().issuer).toBe(`${origin}/vestibule.onmicrosoft.com/b2c_1a_signin/v2.0`);
  await own.close();
});

/** Every kind of invalid token (security 1, 2, 4, 5, 7). access.test.ts and every-token.test.ts call every route. */
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getMe } from '@vestibule/contract/profile/me';
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import {
  accessTokenClaims,
  createTestApp,
  mintToken,
  providerJwk,
  providerPrivateKey,
  testEnvironment,
  testIssuer,
} from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');
let untrustedRequests = 0;
const untrustedServer = createServer((_request, response) => {
  untrustedRequests += 1;
  response.end(JSON.stringify({ keys: [providerJwk] }));
});
await once(untrustedServer.listen(0, '127.0.0.1'), 'listening');
const untrustedUrl = `http://127.0.0.1:${(untrustedServer.address() as AddressInfo).port}/`;
afterAll(() => untrustedServer.close());

const seconds = () => Math.floor(t.clock.now() / 1000);
/** A guarded route of each method and access level. */
const guardedRoutes = [
  ...new Map(
    contractRoutes
      .filter(({ access }) => access !== 'public')
      .map((route) => [
        `${route.method} ${typeof route.access === 'string' ? route.access : 'permission'}`,
        route,
      ]),
  ).values(),
];

/** Calls the guarded routes with these headers and returns the distinct outcomes. */
async function outcomes(headers: Record<string, string>): Promise<string[]> {
  const responses = await Promise.all(
    guardedRoutes.map((route) =>
      t.app.inject({
        method: route.method,
        url: route.path.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab'),
        headers,
        ...(route.body && { payload: {} }),
      }),
    ),
  );
  return [
    ...new Set(
      responses.map((response) => `${response.statusCode} ${response.json<{ code?: string }>().code}`),
    ),
  ];
}

const refused = ['401 sign_in.needed'];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const claims = (more: Record<string, unknown>) =>
  accessTokenClaims(t.clock.now(), { sub: admin.subject, ...more });
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('the token of an administrator, from which the invalid ones below are derived, is accepted', async () => {
  expect((await t.callAs(admin, getMe)).status).toBe(200);
});

describe('a request without one bearer token in its header', () => {
  test.each([
    ['a missing header', {}],
    ['an empty header', { authorization: '' }],
    ['the scheme alone', { authorization: 'Bearer' }],
    ['Basic credentials', { authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` }],
    ['two tokens in one header', { authorization: 'Bearer one two' }],
    ['a token that is not a JWT', { authorization: 'Bearer not-a-token' }],
    ['a token of 64 KB', { authorization: `Bearer ${'a'.repeat(65_536)}` }],
  ])('is refused with 401: %s', async (_what, headers) => {
    expect(await outcomes(headers)).toEqual(refused);
  });

  test('is refused with 401: a token in the query', async () => {
    const response = await t.app.inject(`/api/users/me?access_token=${admin.token}`);
    expect(response.statusCode).toBe(401);
  });

  test('is refused with 401: a token in a form body', async () => {
    const response = await t.app.inject({
      method: 'POST',
      url: '/api/invitations',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `access_token=${admin.token}`,
    });
    expect(response.statusCode).toBe(401);
  });

  test('is refused with 401: two Authorization headers, even if both are valid, or one of 64 KB', async () => {
    await t.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = t.app.server.address() as AddressInfo;
    const send = (headers: string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        httpRequest(
          { port, path: '/api/users/me', headers: ['Host', 'localhost', ...headers] },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .on('error', reject)
          .end();
      });
    const right = ['Authorization', `Bearer ${admin.token}`];
    expect(await send(right)).toBe(200);
    expect(await send([...right, ...right])).toBe(401);
    expect(await send([...right, 'authorization', 'Basic eDp5'])).toBe(401);
    expect(await send(['Authorization', `Bearer ${'a'.repeat(65_536)}`])).toBe(401);
  });

  test('is refused with WWW-Authenticate: Bearer', async () => {
    expect((await t.app.inject('/api/users/me')).headers['www-authenticate']).toBe('Bearer');
  });
});

describe('the signature of a token', () => {
  const tokens: Record<string, () => Promise<string>> = {
    'alg none': () => Promise.resolve(new UnsecuredJWT(claims({})).encode()),
    'alg nOnE': () => Promise.resolve(`${base64({ alg: 'nOnE', typ: 'JWT' })}.${base64(claims({}))}.`),
    'alg none and the signature of a valid token': () =>
      Promise.resolve(
        `${base64({ alg: 'none', kid: providerJwk.kid })}.${base64(claims({}))}.${admin.token.split('.')[2]}`,
      ),
    'an HS256 signature made with the public key': async () =>
      new SignJWT(claims({}))
        .setProtectedHeader({ alg: 'HS256', kid: providerJwk.kid })
        .sign(
          new TextEncoder().encode(
            await exportSPKI((await importJWK(providerJwk, 'RS256')) as Parameters<typeof exportSPKI>[0]),
          ),
        ),
    'a signature of an unknown key': async () =>
      mintToken(claims({}), {}, (await generateKeyPair('RS256')).privateKey),
    'a PS256 signature of the provider': async () =>
      mintToken(claims({}), { alg: 'PS256' }, await importJWK(await exportJWK(providerPrivateKey), 'PS256')),
    'an unknown kid': () => mintToken(claims({}), { kid: 'unknown' }),
    'an altered payload': () => {
      const [header, , signature] = admin.token.split('.');
      return Promise.resolve(`${header}.${base64(claims({ sub: 'another person' }))}.${signature}`);
    },
    'an unknown crit parameter': () =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(claims({}))))
        .setProtectedHeader({ alg: 'RS256', kid: providerJwk.kid, crit: ['urn:theirs'], 'urn:theirs': 1 })
        .sign(providerPrivateKey, { crit: { 'urn:theirs': true } }),
    'the headers jku, x5u and jwk': async () => {
      const { privateKey } = await generateKeyPair('RS256');
      return mintToken(
        claims({}),
        { kid: 'theirs', jku: untrustedUrl, x5u: untrustedUrl, jwk: providerJwk },
        privateKey,
      );
    },
  };
  test.each(Object.keys(tokens))('a token with %s is refused', async (name) => {
    expect(await outcomes(bearer(await (tokens[name] as () => Promise<string>)()))).toEqual(refused);
  });

  test('no request is sent to the addresses in jku and x5u', () => {
    expect(untrustedRequests).toBe(0);
  });
});

describe('the claims of a token', () => {
  const wrong: Record<string, () => Record<string, unknown>> = {
    'exp more than 60 s ago': () => ({ exp: seconds() - 61 }),
    'nbf more than 60 s ahead': () => ({ nbf: seconds() + 61 }),
    'no exp': () => ({ exp: undefined }),
    'no nbf': () => ({ nbf: undefined }),
    'exp as text': () => ({ exp: `${seconds() + 3600}` }),
    'nbf as text': () => ({ nbf: `${seconds()}` }),
    'exp as an array': () => ({ exp: [seconds() + 3600] }),
    'no issuer': () => ({ iss: undefined }),
    'an issuer without its last slash': () => ({ iss: testIssuer.slice(0, -1) }),
    'an issuer in another case': () => ({ iss: testIssuer.toUpperCase() }),
    'the issuer of another tenant': () => ({ iss: testIssuer.replace('9c5d1a52', '9c5d1a53') }),
    'an array of issuers': () => ({ iss: [testIssuer] }),
    'a foreign audience': () => ({ aud: '99999999-2222-4333-8444-555555555555' }),
    'no audience': () => ({ aud: undefined }),
    'several audiences': () => ({ aud: [testEnvironment.CLIENT_ID, 'another'] }),
    'no subject': () => ({ sub: undefined }),
    'an empty subject': () => ({ sub: '' }),
    'a number as subject': () => ({ sub: 7 }),
    'a subject of 256 characters': () => ({ sub: 'x'.repeat(256) }),
    'another scope': () => ({ scp: 'accessories' }),
    'no scope': () => ({ scp: undefined }),
    'an array of scopes': () => ({ scp: ['access'] }),
    'a nonce, as id tokens have': () => ({ nonce: 'n-0S6' }),
    'the password-reset policy': () => ({ tfp: testEnvironment.RESET_PASSWORD_POLICY }),
    'an unknown policy': () => ({ tfp: 'B2C_1A_ProfileEdit' }),
    'no policy': () => ({ tfp: undefined }),
    'an unlisted policy in acr': () => ({ tfp: undefined, acr: 'B2C_1A_ProfileEdit' }),
    'an array of policies': () => ({ tfp: [testEnvironment.SIGN_IN_POLICY] }),
  };
  test.each(Object.keys(wrong))('a token with %s is refused', async (name) => {
    const token = await mintToken(claims((wrong[name] as () => Record<string, unknown>)()));
    expect(await outcomes(bearer(token))).toEqual(refused);
  });

  test.each([
    ['exp less than 60 s ago', () => ({ exp: seconds() - 59 })],
    ['nbf less than 60 s ahead', () => ({ nbf: seconds() + 59 })],
    ['the sign-up policy', () => ({ tfp: 'b2c_1a_signup_invitation' })],
    ['a policy in acr', () => ({ tfp: undefined, acr: 'b2c_1a_signin' })],
    ['further scopes', () => ({ scp: 'read access' })],
  ])('a token with %s is accepted', async (_what, more) => {
    expect((await t.call(getMe, { token: await mintToken(claims(more())) })).status).toBe(200);
  });

  test('a token that was accepted before is refused 60 s after its exp', async () => {
    const token = await mintToken(claims({ exp: seconds() + 600 }));
    expect((await t.call(getMe, { token })).status).toBe(200);
    t.clock.advance(659_000);
    expect((await t.call(getMe, { token })).status).toBe(200);
    t.clock.advance(2_000);
    expect((await t.call(getMe, { token })).status).toBe(401);
  });
});

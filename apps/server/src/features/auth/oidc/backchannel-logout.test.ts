/** Back-channel logout (statement M3; security 57). */
import { getMe } from '@vestibule/contract/profile/me';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { decodeJwt, generateKeyPair, importJWK, type JWK } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { newSigningKey } from '../../../test/sign-in/test-oidc-provider.ts';
import { changeAttachments, listen } from '../../../test/test-listener.ts';
import { setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { createLogoutTokens } from './test-logout-token.ts';

const site = await setUpOidcSite();
let ann: Awaited<ReturnType<typeof site.join>>;
let phone: ReturnType<typeof site.browser>;
beforeEach(async () => {
  ann = await site.join();
  phone = site.browser();
  await phone.signIn({ way: 'acme' });
});

const { event, sign, post, ...tokens } = createLogoutTokens(() => site);
const claimsOf = (more: Record<string, unknown>) => tokens.claimsOf({ sub: ann.sub, ...more });
const sidOf = async (browser: typeof phone) => {
  const [current] = (await browser.ask('GET', '/api/users/me/sessions'))
    .json<{ rows: { id: string; current: boolean }[] }>()
    .rows.filter((row) => row.current);
  return site.t.scalar<string>`select sid from sessions where id = ${current?.id}`;
};

test('a logout token with a session id ends exactly that session, in every process', async () => {
  const otherProcess = await site.startProcess();
  const sid = await sidOf(phone);
  expect(sid).not.toBe(await sidOf(ann.browser));
  const response = await post(await sign(claimsOf({ sid })), 'acme', otherProcess);
  expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store']);
  expect([await phone.whoAmI(), await ann.browser.whoAmI()]).toEqual(['sign_in.needed', ann.email]);
  expect(await site.t.auditOf(ann.id, 'session.ended')).toMatchObject([
    { actor_label: 'Vestibule', detail: { why: 'by the provider', way: 'acme' } },
  ]);
  await otherProcess.close();
});

test('after a logout token of Keycloak that names one of several ended sessions, the others end with their next request', async () => {
  const bob = await site.join();
  expect((await post(await sign(claimsOf({ sid: await sidOf(phone) })))).statusCode).toBe(200);
  site.acme.next.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    return true;
  };
  expect(await ann.browser.whoAmI()).toBe(ann.email);
  await expect.poll(() => ann.browser.whoAmI()).toBe('sign_in.needed');
  expect([await bob.browser.whoAmI(), await bob.browser.whoAmI()]).toEqual([bob.email, bob.email]);
  site.acme.next.instead = null;
});

test('a logout token without a session id ends all sessions of the person at that provider, and no others', async () => {
  const bob = await site.join();
  expect((await post(await sign(claimsOf({})))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI(), await bob.browser.whoAmI()]).toEqual([
    'sign_in.needed',
    'sign_in.needed',
    bob.email,
  ]);
});

test.each([undefined, 'JWT', 'Logout+JWT'])('a logout token of type %s is accepted', async (typ) => {
  expect((await post(await sign(claimsOf({}), { typ }))).statusCode).toBe(200);
  expect(await phone.whoAmI()).toBe('sign_in.needed');
});

test('a logout token without exp, as of Ory Hydra and earlier versions of Keycloak and authentik, is accepted once', async () => {
  const token = await sign(claimsOf({ exp: undefined }));
  expect((await post(token)).statusCode).toBe(200);
  expect(await phone.whoAmI()).toBe('sign_in.needed');
  await phone.signIn({ way: 'acme' });
  expect((await post(token)).statusCode).toBe(200);
  expect(await phone.whoAmI()).toBe(ann.email);
});

test('a logout token with a session id and a person also ends the sessions of that person that have no session id', async () => {
  const sid = await sidOf(phone);
  await site.t.select`update sessions set sid = null where person_id = ${ann.id} and sid <> ${sid}`;
  const bob = await site.join();
  await site.t.select`update sessions set sid = null where person_id = ${bob.id}`;
  expect((await post(await sign(claimsOf({ sid: 'of a sign-in that ended' })))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI(), await bob.browser.whoAmI()]).toEqual([
    ann.email,
    'sign_in.needed',
    bob.email,
  ]);
});

/**
 * Finishes an authorization request, and posts a logout token before the token response arrives. The logout token is
 * issued `seconds` after `auth_time`. Returns the result of the callback.
 */
async function finishDuringLogout(
  url: string,
  seconds: number,
  named: (sid: string) => Record<string, unknown> = () => ({}),
) {
  const back = await phone.visitProvider(url);
  let status: number | undefined;
  site.acme.next.rewrite = async (path, body) => {
    if (path !== '/token') return body;
    site.acme.next.rewrite = null;
    const { sid, auth_time } = decodeJwt<{ sid: string; auth_time: number }>(body['id_token'] as string);
    status = (await post(await sign(claimsOf({ ...named(sid), iat: auth_time + seconds })))).statusCode;
    return body;
  };
  const end = String((await phone.ask('GET', back)).headers.location);
  expect(status).toBe(200);
  return site.resultOf(phone, end);
}

test.each<[string, number, ((sid: string) => Record<string, unknown>)?]>([
  ['its session', 1, (sid) => ({ sid, sub: undefined })],
  ['its session and person, before auth_time', -30, (sid) => ({ sid })],
  ['its person', 1],
])(
  'a sign-in that is pending when a logout token names %s starts no session',
  async (_what, seconds, named) => {
    expect(await finishDuringLogout(await phone.start({ way: 'acme' }), seconds, named)).toBe(
      'sign_in.expired',
    );
    expect(await phone.whoAmI()).toBe('sign_in.needed');
    await phone.signIn({ way: 'acme' });
    expect(await phone.whoAmI()).toBe(ann.email);
  },
);

test.each([0, 30])(
  'a logout of the person %i s before auth_time does not end a confirmation',
  async (seconds) => {
    const body = { returnTo: '/settings/tokens' };
    const { url } = (await phone.ask('POST', confirmSignIn.path, { body })).json<{ url: string }>();
    expect(await finishDuringLogout(url, -seconds)).toBe('/settings/tokens');
    expect(await phone.whoAmI()).toBe(ann.email);
  },
);

test('a logout token that is sent again does not end a session started after it was first sent', async () => {
  const token = await sign(claimsOf({}));
  expect((await post(token)).statusCode).toBe(200);
  site.acme.next.sub = ann.sub;
  await ann.browser.signIn({ way: 'acme' });
  expect((await post(token)).statusCode).toBe(200);
  expect(await ann.browser.whoAmI()).toBe(ann.email);
});

test('a logout token that is signed with a new key is accepted, also if the key was replaced twice within seconds', async () => {
  const otherProcess = await site.startProcess();
  expect((await post(await sign(claimsOf({})), 'acme', otherProcess)).statusCode).toBe(200);
  for (const kid of ['k2', 'k3', 'k3']) {
    const newKey = await newSigningKey(kid);
    const { kty, n, e } = newKey.jwk;
    site.acme.next.rewrite = (path, body) => (path === '/jwks' ? { keys: [{ kty, n, e, kid }] } : body);
    site.t.clock.advance(5_000);
    const token = await sign(claimsOf({}), { kid }, newKey.privateKey);
    expect((await post(token, 'acme', otherProcess)).statusCode).toBe(200);
  }
  site.acme.next.rewrite = null;
  await otherProcess.close();
});

const expiredTime = () => Math.floor(Date.now() / 1000) - 400;
test.each<[string, () => Promise<string>]>([
  ['a foreign key', async () => sign(claimsOf({}), {}, (await newSigningKey('k1')).privateKey)],
  [
    'no signature',
    () =>
      Promise.resolve(
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claimsOf({}))).toString('base64url')}.`,
      ),
  ],
  [
    'a signature by the client secret',
    async () =>
      sign(
        claimsOf({}),
        { alg: 'HS256' },
        new TextEncoder().encode('a-secret-of-the-tests-of-32-characters'),
      ),
  ],
  [
    'another algorithm',
    async () => sign(claimsOf({}), { alg: 'PS512' }, (await generateKeyPair('PS512')).privateKey),
  ],
  ['another issuer', () => sign(claimsOf({ iss: site.other.issuer }))],
  ['another audience', () => sign(claimsOf({ aud: 'another' }))],
  ['no audience', () => sign(claimsOf({ aud: undefined }))],
  ['no iat', () => sign(claimsOf({ iat: undefined }))],
  ['an old iat', () => sign(claimsOf({ iat: expiredTime(), exp: expiredTime() + 4_000 }))],
  ['an exp in the past', () => sign(claimsOf({ exp: expiredTime() + 300 }))],
  ['an old iat and no exp', () => sign(claimsOf({ iat: expiredTime(), exp: undefined }))],
  ['no jti', () => sign(claimsOf({ jti: undefined }))],
  ['no event', () => sign(claimsOf({ events: undefined }))],
  ['another event', () => sign(claimsOf({ events: { 'http://example.com/event': {} } }))],
  ['an event that is not an object', () => sign(claimsOf({ events: { [event]: 'yes' } }))],
  ['an event that is a list', () => sign(claimsOf({ events: { [event]: [] } }))],
  ['a nonce, as id tokens have', () => sign(claimsOf({ nonce: 'a' }))],
  ['neither sub nor sid', () => sign(claimsOf({ sub: undefined }))],
  ['a sub that is a list', () => sign(claimsOf({ sub: [ann.sub] as never }))],
  ['a sub with a NUL', () => sign(claimsOf({ sub: `${ann.sub}\0` }))],
  ['the type of an access token', () => sign(claimsOf({}), { typ: 'at+jwt' })],
  ['64 KB', () => sign(claimsOf({ more: 'a'.repeat(20_000) }))],
  ['nothing', () => Promise.resolve('')],
  [
    'an id token',
    async () => {
      let idToken = '';
      site.acme.next.rewrite = (path, body) => {
        if (path === '/token') idToken = body['id_token'] as string;
        return body;
      };
      await ann.browser.signIn({ way: 'acme' });
      site.acme.next.rewrite = null;
      return idToken;
    },
  ],
])('a logout token with %s is refused and ends nothing', async (_what, make) => {
  const response = await post(await make());
  expect([response.statusCode, response.headers['cache-control']]).toEqual([400, 'no-store']);
  expect([await phone.whoAmI(), await ann.browser.whoAmI()]).toEqual([ann.email, ann.email]);
});

test.each([
  [
    'a clock that is three minutes ahead',
    { iat: Math.floor(Date.now() / 1000) + 180 },
    'ERR_JWT_CLAIM_VALIDATION_FAILED iat',
  ],
  ['the client id of another site', { aud: 'another' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED aud'],
])('the log has the reason if a logout token is refused because of %s', async (_what, claims, reason) => {
  site.t.log.length = 0;
  expect((await post(await sign(claimsOf(claims)))).statusCode).toBe(400);
  expect(site.t.log.join('')).toContain(`"reason":"${reason}"`);
});

test('a logout token with an algorithm that the metadata does not list is refused, although the key fits', async () => {
  site.acme.next.rewrite = (path, body) =>
    path === '/jwks'
      ? { keys: (body['keys'] as JWK[]).map((key) => ({ ...key, alg: undefined })) }
      : path.startsWith('/.well-known')
        ? { ...body, id_token_signing_alg_values_supported: ['RS256'] }
        : body;
  const otherProcess = await site.startProcess();
  const key = await importJWK(site.acme.key.jwk, 'PS256');
  const token = await sign(claimsOf({}), { alg: 'PS256' }, key);
  expect((await post(token, 'acme', otherProcess)).statusCode).toBe(400);
  expect((await post(await sign(claimsOf({})), 'acme', otherProcess)).statusCode).toBe(200);
  site.acme.next.rewrite = null;
  await otherProcess.close();
});

test('a logout token of one provider ends nothing at another provider', async () => {
  expect((await post(await sign(claimsOf({})), 'other')).statusCode).toBe(400);
  expect(await phone.whoAmI()).toBe(ann.email);
});

test('a logout token does not end a session with the same subject or session id at another provider', async () => {
  const email = site.newAddress();
  await site.t.invitationTo(email);
  site.other.setNextAccount(ann.sub, { email, email_verified: true });
  const otherBrowser = site.browser();
  expect(await otherBrowser.signIn({ way: 'other' })).toBe('/layout/dashboard');
  const sid = await sidOf(phone);
  await site.t.select`update sessions set sid = ${sid} where issuer = ${site.other.issuer}`;
  for (const claims of [claimsOf({ sid, sub: undefined }), claimsOf({})])
    expect((await post(await sign(claims))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI(), await otherBrowser.whoAmI()]).toEqual([
    'sign_in.needed',
    'sign_in.needed',
    email,
  ]);
});

test('a logout token whose session id belongs to another person ends nothing', async () => {
  const bob = await site.join();
  expect((await post(await sign(claimsOf({ sid: await sidOf(phone), sub: bob.sub })))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await bob.browser.whoAmI()]).toEqual([ann.email, bob.email]);
});

test('two logout tokens in one body are refused', async () => {
  const bodies = [await sign(claimsOf({})), await sign(claimsOf({}))].map((token) => `logout_token=${token}`);
  const response = await site.t.app.inject({
    method: 'POST',
    url: '/auth/acme/backchannel-logout',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: bodies.join('&'),
  });
  expect(response.statusCode).toBe(400);
  expect(await phone.whoAmI()).toBe(ann.email);
});

test('a sign-out at the provider ends the session in every process: for the next request at once, for event streams within seconds', async () => {
  await site.t.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = site.t.app.server.address() as { port: number };
  const otherProcess = await site.startProcess();
  const getMeOf = ({ cookies }: typeof phone) => ({
    url: getMe.path,
    headers: { cookie: `${sessionCookie}=${cookies.get(sessionCookie)}` },
  });
  try {
    const [ofPhone, ofAnn] = [await listen(otherProcess, phone), await listen(otherProcess, ann.browser)];
    const client = (await site.acme.op.Client.find('vestibule')) as unknown as {
      backchannelLogout(accountId: string, sid: string): Promise<void>;
      backchannelLogoutUri: string;
    };
    client.backchannelLogoutUri = `http://127.0.0.1:${port}/auth/acme/backchannel-logout`;
    await client.backchannelLogout(ann.sub, await sidOf(phone));
    const [signedOut, signedIn] = await Promise.all(
      [phone, ann.browser].map((browser) => otherProcess.app.inject(getMeOf(browser))),
    );
    expect([signedOut?.json(), signedIn?.json()]).toMatchObject([
      { code: 'sign_in.needed' },
      { Email: ann.email },
    ]);
    await expect.poll(() => ofPhone.state.ended).toBe(true);
    await changeAttachments(site.t);
    await expect.poll(() => ofAnn.state.received).toContain('attachments');
    expect(ofAnn.state.ended).toBe(false);
    ofAnn.stream.destroy();
  } finally {
    await otherProcess.close();
  }
});

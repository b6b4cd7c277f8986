/** Back-channel logout (statement M3; security 57). */
import { getMe } from '@vestibule/contract/profile/me';
import { decodeJwt, generateKeyPair, importJWK, type JWK } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newSigningKey } from '../../../test/test-oidc-provider.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { createTestApp } from '../../../test/test-app.ts';
import { changeAttachments, listen } from '../../../test/test-listener.ts';
import { createTestOidcSite, providerEnvironment, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { waitForLocks, withoutColumn } from '../../../test/test-faults.ts';
import { sessionCookie } from '../sessions/sessions.ts';
import { createLogoutTokens } from './test-logout-token.ts';

let site: TestOidcSite;
let ann: Awaited<ReturnType<TestOidcSite['join']>>;
let phone: ReturnType<TestOidcSite['browser']>;
beforeAll(async () => {
  site = await createTestOidcSite();
});
beforeEach(async () => {
  site.acme.next.answer = null;
  ann = await site.join();
  phone = site.browser();
  await phone.signIn({ way: 'acme' });
});
afterAll(() => site.close());

const { event, sign, post, ...tokens } = createLogoutTokens(() => site);
const claimsOf = (more: Record<string, unknown>) => tokens.claimsOf({ sub: ann.sub, ...more });
const sidOf = async (browser: typeof phone) => {
  const [current] = (await browser.ask('GET', '/api/users/me/sessions'))
    .json<{ rows: { id: string; current: boolean }[] }>()
    .rows.filter((row) => row.current);
  const [row] = await site.t.select<{ sid: string }>('select sid from sessions where id = $1', [current?.id]);
  return row?.sid as string;
};

test('a logout token with a session id ends exactly that session, in every process', async () => {
  const otherProcess = await createTestApp({
    sharedWith: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme) },
  });
  const sid = await sidOf(phone);
  expect(sid).not.toBe(await sidOf(ann.browser));
  const answer = await post(await sign(claimsOf({ sid })), 'acme', otherProcess);
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  expect([await phone.whoAmI(), await ann.browser.whoAmI()]).toEqual(['sign_in.needed', ann.email]);
  expect(
    await site.t.select(
      "select actor_label, detail from audit_log where action = 'session.ended' and target_id = $1",
      [ann.id],
    ),
  ).toEqual([{ actor_label: 'Vestibule', detail: { why: 'by the provider', way: 'acme' } }]);
  await otherProcess.close();
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

/**
 * Posts a logout token while a transaction locks the same sessions in the opposite order. `isRefused` is true if
 * PostgreSQL aborted that transaction, and not the logout's.
 */
async function logoutWithOppositeLocks() {
  const rows = await site.t.select<{ id: string }>(
    'select id from sessions where person_id = $1 order by ctid',
    [ann.id],
  );
  const lockSession = (transaction: Queryable, index: number) =>
    transaction.query({ text: 'select from sessions where id = $1 for update', values: [rows[index]?.id] });
  let logout: ReturnType<typeof post> | undefined;
  let isRefused = false;
  try {
    await site.t.database.transaction(async (transaction) => {
      await lockSession(transaction, 1);
      logout = post(await sign(claimsOf({})));
      await waitForLocks(site.t, 1);
      // The logout holds this lock and waits for the other one, so this is a deadlock.
      await lockSession(transaction, 0);
    });
  } catch (error) {
    if ((error as { code?: string }).code !== '40P01') throw error;
    isRefused = true;
  }
  return { isRefused, statusCode: (await logout)?.statusCode };
}

test('a logout token ends sessions that another transaction locks in a different order', async () => {
  let outcome = await logoutWithOppositeLocks();
  // PostgreSQL aborts the transaction that detects the deadlock after waiting for a second. Repeats until that is the
  // transaction of the logout.
  while (outcome.isRefused) {
    expect(outcome.statusCode).toBe(200);
    await ann.browser.signIn({ way: 'acme' });
    await phone.signIn({ way: 'acme' });
    outcome = await logoutWithOppositeLocks();
  }
  expect(outcome.statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI()]).toEqual(['sign_in.needed', 'sign_in.needed']);
});

test('a logout token ends all sessions with its session id', async () => {
  const tablet = site.browser();
  await tablet.signIn({ way: 'acme' });
  const sid = await sidOf(phone);
  await site.t.select('update sessions set sid = $1 where sid = $2', [sid, await sidOf(tablet)]);
  expect((await post(await sign(claimsOf({ sid, sub: undefined })))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await tablet.whoAmI(), await ann.browser.whoAmI()]).toEqual([
    'sign_in.needed',
    'sign_in.needed',
    ann.email,
  ]);
});

test.each([undefined, 'JWT', 'Logout+JWT'])('a logout token of type %s is accepted', async (typ) => {
  expect((await post(await sign(claimsOf({}), { typ }))).statusCode).toBe(200);
  expect(await phone.whoAmI()).toBe('sign_in.needed');
});

test('a logout token with a session id and a person also ends the sessions of that person that have no session id', async () => {
  const sid = await sidOf(phone);
  await site.t.select('update sessions set sid = null where person_id = $1 and sid <> $2', [ann.id, sid]);
  const bob = await site.join();
  await site.t.select('update sessions set sid = null where person_id = $1', [bob.id]);
  expect((await post(await sign(claimsOf({ sid: 'of a sign-in that ended' })))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI(), await bob.browser.whoAmI()]).toEqual([
    ann.email,
    'sign_in.needed',
    bob.email,
  ]);
});

test.each<[string, (sid: string) => Record<string, unknown>]>([
  ['its session', (sid) => ({ sid, sub: undefined })],
  ['its session and person', (sid) => ({ sid })],
  ['its person', () => ({})],
])('a sign-in that is pending when a logout token names %s starts no session', async (_what, named) => {
  const back = await phone.visitProvider(await phone.start({ way: 'acme' }));
  let ended = false;
  site.acme.next.answer = async (path, body) => {
    if (path !== '/token') return body;
    site.acme.next.answer = null;
    const { sid, auth_time } = decodeJwt<{ sid: string; auth_time: number }>(body['id_token'] as string);
    ended = (await post(await sign(claimsOf({ ...named(sid), iat: auth_time + 1 })))).statusCode === 200;
    return body;
  };
  const end = String((await phone.ask('GET', back)).headers.location);
  expect([ended, await site.resultOf(phone, end)]).toEqual([true, 'sign_in.expired']);
  expect(await phone.whoAmI()).toBe('sign_in.needed');
  await phone.signIn({ way: 'acme' });
  expect(await phone.whoAmI()).toBe(ann.email);
});

const inOneSecond = () => Math.floor(Date.now() / 1000) + 1;
test('a sign-in starts no session if a logout token arrives during the redirect from the provider', async () => {
  const back = await phone.visitProvider(await phone.start({ way: 'acme' }));
  expect((await post(await sign(claimsOf({ iat: inOneSecond() })))).statusCode).toBe(200);
  const end = String((await phone.ask('GET', back)).headers.location);
  expect(await site.resultOf(phone, end)).toBe('sign_in.expired');
  expect(await phone.whoAmI()).toBe('sign_in.needed');
});

test('a sign-in starts no session if the lookup of logouts fails', async () => {
  const tablet = site.browser();
  const back = await tablet.visitProvider(await tablet.start({ way: 'acme' }));
  const sessions = () =>
    site.t.select<{ id: string }>('select id from sessions where person_id = $1 order by id', [ann.id]);
  const before = await sessions();
  const answer = await withoutColumn(site.t, 'logout_token_ids', 'ends_at', () => tablet.ask('GET', back));
  const end = String(answer.headers.location);
  expect(await site.resultOf(tablet, end)).toBe('server.unexpected');
  expect([await tablet.whoAmI(), await sessions()]).toEqual(['sign_in.needed', before]);
});

test('a logout token that is sent again does not end a session started after it was first sent', async () => {
  const token = await sign(claimsOf({}));
  expect((await post(token)).statusCode).toBe(200);
  site.acme.next.sub = ann.sub;
  await ann.browser.signIn({ way: 'acme' });
  expect((await post(token)).statusCode).toBe(200);
  expect(await ann.browser.whoAmI()).toBe(ann.email);
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
  ['no exp', () => sign(claimsOf({ exp: undefined }))],
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
      site.acme.next.answer = (path, body) => {
        if (path === '/token') idToken = body['id_token'] as string;
        return body;
      };
      await ann.browser.signIn({ way: 'acme' });
      site.acme.next.answer = null;
      return idToken;
    },
  ],
])('a logout token with %s is refused and ends nothing', async (_what, make) => {
  const answer = await post(await make());
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([400, 'no-store']);
  expect([await phone.whoAmI(), await ann.browser.whoAmI()]).toEqual([ann.email, ann.email]);
});

test('a logout token with an algorithm that the metadata does not list is refused, although the key fits', async () => {
  site.acme.next.answer = (path, body) =>
    path === '/jwks'
      ? { keys: (body['keys'] as JWK[]).map((key) => ({ ...key, alg: undefined })) }
      : path.startsWith('/.well-known')
        ? { ...body, id_token_signing_alg_values_supported: ['RS256'] }
        : body;
  const otherProcess = await createTestApp({
    sharedWith: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme) },
  });
  const key = await importJWK(site.acme.key.jwk, 'PS256');
  const token = await sign(claimsOf({}), { alg: 'PS256' }, key);
  expect((await post(token, 'acme', otherProcess)).statusCode).toBe(400);
  expect((await post(await sign(claimsOf({})), 'acme', otherProcess)).statusCode).toBe(200);
  site.acme.next.answer = null;
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
  const twin = site.browser();
  expect(await twin.signIn({ way: 'other' })).toBe('/layout/dashboard');
  const sid = await sidOf(phone);
  await site.t.select('update sessions set sid = $1 where issuer = $2', [sid, site.other.issuer]);
  for (const claims of [claimsOf({ sid, sub: undefined }), claimsOf({})])
    expect((await post(await sign(claims))).statusCode).toBe(200);
  expect([await phone.whoAmI(), await ann.browser.whoAmI(), await twin.whoAmI()]).toEqual([
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
  const answer = await site.t.app.inject({
    method: 'POST',
    url: '/auth/acme/backchannel-logout',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: bodies.join('&'),
  });
  expect(answer.statusCode).toBe(400);
  expect(await phone.whoAmI()).toBe(ann.email);
});

test.each(['', 'a=b', 'logout_token=a&logout_token=b'])('a body of %j is refused', async (payload) => {
  const answer = await site.t.app.inject({
    method: 'POST',
    url: '/auth/acme/backchannel-logout',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  });
  expect(answer.statusCode).toBe(400);
});

test('a sign-out at the provider ends the session in every process: for the next request at once, for event streams within seconds', async () => {
  await site.t.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = site.t.app.server.address() as { port: number };
  const otherProcess = await createTestApp({
    sharedWith: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme) },
  });
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

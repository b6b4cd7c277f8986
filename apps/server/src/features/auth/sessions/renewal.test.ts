/** Still employed? (statement M6; security 58) */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { newSigningKey } from '../../../test/test-oidc-provider.ts';
import { createTestBrowser } from '../../../test/test-browser.ts';
import { createTestOidcSite, providerEnvironment, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { sessionCookie } from './sessions.ts';

let site: TestOidcSite;
const stranger = await newSigningKey('k2');
beforeAll(async () => {
  site = await createTestOidcSite();
});
beforeEach(() => Object.assign(site.acme.next, { answer: null, instead: null }));
afterAll(() => site.close());

/** As if the provider had been asked so many minutes ago. */
const minutesLater = (id: string, minutes: number) =>
  site.t.select('update sessions set refreshed_at = $2 where person_id = $1', [
    id,
    new Date(site.t.clock.now() - minutes * 60_000),
  ]);
const asked = () => site.acme.next.calls.filter((path) => path === '/token').length;
const refreshToken = async (id: string) =>
  (
    await site.t.select<{ token: Buffer }>(
      'select refresh_token_sealed as token from sessions where person_id = $1',
      [id],
    )
  )[0]?.token.toString('hex');

test('the provider is asked after 15 minutes of use, and not before; nobody waits for it', async () => {
  const { id, email, browser } = await site.join();
  site.acme.next.calls.length = 0;
  await minutesLater(id, 14);
  await browser.whoAmI();
  expect(asked()).toBe(0);
  const before = await refreshToken(id);
  await minutesLater(id, 15);
  expect(await browser.whoAmI()).toBe(email);
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  await browser.whoAmI();
  expect(asked()).toBe(1);
  // And again with the token that took the first one's place.
  await minutesLater(id, 16);
  await browser.whoAmI();
  await expect.poll(asked).toBe(2);
  await expect.poll(() => browser.whoAmI()).toBe(email);
});

test('64 requests at once, through two processes, ask once: a token that is shown twice would end all', async () => {
  const { id, email, browser } = await site.join();
  const beside = await createTestApp({
    beside: site.t,
    environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme) },
  });
  const other = createTestBrowser(beside);
  other.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string);
  const before = await refreshToken(id);
  await minutesLater(id, 20);
  site.acme.next.calls.length = 0;
  await Promise.all(Array.from({ length: 64 }, (_, index) => (index % 2 ? other : browser).whoAmI()));
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  expect(asked()).toBe(1);
  expect(await browser.whoAmI()).toBe(email);
  await beside.close();
});

test('a refused token ends the session, and the log says why', async () => {
  const { id, browser } = await site.join();
  site.acme.next.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    return true;
  };
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(() => browser.whoAmI()).toBe('sign_in.needed');
  expect(
    await site.t.select(
      "select detail->>'why' as why from audit_log where action = 'session.ended' and target_id = $1",
      [id],
    ),
  ).toEqual([{ why: 'no longer at the provider' }]);
});

test('another person in the answer ends it too', async () => {
  const { id, browser } = await site.join();
  site.acme.forgeIdToken((claims) => ({ ...claims, sub: 'somebody else' }));
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(() => browser.whoAmI()).toBe('sign_in.needed');
});

test.each<[string, (site: TestOidcSite) => void]>([
  [
    'of a key that cannot be had',
    ({ acme }) => {
      acme.forgeIdToken((claims) => claims, { key: stranger.privateKey, header: { kid: 'k2' } });
      acme.next.instead = ({ url }, response) =>
        url === '/jwks' && response.writeHead(500).end() !== undefined;
    },
  ],
  [
    'by a clock that is off',
    ({ acme }) => acme.forgeIdToken((claims) => ({ ...claims, iat: 1_000, exp: 1_300 })),
  ],
  [
    'that is none',
    ({ acme }) => {
      acme.next.answer = (path, body) => (path === '/token' ? { ...body, id_token: 'none' } : body);
    },
  ],
])('an id token %s loses no refresh token: the next one is asked with', async (_what, prepare) => {
  const { id, email, browser } = await site.join();
  const before = await refreshToken(id);
  prepare(site);
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  Object.assign(site.acme.next, { answer: null, instead: null });
  const next = await refreshToken(id);
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(() => refreshToken(id)).not.toBe(next);
  expect(await browser.whoAmI()).toBe(email);
});

test.each<[string, number, string, number]>([
  ['is down', 503, '{"error":"temporarily_unavailable"}', 1],
  // One request for each form of the secret.
  ['does not know us for a while', 401, '{"error":"invalid_client"}', 2],
  ['answers with a page', 200, '<h1>Maintenance</h1>', 1],
])('a provider that %s ends nothing, and is asked again later', async (_what, status, body, requests) => {
  const { id, email, browser } = await site.join();
  site.acme.next.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    return true;
  };
  site.acme.next.calls.length = 0;
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(asked).toBe(requests);
  expect(await browser.whoAmI()).toBe(email);
  site.acme.next.instead = null;
  const before = await refreshToken(id);
  await minutesLater(id, 20);
  await browser.whoAmI();
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  expect(await browser.whoAmI()).toBe(email);
});

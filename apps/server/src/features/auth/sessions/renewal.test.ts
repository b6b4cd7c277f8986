import { expect, test } from 'vitest';
import { newSigningKey } from '../../../test/sign-in/test-oidc-provider.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';
import { setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { sessionCookie } from './sessions.ts';

const unknownKey = await newSigningKey('k2');
const site = await setUpOidcSite();

const setLastRenewal = (id: string, minutes: number) =>
  site.t.select`
    update sessions set refreshed_at = ${new Date(site.t.clock.now() - minutes * 60_000)} where person_id = ${id}`;
const tokenRequests = () => site.acme.next.calls.filter((path) => path === '/token').length;
const refreshToken = async (id: string) =>
  (
    await site.t.select<{ token: Buffer }>`
      select refresh_token_sealed as token from sessions where person_id = ${id}`
  )[0]?.token.toString('hex');

test('a session is checked at the provider after 15 minutes of use, in the background', async () => {
  const { id, email, browser } = await site.join();
  site.acme.next.calls.length = 0;
  await setLastRenewal(id, 14);
  await browser.whoAmI();
  expect(tokenRequests()).toBe(0);
  const before = await refreshToken(id);
  await setLastRenewal(id, 15);
  expect(await browser.whoAmI()).toBe(email);
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  await browser.whoAmI();
  expect(tokenRequests()).toBe(1);
  await setLastRenewal(id, 16);
  await browser.whoAmI();
  await expect.poll(tokenRequests).toBe(2);
  await expect.poll(() => browser.whoAmI()).toBe(email);
});

test('64 concurrent requests to two processes use the refresh token once', async () => {
  const { id, email, browser } = await site.join();
  const otherProcess = await site.startProcess();
  const other = createTestBrowser(otherProcess);
  other.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string);
  const before = await refreshToken(id);
  await setLastRenewal(id, 20);
  site.acme.next.calls.length = 0;
  await Promise.all(Array.from({ length: 64 }, (_, index) => (index % 2 ? other : browser).whoAmI()));
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  expect(tokenRequests()).toBe(1);
  expect(await browser.whoAmI()).toBe(email);
  await otherProcess.close();
});

test('a refused refresh token ends the session with an audit row', async () => {
  const { id, browser } = await site.join();
  site.acme.next.instead = ({ url }, response) => {
    if (url !== '/token') return false;
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    return true;
  };
  await setLastRenewal(id, 20);
  await browser.whoAmI();
  await expect.poll(() => browser.whoAmI()).toBe('sign_in.needed');
  expect(await site.t.auditOf(id, 'session.ended')).toMatchObject([
    { detail: { why: 'no longer at the provider' } },
  ]);
});

test('an ID token of another person ends the session', async () => {
  const { id, browser } = await site.join();
  site.acme.forgeIdToken((claims) => ({ ...claims, sub: 'another person' }));
  await setLastRenewal(id, 20);
  await browser.whoAmI();
  await expect.poll(() => browser.whoAmI()).toBe('sign_in.needed');
});

test('the rotated refresh token is stored even if the ID token that comes with it cannot be verified', async () => {
  const { id, email, browser } = await site.join();
  const before = await refreshToken(id);
  site.acme.forgeIdToken((claims) => claims, { key: unknownKey.privateKey, header: { kid: 'k2' } });
  await setLastRenewal(id, 20);
  await browser.whoAmI();
  await expect.poll(() => refreshToken(id)).not.toBe(before);
  expect(await browser.whoAmI()).toBe(email);
});

test.each<[string, number, string, number]>([
  ['is down', 503, '{"error":"temporarily_unavailable"}', 1],
  // Each form of client authentication is tried.
  ['rejects the client credentials', 401, '{"error":"invalid_client"}', 2],
  ['responds with a page', 200, '<h1>Maintenance</h1>', 1],
])(
  'a provider that %s does not end the session, and the check is repeated later',
  async (_what, status, body, requests) => {
    const { id, email, browser } = await site.join();
    site.acme.next.instead = ({ url }, response) => {
      if (url !== '/token') return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return true;
    };
    site.acme.next.calls.length = 0;
    await setLastRenewal(id, 20);
    await browser.whoAmI();
    await expect.poll(tokenRequests).toBe(requests);
    expect(await browser.whoAmI()).toBe(email);
    site.acme.next.instead = null;
    const before = await refreshToken(id);
    await setLastRenewal(id, 20);
    await browser.whoAmI();
    await expect.poll(() => refreshToken(id)).not.toBe(before);
    expect(await browser.whoAmI()).toBe(email);
  },
);

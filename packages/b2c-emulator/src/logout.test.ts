import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  anna,
  authorizeRequest,
  clientId,
  openTestTenant,
  signInWithTokens,
  tenantAddress,
  type TestTenant,
} from './test/test-tenant.ts';

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await openTestTenant({
    people: [anna],
    clients: [
      {
        clientId,
        redirectUris: ['http://localhost:3000/'],
        postLogoutRedirectUris: ['http://localhost:3000/signed-out', 'com.example.app://out'],
        scopes: [],
      },
      { clientId: 'other-client', redirectUris: ['http://localhost:4000/'], scopes: [] },
    ],
  });
});
afterAll(() => tenant.close());

const logoutAddress = (parameters: Record<string, string>) =>
  `${tenantAddress}/b2c_1a_signin/oauth2/v2.0/logout?${new URLSearchParams(parameters).toString()}`;

test('logout ends the session and redirects to a registered address', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const target = 'http://localhost:3000/signed-out';
  const away = await browser.get(logoutAddress({ post_logout_redirect_uri: target, state: 's p' }));
  expect(away.url).toBe(`${target}?state=s+p`);
  expect(browser.cookies.some(({ name }) => name === 'b2c-emulator-session')).toBe(false);
  const silent = await browser.get(authorizeRequest('b2c_1a_signin', { prompt: 'none' }).url);
  expect(silent.response.get('error')).toBe('interaction_required');
});

test('a copied session cookie is invalid after logout', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const thief = tenant.browser();
  thief.cookies.push(...browser.cookies);
  await browser.get(logoutAddress({}));
  const silent = await thief.get(authorizeRequest('b2c_1a_signin', { prompt: 'none' }).url);
  expect(silent.response.get('error')).toBe('interaction_required');
});

test.each([
  'https://evil.example/',
  'http://localhost:3000/',
  'http://localhost:3000/signed-out/..',
  'http://localhost:3000.evil.example/signed-out',
  'http://localhost:3000@evil.example/signed-out',
  'http://user:pass@localhost:3000/signed-out',
  'https://localhost:3000/signed-out',
  '//evil.example/signed-out',
  'javascript:alert(1)',
  'com.example.app://elsewhere',
  'http://localhost:3000\\signed-out',
  '\thttp://localhost:3000/signed-out',
  'x'.repeat(9_000),
])('logout does not redirect to the unregistered address %s (security 45)', async (target) => {
  const page = await tenant.browser().get(logoutAddress({ post_logout_redirect_uri: target }));
  expect(page.status).toBe(200);
  expect(page.headers).not.toHaveProperty('location');
  expect(page.html).toContain('You are signed out');
});

test.each([
  ['with any query', { post_logout_redirect_uri: 'http://localhost:3000/signed-out?a=b' }],
  ['with the scheme of a native application', { post_logout_redirect_uri: 'com.example.app://out' }],
  [
    'a redirect address if the client has no logout addresses',
    { post_logout_redirect_uri: 'http://localhost:4000/' },
  ],
  ['with a client ID', { post_logout_redirect_uri: 'http://localhost:4000/', client_id: 'other-client' }],
])('logout redirects to a registered address: %s', async (_, parameters) => {
  const away = await tenant.browser().get(logoutAddress(parameters));
  expect(away.url).toBe(parameters.post_logout_redirect_uri);
});

test("logout with a client ID does not redirect to another client's address", async () => {
  const page = await tenant
    .browser()
    .get(logoutAddress({ post_logout_redirect_uri: 'http://localhost:4000/', client_id: clientId }));
  expect(page.html).toContain('You are signed out');
});

test('logout accepts POST', async () => {
  const away = await tenant
    .browser()
    .post(logoutAddress({}), { post_logout_redirect_uri: 'http://localhost:3000/signed-out' });
  expect(away.url).toBe('http://localhost:3000/signed-out');
});

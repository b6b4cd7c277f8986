import { expect, test } from 'vitest';
import { createPasskeySite, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { createTestAuthenticator } from '../../../test/sign-in/test-authenticator.ts';
import { createTestApp } from '../../../test/test-app.ts';
import { checkPasskeyHost } from './passkey-store.ts';

const site = await setUpPasskeySite();

test('checkPasskeyHost throws for a host that differs from that of existing passkeys and names their number, unless other hosts are allowed', async () => {
  const check = (rpId: string, allowsOtherHosts = false) =>
    checkPasskeyHost(site.t.database, { rpId, allowsOtherHosts });
  await expect(check('new.example.com')).resolves.toBeUndefined();
  await site.join();
  await site.join();
  await expect(check('portal.example.com')).resolves.toBeUndefined();
  await expect(check('new.example.com')).rejects.toThrow(
    /2 of portal\.example\.com.*which is new\.example\.com now.*PASSKEYS_OF_OTHER_HOST=keep/s,
  );
  await expect(check('new.example.com', true)).resolves.toBeUndefined();
});

test('a passkey of another host cannot sign in, and its owner signs in by code', async () => {
  const device = createTestAuthenticator();
  const { email } = await site.join('member', device);
  const movedSite = await createPasskeySite({
    sharedWith: site.t,
    environment: { PUBLIC_URL: 'https://new.example.com' },
  });
  const page = movedSite.browser();
  expect(await movedSite.signIn(page, device, { origin: 'https://new.example.com' })).toBe('passkey.unknown');
  expect((await movedSite.enterCode(page, { address: email })).body.next).toBe('offer-passkey');
  expect(await page.whoAmI()).toBe(email);
  await movedSite.close();
});

test('pages on 127.0.0.1 redirect to localhost, because passkeys need a domain', async () => {
  const t = await createTestApp({
    environment: { SIGN_IN_WITH: 'passkeys', PUBLIC_URL: 'http://localhost:3000' },
  });
  const get = (host: string, url: string, accept = 'text/html,*/*') =>
    t.app.inject({ url, headers: { host, accept } });
  for (const host of ['127.0.0.1:3000', '[::1]:3000']) {
    const response = await get(host, '/signup?i=CODE');
    expect([response.statusCode, response.headers.location]).toEqual([
      307,
      'http://localhost:3000/signup?i=CODE',
    ]);
  }
  expect((await get('localhost:3000', '/login')).statusCode).not.toBe(307);
  expect((await get('127.0.0.1:3000', '/api/config', 'application/json')).statusCode).toBe(200);
  expect((await get('portal.example.com', '/login')).statusCode).not.toBe(307);
  await t.close();
});

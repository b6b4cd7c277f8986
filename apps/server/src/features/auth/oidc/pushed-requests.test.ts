/** Pushed authorization requests (RFC 9126) at providers that require them (M2, R8). */
import { afterAll, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';
import { startTestOidcProvider } from '../../../test/sign-in/test-oidc-provider.ts';
import {
  homePath,
  oidcPublicUrl,
  providerEnvironment,
  runningClock,
} from '../../../test/sign-in/test-oidc-site.ts';

const provider = await startTestOidcProvider({
  way: 'acme',
  publicUrl: oidcPublicUrl,
  extra: {
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
    },
  },
});
const t = await createTestApp({
  clock: runningClock(),
  environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', provider) },
});
afterAll(() => Promise.all([t.close(), provider.close()]));

test('an invited user signs in at a provider that requires pushed authorization requests', async () => {
  const { code, email } = await t.invitationTo('ann@example.com');
  provider.setNextAccount('ann', { email, email_verified: true });
  const browser = createTestBrowser(t);
  expect(await browser.signIn({ way: 'acme', invitation: code })).toBe(homePath);
  expect(await browser.whoAmI()).toBe(email);
  expect(provider.next.calls).toContain('/request');
});

test('the browser gets only the reference to the request', async () => {
  const url = await createTestBrowser(t).start({ way: 'acme' });
  expect([...new URL(url).searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
});

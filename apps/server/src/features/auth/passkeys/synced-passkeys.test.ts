import { expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/sign-in/test-authenticator.ts';
import { setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';

const site = await setUpPasskeySite();

test('a synced passkey works with every counter, because password managers count differently', async () => {
  const { device } = await site.join('member', createTestAuthenticator({ isSynced: true }));
  for (const counter of [50, 51, 0, 51])
    expect(await site.signIn(site.browser(), device, { counter })).toBe('/layout/dashboard');
});

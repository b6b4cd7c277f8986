/** Lifetimes at the limits of the server's IDP_*_SECONDS variables (security 66). */
import { expect, test } from 'vitest';
import { openTestTenant, refresh, signInWithTokens } from '../test/test-tenant.ts';

const policy = 'b2c_1a_signin';

test.each([1, 999_999_999])('tokens and sessions can have a lifetime of %i seconds', async (seconds) => {
  const tenant = await openTestTenant({
    lifetimes: { accessTokenSeconds: seconds, refreshTokenSeconds: seconds, sessionSeconds: seconds },
  });
  try {
    const { tokens } = await signInWithTokens(tenant, tenant.browser());
    tenant.clock.now += (seconds - 1) * 1000;
    expect(await refresh(tenant, policy, tokens.refresh_token as string)).toMatchObject({
      status: 200,
      body: { expires_in: seconds },
    });
  } finally {
    await tenant.close();
  }
});

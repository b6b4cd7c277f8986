/** Logout tokens of the provider `acme`, for tests. */
import { SignJWT, type JWTPayload } from 'jose';
import type { TestOidcSite } from '../../../test/sign-in/test-oidc-site.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';

export const createLogoutTokens = (site: () => Pick<TestOidcSite, 'acme' | 't'>) => {
  let tokens = 0;
  return {
    event,

    /** Returns valid claims, overridden by `more`. */
    claimsOf: (more: Record<string, unknown>): JWTPayload => {
      const seconds = Math.floor(Date.now() / 1000);
      return {
        iss: site().acme.issuer,
        aud: 'vestibule',
        iat: seconds,
        exp: seconds + 120,
        jti: `token ${(tokens += 1)}`,
        events: { [event]: {} },
        ...more,
      };
    },

    sign: (
      claims: JWTPayload,
      header: Record<string, unknown> = {},
      key: Parameters<SignJWT['sign']>[0] = site().acme.key.privateKey,
    ) =>
      new SignJWT(Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)))
        .setProtectedHeader({ alg: 'RS256', kid: site().acme.key.kid, typ: 'logout+jwt', ...header })
        .sign(key),

    post: (token: string, method = 'acme', { app } = site().t) =>
      app.inject({
        method: 'POST',
        url: `/auth/${method}/backchannel-logout`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ logout_token: token }).toString(),
      }),
  };
};

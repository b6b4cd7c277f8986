import { expect, test } from 'vitest';
import { createOidcClient } from './oidc-client.ts';

/** Returns the parameters of the logout URL for an ID token of a length. */
async function logoutParameters(issuer: string, tokenLength: number): Promise<string[]> {
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    end_session_endpoint: `${issuer}/logout`,
    jwks_uri: `${issuer}/keys`,
  };
  const client = createOidcClient(
    {
      id: 'acme',
      name: 'Acme',
      issuer,
      clientId: 'vestibule',
      authentication: { method: 'client_secret_post', secret: 'secret' },
      scopes: 'openid',
      email: 'verified',
      parameters: {},
      fetch: () => Promise.resolve(Response.json(metadata)),
    },
    { redirectUri: 'https://portal.example.com/auth/acme/callback', now: () => 0 },
  );
  const url = await client.endSessionUrl('a'.repeat(tokenLength), 'https://portal.example.com/');
  return [...new URL(url as string).searchParams.keys()];
}

const withoutHint = ['post_logout_redirect_uri', 'logout_uri', 'client_id'];
const withHint = ['post_logout_redirect_uri', 'logout_uri', 'id_token_hint', 'client_id'];

test.each([
  ['https://login.microsoftonline.com/tenant/v2.0', 1_500, withHint],
  ['https://login.microsoftonline.com/tenant/v2.0', 2_000, withoutHint],
  ['https://acme.okta.com', 7_000, withHint],
  ['https://acme.okta.com', 8_000, withoutHint],
])(
  'the logout URL of %s for an ID token of %i characters has the parameters %j',
  async (issuer, length, keys) => {
    expect(await logoutParameters(issuer, length)).toEqual(keys);
  },
);

import { expect, test } from 'vitest';
import type { OidcProviderConfig } from '../../../platform/config/oidc-providers.ts';
import { createOidcClient } from './oidc-client.ts';

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  end_session_endpoint: `${issuer}/logout`,
  jwks_uri: `${issuer}/keys`,
});
const pushed = {
  require_pushed_authorization_requests: true,
  pushed_authorization_request_endpoint: 'https://10.0.0.1/par',
};

const providerConfig = (issuer: string): OidcProviderConfig => ({
  id: 'acme',
  name: 'Acme',
  issuer,
  clientId: 'vestibule',
  authentication: { method: 'client_secret_post', secret: 'secret' },
  scopes: 'openid',
  email: 'verified',
  parameters: {},
  fetch: () => Promise.resolve(Response.json(metadataOf(issuer))),
});

/** Returns the parameters of the logout URL for an ID token of a length. */
async function logoutParameters(issuer: string, tokenLength: number): Promise<string[]> {
  const client = createOidcClient(providerConfig(issuer), {
    redirectUri: 'https://portal.example.com/auth/acme/callback',
    now: () => 0,
  });
  const url = await client.endSessionUrl('a'.repeat(tokenLength), 'https://portal.example.com/');
  return [...new URL(url as string).searchParams.keys()];
}

test('a pushed authorization request uses the fetch function of the provider, which rejects private addresses of connections', async () => {
  const requests: string[] = [];
  const issuer = 'https://login.example.com';
  const client = createOidcClient(
    {
      ...providerConfig(issuer),
      fetch: (url) => {
        requests.push(url as string);
        return requests.length === 1
          ? Promise.resolve(Response.json({ ...metadataOf(issuer), ...pushed }))
          : Promise.reject(new TypeError('fetch failed'));
      },
    },
    { redirectUri: 'https://portal.example.com/auth/acme/callback', now: () => 0 },
  );
  const request = { state: 'state', nonce: 'nonce', verifier: 'v'.repeat(43) };
  await expect(client.authorizationUrl(request)).rejects.toThrow('fetch failed');
  expect(requests.at(-1)).toBe(pushed.pushed_authorization_request_endpoint);
});

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

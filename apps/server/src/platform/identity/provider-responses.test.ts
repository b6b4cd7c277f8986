/** Responses of providers as openid-client parses them. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { discoverProvider } from './discover-provider.ts';
import { refreshTokens } from './refresh-tokens.ts';

afterEach(() => vi.restoreAllMocks());

const issuer = 'https://acme.example';
const provider = {
  id: 'acme',
  issuer,
  clientId: 'vestibule',
  authentication: { method: 'client_secret_basic', secret: 'secret' },
} as OidcProviderConfig;
const responseOf = (body: object) =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(body)));

describe('a refreshed token', () => {
  test.each<[string, Record<string, unknown>, string | null]>([
    ['a list of scopes', { refresh_token: 'next', scope: ['openid'] }, 'next'],
    ['null in place of absent values', { refresh_token: null, id_token: null, expires_in: null }, null],
    ['an empty refresh token', { refresh_token: '' }, null],
    ['a refresh token of another type', { refresh_token: 5 }, null],
  ])('is accepted with %s', async (_title, body, expected) => {
    responseOf({ access_token: 'token', token_type: 'Bearer', ...body });
    const renewed = await refreshTokens(provider, { issuer, token_endpoint: `${issuer}/token` }, 'last');
    expect(renewed).toEqual({ refreshToken: expected, idToken: null });
  });

  test('is refused without an access token', async () => {
    responseOf({ token_type: 'Bearer', refresh_token: 'next' });
    const renewing = refreshTokens(provider, { issuer, token_endpoint: `${issuer}/token` }, 'last');
    await expect(renewing).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' });
  });
});

describe('algorithms for signed userinfo', () => {
  const algorithmsWith = async (metadata: object) => {
    responseOf({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      jwks_uri: `${issuer}/keys`,
      ...metadata,
    });
    return (await discoverProvider(provider)).serverMetadata().userinfo_signing_alg_values_supported;
  };

  test.each<[string, object, string[]]>([
    ['those listed in the metadata', { userinfo_signing_alg_values_supported: ['ES256'] }, ['ES256']],
    [
      'the asymmetric ones of id tokens if the metadata lists none',
      { id_token_signing_alg_values_supported: ['PS256', 'HS256', 'none'] },
      ['PS256'],
    ],
    ['RS256 if the metadata lists no algorithms at all', {}, ['RS256']],
  ])('are %s', async (_title, metadata, expected) => {
    expect(await algorithmsWith(metadata)).toEqual(expected);
  });
});

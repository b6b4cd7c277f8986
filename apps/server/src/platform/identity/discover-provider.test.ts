/** Metadata must name the configured issuer, also where openid-client accepts another one (security 59). */
import { afterEach, expect, test, vi } from 'vitest';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { discoverProvider } from './discover-provider.ts';

afterEach(() => vi.restoreAllMocks());

const discover = (configured: string, issuer: string) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(
      Response.json({
        issuer,
        authorization_endpoint: 'https://login.example.com/authorize',
        jwks_uri: 'https://login.example.com/keys',
      }),
    ),
  );
  return discoverProvider({
    id: 'entra',
    issuer: configured,
    clientId: 'vestibule',
    authentication: { method: 'client_secret_basic', secret: 'secret' },
  } as OidcProviderConfig);
};

test.each([
  ['https://login.microsoftonline.com/contoso/v2.0', 'https://login.microsoftonline.com/9c5d1a52/v2.0'],
  ['https://login.microsoftonline.com/contoso/v2.0', 'https://login.microsoftonline.com/{tenantid}/v2.0'],
  ['https://contoso.b2clogin.com/contoso/v2.0', 'https://contoso.b2clogin.com/9c5d1a52/v2.0/'],
  ['https://login.example.com', 'https://login.example.org'],
])('for the configured issuer %s, metadata of %s is refused', async (configured, issuer) => {
  await expect(discover(configured, issuer)).rejects.toThrow(/issuer/);
});

test.each([
  ['https://login.microsoftonline.com/9c5d1a52/v2.0', 'https://login.microsoftonline.com/9c5d1a52/v2.0'],
  ['https://LOGIN.example.com', 'https://login.example.com/'],
  ['https://auth.example.com/application/o/app', 'https://auth.example.com/application/o/app/'],
  ['https://auth.example.com/application/o/app/', 'https://auth.example.com/application/o/app'],
])('for the configured issuer %s, metadata of %s is accepted', async (configured, issuer) => {
  expect((await discover(configured, issuer)).serverMetadata().issuer).toBe(issuer);
});

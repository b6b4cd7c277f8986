/** Reads the metadata of an OpenID Provider, as a client that verifies what it signs and shows its own credentials. */
import type { KeyObject } from 'node:crypto';
import type { CryptoKey } from 'jose';
import * as openid from 'openid-client';
import { isLoopback } from '../config/loopback.ts';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { traced } from '../telemetry/span-at-work.ts';

/** How long an answer of a provider is waited for. */
export const providerTimeoutSeconds = 10;
/** How far the provider's clock may be from ours. */
export const providerClockToleranceSeconds = 30;

/** Asks the provider anew. Throws what openid-client throws. */
export function discoverProvider(provider: OidcProviderConfig): Promise<openid.Configuration> {
  const server = new URL(provider.issuer);
  const isInsecure = server.protocol === 'http:' && isLoopback(server.hostname);
  return openid.discovery(
    server,
    provider.clientId,
    { [openid.clockTolerance]: providerClockToleranceSeconds },
    authenticationOf(provider),
    {
      timeout: providerTimeoutSeconds,
      // Here and in whatever is asked of it later.
      [openid.customFetch]: (url, request) =>
        traced(`provider ${provider.id}`, 'client', { 'server.address': new URL(url).hostname }, () =>
          fetch(url, request as RequestInit),
        ),
      execute: [
        // Without it, the signature of an id token is not looked at.
        openid.enableNonRepudiationChecks,
        ...(isInsecure ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
}

function authenticationOf({ authentication }: OidcProviderConfig): openid.ClientAuth {
  switch (authentication.method) {
    case 'client_secret_basic':
      return openid.ClientSecretBasic(authentication.secret);
    case 'client_secret_post':
      return openid.ClientSecretPost(authentication.secret);
    case 'private_key_jwt':
      return openid.PrivateKeyJwt(toCryptoKey(authentication.key));
  }
}

function toCryptoKey(key: KeyObject): CryptoKey {
  const isElliptic = key.asymmetricKeyType === 'ec';
  return key.toCryptoKey(
    isElliptic ? { name: 'ECDSA', namedCurve: 'P-256' } : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['sign'],
  );
}

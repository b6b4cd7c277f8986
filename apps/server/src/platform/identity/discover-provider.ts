/** Reads the metadata of an OpenID Provider, as a client that verifies what it signs and shows its own credentials. */
import type { KeyObject } from 'node:crypto';
import type { CryptoKey } from 'jose';
import * as openid from 'openid-client';
import { isLoopback } from '../config/loopback.ts';
import type { OidcProviderConfig } from '../config/oidc-providers.ts';
import { traced } from '../telemetry/span-at-work.ts';
import { fetchWithSecret } from './client-secret.ts';

/** How long an answer of a provider is waited for. */
export const providerTimeoutSeconds = 10;
/** How far the provider's clock may be from ours. */
export const providerClockToleranceSeconds = 30;

/**
 * Asks the provider anew. Throws what openid-client throws, also for metadata of another issuer, which openid-client lets pass at hosts of
 * Microsoft's, and for metadata without keys, by which nothing could be verified.
 */
export async function discoverProvider(provider: OidcProviderConfig): Promise<openid.Configuration> {
  const server = new URL(provider.issuer);
  const configuration = await openid.discovery(
    server,
    provider.clientId,
    { [openid.clockTolerance]: providerClockToleranceSeconds },
    authenticationOf(provider),
    {
      timeout: providerTimeoutSeconds,
      [openid.customFetch]: fetchOf(provider),
      execute: [
        // Without it, the signature of an id token is not looked at.
        openid.enableNonRepudiationChecks,
        ...(isInsecure(provider) ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
  const metadata = configuration.serverMetadata();
  configuration[openid.customFetch] = fetchOf(provider, metadata);
  const { issuer, jwks_uri: keys = '' } = metadata;
  if (new URL(issuer).href !== server.href) throw new openid.ClientError('metadata of another issuer');
  if (!URL.canParse(keys)) throw new openid.ClientError('metadata without keys');
  return configuration;
}

/** A client of a provider that was discovered, which verifies nothing that the provider signs; `ask` is how it fetches. */
export function prepareClient(
  provider: OidcProviderConfig,
  metadata: openid.ServerMetadata,
): { client: openid.Configuration; ask: openid.CustomFetch } {
  const client = new openid.Configuration(metadata, provider.clientId, {}, authenticationOf(provider));
  client.timeout = providerTimeoutSeconds;
  if (isInsecure(provider)) openid.allowInsecureRequests(client);
  const ask = fetchOf(provider, metadata);
  client[openid.customFetch] = ask;
  return { client, ask };
}

const isInsecure = ({ issuer }: OidcProviderConfig) =>
  issuer.startsWith('http:') && isLoopback(new URL(issuer).hostname);

const fetchOf = (provider: OidcProviderConfig, metadata?: openid.ServerMetadata): openid.CustomFetch =>
  fetchWithSecret(provider, metadata, (url, request) =>
    traced(`provider ${provider.id}`, 'client', { 'server.address': new URL(url).hostname }, () =>
      fetch(url, request as RequestInit),
    ),
  );

function authenticationOf({ authentication }: OidcProviderConfig): openid.ClientAuth {
  // fetchWithSecret moves the secret from the form to the header where the provider reads it there.
  if (authentication.method !== 'private_key_jwt') return openid.ClientSecretPost(authentication.secret);
  return openid.PrivateKeyJwt({
    key: toCryptoKey(authentication.key),
    ...(authentication.keyId !== undefined && { kid: authentication.keyId }),
  });
}

function toCryptoKey(key: KeyObject): CryptoKey {
  const isElliptic = key.asymmetricKeyType === 'ec';
  return key.toCryptoKey(
    isElliptic ? { name: 'ECDSA', namedCurve: 'P-256' } : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    false,
    ['sign'],
  );
}

/** Reads the metadata of an OpenID Provider and creates clients for it. */
import type { KeyObject } from 'node:crypto';
import type { CryptoKey } from 'jose';
import * as openid from 'openid-client';
import { isLoopback } from '../config/addresses.ts';
import { isSameIssuer, metadataAddressOf, type OidcProviderConfig } from '../config/oidc-providers.ts';
import { traced } from '../telemetry/current-span.ts';
import { fetchWithSecret } from './client-secret.ts';
import { fetchRewritten } from './provider-responses.ts';

/** Timeout of requests to a provider. */
export const providerTimeoutSeconds = 10;
/** Tolerated difference between the provider's clock and the server's. */
export const providerClockToleranceSeconds = 30;

/**
 * Requests the metadata without a cache. Throws the errors of openid-client, and rejects metadata of another issuer and metadata without
 * keys, with which no signature can be verified.
 */
export async function discoverProvider(provider: OidcProviderConfig): Promise<openid.Configuration> {
  const configuration = await openid.discovery(
    new URL(metadataAddressOf(provider.issuer)),
    provider.clientId,
    { [openid.clockTolerance]: providerClockToleranceSeconds },
    authenticationOf(provider),
    {
      timeout: providerTimeoutSeconds,
      [openid.customFetch]: fetchOf(provider),
      execute: [
        // Required for verifying the signature of id tokens.
        openid.enableNonRepudiationChecks,
        ...(isInsecure(provider) ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
  const metadata = configuration.serverMetadata();
  configuration[openid.customFetch] = fetchOf(provider, metadata);
  const { issuer, jwks_uri: keys = '', authorization_endpoint: signInPage = '' } = metadata;
  if (!isSameIssuer(issuer, provider.issuer)) throw new openid.ClientError('metadata of another issuer');
  // Browsers are sent there.
  if (!/^https?:\/\//.test(signInPage) || !URL.canParse(signInPage))
    throw new openid.ClientError('metadata without an authorization endpoint');
  if (!URL.canParse(keys)) throw new openid.ClientError('metadata without keys');
  return configuration;
}

/** Creates a client from known metadata. The client does not verify signatures; `providerFetch` is its fetch function. */
export function prepareClient(
  provider: OidcProviderConfig,
  metadata: openid.ServerMetadata,
): { client: openid.Configuration; providerFetch: openid.CustomFetch } {
  const client = new openid.Configuration(metadata, provider.clientId, {}, authenticationOf(provider));
  client.timeout = providerTimeoutSeconds;
  if (isInsecure(provider)) openid.allowInsecureRequests(client);
  const providerFetch = fetchOf(provider, metadata);
  client[openid.customFetch] = providerFetch;
  return { client, providerFetch };
}

const isInsecure = ({ issuer }: OidcProviderConfig) =>
  issuer.startsWith('http:') && isLoopback(new URL(issuer).hostname);

const fetchOf = (provider: OidcProviderConfig, metadata?: openid.ServerMetadata): openid.CustomFetch =>
  fetchRewritten(
    metadata === undefined,
    fetchWithSecret(provider, metadata, (url, request) =>
      traced(`provider ${provider.id}`, 'client', { 'server.address': new URL(url).hostname }, () =>
        (provider.fetch ?? fetch)(url, request as RequestInit),
      ),
    ),
  );

function authenticationOf({ authentication }: OidcProviderConfig): openid.ClientAuth {
  // fetchWithSecret moves the secret from the form to the header if the provider expects it there.
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

/**
 * The provider's metadata and signing keys, fetched at first use and cached. An outage of the provider prevents new
 * sign-ins but does not affect signed-in users.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fail } from '../errors/failure.ts';
import { cacheMetadata } from './cache-metadata.ts';

export type Provider = {
  /** Returns the issuer of the provider's tokens. Throws `sign_in.provider_unreachable` if it was never read. */
  issuer(): Promise<string>;
  /** Finds a token's key. Throws `sign_in.needed` for an unknown key. */
  keys: JWTVerifyGetKey;
};

type Known = { issuer: string; findKey: JWTVerifyGetKey };

const timeoutMs = 5_000;

/** `metadataUrl` is the OpenID Connect discovery document of the sign-in policy (OIDC Discovery 1.0). */
export function connectProvider(metadataUrl: string, now: () => number): Provider {
  const metadata = cacheMetadata(() => fetchProvider(metadataUrl), now);

  async function load(): Promise<Known> {
    try {
      return await metadata.get();
    } catch (cause) {
      throw fail(requestErrors.providerUnreachable, { cause });
    }
  }

  return {
    issuer: async () => (await load()).issuer,
    async keys(header, token) {
      const { findKey } = await load();
      try {
        return await findKey(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const renewed = await metadata.renew();
        // The token has an unknown key, which is an invalid token even while the provider is unreachable.
        if (!renewed) throw error;
        return renewed.findKey(header, token);
      }
    },
  };
}

async function fetchProvider(metadataUrl: string): Promise<Known> {
  const { issuer, jwks_uri: keysUrl } = await fetchJson(metadataUrl);
  if (typeof issuer !== 'string' || typeof keysUrl !== 'string')
    throw new Error(`${metadataUrl} is not the metadata of an OpenID provider`);
  // createLocalJWKSet validates the keys.
  const keys = (await fetchJson(keysUrl)) as Record<string, unknown> & JSONWebKeySet;
  return { issuer, findKey: createLocalJWKSet(keys) };
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

/**
 * The provider's metadata and signing keys, fetched at first use and cached. An outage of the provider prevents new
 * sign-ins but does not affect signed-in users.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fail } from '../errors/failure.ts';

export type Provider = {
  /** Returns the issuer of the provider's tokens. Throws `sign_in.provider_unreachable` if it was never read. */
  issuer(): Promise<string>;
  /** Finds a token's key. Throws `sign_in.needed` for an unknown key. */
  keys: JWTVerifyGetKey;
};

type Known = { issuer: string; findKey: JWTVerifyGetKey };

const timeoutMs = 5_000;
/** Minimum time between requests while nothing is cached. */
const retryMs = 1_000;
/** Minimum time between requests caused by unknown key ids. */
const cooldownMs = 60_000;
/** Time after which the keys are fetched again, so that keys that the provider has withdrawn are no longer accepted. */
const refreshMs = 10 * 60_000;

/** `metadataUrl` is the OpenID Connect discovery document of the sign-in policy (OIDC Discovery 1.0). */
export function connectProvider(metadataUrl: string, now: () => number): Provider {
  let known: Known | undefined;
  let fetching: Promise<Known> | undefined;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let lastError: unknown;

  /** Fetches from the provider, one request at a time; cached values remain if it fails. */
  async function fetchMetadata(): Promise<Known> {
    if (!fetching) {
      requestedAt = now();
      fetching = fetchProvider(metadataUrl).finally(() => (fetching = undefined));
    }
    try {
      known = await fetching;
      return known;
    } catch (error) {
      lastError = error;
      throw error;
    }
  }

  async function load(): Promise<Known> {
    if (known) {
      // In the background; a failure has no effect.
      if (now() - requestedAt >= refreshMs) fetchMetadata().catch(() => {});
      return known;
    }
    try {
      if (!fetching && now() - requestedAt < retryMs) throw lastError;
      return await fetchMetadata();
    } catch (cause) {
      throw fail(requestErrors.providerUnreachable, { cause });
    }
  }

  return {
    async issuer() {
      return (await load()).issuer;
    },
    async keys(header, token) {
      const { findKey } = await load();
      try {
        return await findKey(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (!fetching && now() - requestedAt < cooldownMs) throw error;
        const refreshed = await fetchMetadata().catch(() => null);
        // The token has an unknown key, which is an invalid token even while the provider is unreachable.
        if (!refreshed) throw error;
        return refreshed.findKey(header, token);
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

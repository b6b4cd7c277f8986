/**
 * The provider as the server sees it: its metadata and its signing keys, fetched when first needed and kept.
 * A provider that is down stops new sign-ins, not the people who are inside: known keys keep working.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fail } from '../errors/failure.ts';

export type Provider = {
  /** The issuer of its tokens. Throws `sign_in.provider_unreachable` while it was never read. */
  issuer(): Promise<string>;
  /** Finds the key of a token. Throws `sign_in.needed` for a key that is not the provider's. */
  keys: JWTVerifyGetKey;
};

type Known = { issuer: string; findKey: JWTVerifyGetKey };

const timeoutMilliseconds = 5_000;
/** While nothing is known, the provider is asked at most this often. */
const retryMilliseconds = 1_000;
/** An unknown key id leads to at most one fetch in this time, whoever sends how many of them. */
const cooldownMilliseconds = 60_000;
/** Keys that the provider has withdrawn are forgotten after this time. */
const refreshMilliseconds = 10 * 60_000;

/** `metadataUrl` is the OpenID Connect discovery document of the sign-in policy (OIDC Discovery 1.0). */
export function connectProvider(metadataUrl: string, now: () => number): Provider {
  let known: Known | undefined;
  let fetching: Promise<Known> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let lastError: unknown;

  /** Asks the provider, once at a time; what was known stays when it does not answer. */
  async function ask(): Promise<Known> {
    if (!fetching) {
      askedAt = now();
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

  async function know(): Promise<Known> {
    if (known) {
      // In the background: nobody waits for it, and its failure changes nothing.
      if (now() - askedAt >= refreshMilliseconds) ask().catch(() => {});
      return known;
    }
    try {
      if (!fetching && now() - askedAt < retryMilliseconds) throw lastError;
      return await ask();
    } catch (cause) {
      throw fail(requestErrors.providerUnreachable, { cause });
    }
  }

  return {
    async issuer() {
      return (await know()).issuer;
    },
    async keys(header, token) {
      const { findKey } = await know();
      try {
        return await findKey(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        if (!fetching && now() - askedAt < cooldownMilliseconds) throw error;
        const fresh = await ask().catch(() => null);
        // The keys are known and this one is not among them, whether or not the provider answers just now.
        if (!fresh) throw error;
        return fresh.findKey(header, token);
      }
    },
  };
}

async function fetchProvider(metadataUrl: string): Promise<Known> {
  const { issuer, jwks_uri: keysUrl } = await fetchJson(metadataUrl);
  if (typeof issuer !== 'string' || typeof keysUrl !== 'string')
    throw new Error(`${metadataUrl} is not the metadata of an OpenID provider`);
  // Whether these are keys is looked at there.
  const keys = (await fetchJson(keysUrl)) as Record<string, unknown> & JSONWebKeySet;
  return { issuer, findKey: createLocalJWKSet(keys) };
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

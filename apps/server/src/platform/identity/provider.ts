/**
 * The provider as the server sees it: its metadata and its signing keys, fetched when first needed and kept.
 * A provider that is down stops new sign-ins, not the people who are inside: known keys keep working.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { fail } from '../errors/failure.ts';

export type ProviderMetadata = { issuer: string; jwksUri: string };

export type Provider = {
  /** Issuer and address of the keys. Throws `sign_in.provider_unreachable` while they were never read. */
  metadata(): Promise<ProviderMetadata>;
  keys: JWTVerifyGetKey;
};

const timeoutMilliseconds = 5_000;
/** An unknown key id leads to at most one fetch in this time, whoever sends how many of them. */
const cooldownMilliseconds = 60_000;
/** Keys the provider has withdrawn are forgotten after this time. */
const refreshMilliseconds = 10 * 60_000;

/** `metadataUrl` is the OpenID Connect discovery document of the sign-in policy (OIDC Discovery 1.0). */
export function connectProvider(metadataUrl: string, now: () => number): Provider {
  let metadata: Promise<ProviderMetadata> | undefined;
  let keySet: ReturnType<typeof createRemoteJWKSet> | undefined;
  let refreshAt = 0;

  async function fetchMetadata(): Promise<ProviderMetadata> {
    const response = await fetch(metadataUrl, { signal: AbortSignal.timeout(timeoutMilliseconds) });
    const body = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (!response.ok || typeof body.issuer !== 'string' || typeof body.jwks_uri !== 'string')
      throw new Error(`${metadataUrl} is not the metadata of an OpenID provider (status ${response.status})`);
    return { issuer: body.issuer, jwksUri: body.jwks_uri };
  }

  async function metadataOrFailure(): Promise<ProviderMetadata> {
    metadata ??= fetchMetadata();
    try {
      return await metadata;
    } catch (cause) {
      metadata = undefined;
      throw fail(requestErrors.providerUnreachable, { cause });
    }
  }

  return {
    metadata: metadataOrFailure,
    async keys(header, token) {
      const { jwksUri } = await metadataOrFailure();
      keySet ??= createRemoteJWKSet(new URL(jwksUri), {
        timeoutDuration: timeoutMilliseconds,
        cooldownDuration: cooldownMilliseconds,
        cacheMaxAge: Number.POSITIVE_INFINITY,
      });
      if (keySet.jwks() && now() >= refreshAt) {
        refreshAt = now() + refreshMilliseconds;
        // A failed refresh changes nothing; the next one comes in ten minutes.
        keySet.reload().catch(() => {});
      }
      try {
        const key = await keySet(header, token);
        refreshAt ||= now() + refreshMilliseconds;
        return key;
      } catch (cause) {
        if (keySet.jwks() === undefined) throw fail(requestErrors.providerUnreachable, { cause });
        // The keys are known and this one is not among them, whether or not the provider answers just now.
        throw fail(requestErrors.signInNeeded, { cause });
      }
    },
  };
}

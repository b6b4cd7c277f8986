/**
 * Checks an `id_token_hint` as B2C does: against the published metadata and keys of the one issuer that may
 * send hints. Not for: single use, which the accounts decide (B2C leaves it to the application).
 */
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import { B2cError, getErrorMessage } from '../b2c-error.ts';
import { isEmailAddress } from '../tenant/email-address.ts';
import type { HintIssuerConfig } from '../emulator-config.ts';

/** What a valid hint says: who is invited. */
export type Invitation = {
  /** The hint's `sub`. */
  invitationId: string;
  /** The hint's `jti`. */
  hintId: string | undefined;
  email: string;
  name: string | undefined;
};

/** The hint issuer's metadata or keys could not be fetched, so nothing can be said about the hint. */
export class HintIssuerUnreachable extends Error {
  override readonly name = 'HintIssuerUnreachable';
}

/** Gives the invitation, or throws a B2cError or a HintIssuerUnreachable. */
type HintCheck = (hint: string) => Promise<Invitation>;

const cacheMilliseconds = 60_000;
/** Hints with made-up key ids must not turn into as many requests. */
const minRefetchMilliseconds = 1_000;
const fetchTimeoutMilliseconds = 5_000;
const clockToleranceSeconds = 5;

/** Keys are fetched when a hint is checked, kept for a minute, and fetched anew for a key id that is not among them. */
export function createHintCheck(issuer: HintIssuerConfig | undefined, now: () => number): HintCheck {
  let cached: { keys: ReturnType<typeof createLocalJWKSet>; fetchedAt: number } | undefined;

  async function getKeys(maxAgeMilliseconds: number, metadataUrl: string) {
    if (!cached || now() - cached.fetchedAt > maxAgeMilliseconds) {
      cached = { keys: await fetchKeys(metadataUrl), fetchedAt: now() };
    }
    return cached.keys;
  }

  return async (hint) => {
    if (!issuer) throw new B2cError('AADB2C90210', 'invalid_request');
    const verify = async (maxAge: number) => {
      const keys = await getKeys(maxAge, issuer.metadataUrl);
      const { payload } = await jwtVerify(hint, keys, {
        algorithms: ['RS256'],
        issuer: issuer.issuer,
        audience: issuer.audience,
        requiredClaims: ['sub', 'exp', 'nbf', 'email'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
      });
      return readInvitation(payload);
    };
    try {
      try {
        return await verify(cacheMilliseconds);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return await verify(minRefetchMilliseconds);
      }
    } catch (error) {
      throw translate(error, issuer);
    }
  };
}

function readInvitation(payload: JWTPayload): Invitation {
  const { sub, jti, email, name } = payload;
  if (!sub || sub.length > 255 || typeof email !== 'string' || !isEmailAddress(email)) {
    throw new B2cError('AADB2C90210', 'invalid_request');
  }
  return {
    invitationId: sub,
    hintId: jti,
    email,
    name: typeof name === 'string' && name.length <= 100 ? name : undefined,
  };
}

function translate(error: unknown, issuer: HintIssuerConfig): unknown {
  if (error instanceof B2cError || error instanceof HintIssuerUnreachable) return error;
  if (error instanceof errors.JWTExpired) return new B2cError('AADB2C90208', 'invalid_request');
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return new B2cError('AADB2C90209', 'invalid_request', issuer.audience);
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss') {
    return new B2cError('AADB2C90232', 'invalid_request', issuer.issuer);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return new B2cError('AADB2C90233', 'invalid_request');
  }
  // Anything else jose refuses: not a JWT, another algorithm, a claim missing, not yet valid.
  return new B2cError('AADB2C90210', 'invalid_request');
}

async function fetchKeys(metadataUrl: string) {
  const metadata = await fetchJson(metadataUrl);
  const keysUrl = metadata['jwks_uri'];
  if (typeof keysUrl !== 'string') throw new HintIssuerUnreachable(`${metadataUrl} names no jwks_uri`);
  const keys = await fetchJson(keysUrl);
  try {
    return createLocalJWKSet(keys as typeof keys & JSONWebKeySet);
  } catch {
    throw new HintIssuerUnreachable(`${keysUrl} holds no key set`);
  }
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(fetchTimeoutMilliseconds),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const json: unknown = await response.json();
    if (typeof json !== 'object' || json === null) throw new Error('no JSON object');
    return json as Record<string, unknown>;
  } catch (error) {
    throw new HintIssuerUnreachable(`${url} could not be fetched (${getErrorMessage(error)})`);
  }
}

/**
 * Validation of `id_token_hint` with the published metadata and keys of the configured issuer, as in B2C.
 * Single use is checked by the accounts; B2C leaves it to the application.
 */
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import { B2cError, getErrorMessage } from '../b2c-error.ts';
import { isEmailAddress } from '../tenant/email-address.ts';
import type { HintIssuerConfig } from '../emulator-config.ts';

/** Claims of a valid hint. */
export type Invitation = {
  /** The hint's `sub`. */
  invitationId: string;
  /** The hint's `jti`. */
  hintId: string | undefined;
  email: string;
  name: string | undefined;
};

/** Thrown when the hint issuer's metadata or keys cannot be fetched, so the hint cannot be validated. */
export class HintIssuerUnreachable extends Error {
  override readonly name = 'HintIssuerUnreachable';
}

/** Returns the invitation; throws a B2cError or a HintIssuerUnreachable. */
type HintCheck = (hint: string) => Promise<Invitation>;

const cacheMilliseconds = 60_000;
/** Limits the requests caused by hints with unknown key ids. */
const minRefetchMilliseconds = 1_000;
const fetchTimeoutMilliseconds = 5_000;
const clockToleranceSeconds = 5;

/**
 * Creates a validator. It fetches the keys on first use, caches them for a minute and refetches them for an
 * unknown key id.
 */
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
  // All other errors of jose: not a JWT, wrong algorithm, missing claim, not yet valid.
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

/**
 * Validation of `id_token_hint` with the published metadata and keys of the configured issuer, as in B2C.
 * Single use is checked by the accounts; B2C leaves it to the application.
 */
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { B2cError, getErrorMessage } from '../b2c-error.ts';
import type { HintIssuer } from '../emulator-config.ts';
import { isEmailAddress } from '../tenant/accounts.ts';

/** Claims of a valid hint. */
export type Invitation = {
  /** The hint's `sub`. */
  invitationId: string;
  /** The hint's `jti`. */
  hintId: string | undefined;
  email: string;
  name: string | undefined;
};

const cacheMilliseconds = 60_000;
/** Limits the requests caused by hints with unknown key ids. */
const minRefetchMilliseconds = 1_000;
const fetchTimeoutMilliseconds = 5_000;
const clockToleranceSeconds = 5;

/**
 * Creates a validator, which throws a B2cError for an invalid hint. It fetches the keys on first use, caches them for
 * a minute and refetches them for an unknown key id.
 */
export function createHintCheck(
  issuer: HintIssuer | undefined,
  now: () => number,
  log: (line: string) => void,
) {
  let cached: { keys: ReturnType<typeof createLocalJWKSet>; fetchedAt: number } | undefined;

  async function verify(hint: string, { metadataUrl, ...expected }: HintIssuer, maxAgeMilliseconds: number) {
    if (!cached || now() - cached.fetchedAt > maxAgeMilliseconds) {
      cached = { keys: await fetchKeys(metadataUrl), fetchedAt: now() };
    }
    const { payload } = await jwtVerify(hint, cached.keys, {
      algorithms: ['RS256'],
      ...expected,
      requiredClaims: ['sub', 'exp', 'nbf', 'email'],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(now()),
    });
    return readInvitation(payload);
  }

  return async (hint: string): Promise<Invitation> => {
    if (!issuer) throw new B2cError('AADB2C90210', 'invalid_request');
    try {
      return await verify(hint, issuer, cacheMilliseconds).catch((error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return verify(hint, issuer, minRefetchMilliseconds);
      });
    } catch (error) {
      if (error instanceof B2cError) throw error;
      if (error instanceof errors.JOSEError) throw translate(error, issuer);
      log(`an id_token_hint could not be checked: ${getErrorMessage(error)}`);
      throw new B2cError('AADB2C90037', 'server_error');
    }
  };
}

function readInvitation({ sub, jti, email, name }: JWTPayload): Invitation {
  if (!sub || sub.length > 255 || typeof email !== 'string' || !isEmailAddress(email)) {
    throw new B2cError('AADB2C90210', 'invalid_request');
  }
  const isName = typeof name === 'string' && name.length <= 100;
  return { invitationId: sub, hintId: jti, email, name: isName ? name : undefined };
}

function translate(error: errors.JOSEError, { issuer, audience }: HintIssuer): B2cError {
  if (error instanceof errors.JWTExpired) return new B2cError('AADB2C90208', 'invalid_request');
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : undefined;
  if (claim === 'aud') return new B2cError('AADB2C90209', 'invalid_request', audience);
  if (claim === 'iss') return new B2cError('AADB2C90232', 'invalid_request', issuer);
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return new B2cError('AADB2C90233', 'invalid_request');
  }
  // All other errors: not a JWT, wrong algorithm, missing claim, not yet valid.
  return new B2cError('AADB2C90210', 'invalid_request');
}

async function fetchKeys(metadataUrl: string) {
  const { jwks_uri: keysUrl } = await fetchJson<{ jwks_uri: string }>(metadataUrl);
  const keys = await fetchJson<JSONWebKeySet>(keysUrl);
  if (!Array.isArray(keys.keys)) throw new Error(`${keysUrl} holds no key set`);
  return createLocalJWKSet(keys);
}

async function fetchJson<Json>(url: string): Promise<Json> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeoutMilliseconds) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as Json;
  } catch (error) {
    throw new Error(`${url} could not be fetched (${getErrorMessage(error)})`, { cause: error });
  }
}

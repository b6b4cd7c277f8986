/**
 * Verifies the provider's access tokens (RFC 9068, RFC 8725): signature, algorithm, issuer, audience, policy, scope and
 * times. Returns claims; callers look up the person.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { BoundedMap } from '../bounded-map.ts';
import { fail } from '../errors/failure.ts';

/** Claims of a verified token. `expiresAt` is in milliseconds since 1970. */
export type AccessTokenClaims = JWTPayload & { iss: string; sub: string; expiresAt: number };

type AccessTokenRules = {
  issuer: string;
  audience: string;
  /** Accepted policies, in upper or lower case. The password-reset policy is excluded. */
  policies: string[];
  /** Last part of the scope, as in the claim `scp`. */
  scope: string;
};

/** Tolerated difference between the provider's clock and the server's. */
export const clockToleranceSeconds = 60;

/** Returns whether "sign out everywhere" ended a token's sign-in. `signedInAt` is the provider's time. */
export const isEnded = (signedInAt: number, validAfter: Date | null): boolean =>
  validAfter !== null && signedInAt <= validAfter.getTime();

/** Sign-in of the user who started a long-running action; `sessionId` is null if the request had a token, not a session. */
type SignedIn = { signedInAt: number; sessionId: string | null };

/**
 * Returns whether a sign-in has ended. A session has ended once it is deleted; its time is not compared with
 * `validAfter`, which applies to times by the provider's clock.
 */
export const isSignedOut = (
  { signedInAt, sessionId }: SignedIn,
  { validAfter, hasSession }: { validAfter: Date | null; hasSession: boolean },
): boolean => (sessionId === null ? isEnded(signedInAt, validAfter) : !hasSession);

const maxTokenLength = 16_384;
const cachedTokens = 10_000;

/**
 * Creates the verifier. Verified tokens are cached until they expire, since a signature check costs far more than a lookup. Throws
 * `sign_in.needed` for an invalid token, `sign_in.provider_unreachable` while the provider's keys have never been read.
 */
export function createAccessTokenVerifier(
  provider: { rules(): Promise<AccessTokenRules>; keys: JWTVerifyGetKey },
  now: () => number,
): (token: string) => Promise<AccessTokenClaims> {
  const verified = new BoundedMap<string, AccessTokenClaims>(cachedTokens);

  return async (token) => {
    const known = verified.get(token);
    if (known && known.expiresAt + clockToleranceSeconds * 1000 > now()) return known;
    verified.delete(token);
    if (token.length > maxTokenLength) throw fail(requestErrors.signInNeeded);

    const rules = await provider.rules();
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, provider.keys, {
        algorithms: ['RS256'],
        issuer: rules.issuer,
        audience: rules.audience,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'exp', 'nbf', 'scp'],
      }));
    } catch (cause) {
      if (cause instanceof errors.JOSEError) throw fail(requestErrors.signInNeeded, { cause });
      throw cause;
    }
    if (!hasOurAudience(payload, rules)) throw fail(requestErrors.signInNeeded);

    const claims = { ...payload, expiresAt: (payload.exp as number) * 1000 } as AccessTokenClaims;
    verified.set(token, claims);
    return claims;
  };
}

/**
 * Returns whether a token is of a policy, ignoring case. The claim is `tfp`; old policies use `acr` (Microsoft, "Overview
 * of tokens in B2C").
 */
export function isTokenOfPolicy(payload: JWTPayload, policy: string): boolean {
  const name = payload['tfp'] ?? payload['acr'];
  return typeof name === 'string' && name.toLowerCase() === policy.toLowerCase();
}

function hasOurAudience(payload: JWTPayload, rules: AccessTokenRules): boolean {
  const scopes = payload['scp'];
  return (
    typeof payload.sub === 'string' &&
    payload.sub.length > 0 &&
    payload.sub.length <= 255 &&
    // PostgreSQL cannot store NUL, and lookups of several people share a statement.
    !payload.sub.includes('\0') &&
    // Only id tokens have a nonce; B2C gives both kinds the same `typ`.
    payload['nonce'] === undefined &&
    typeof payload.iss === 'string' &&
    typeof payload.aud === 'string' &&
    typeof scopes === 'string' &&
    scopes.split(' ').includes(rules.scope) &&
    rules.policies.some((allowed) => isTokenOfPolicy(payload, allowed))
  );
}

/**
 * Returns the token of a single `Authorization: Bearer` header (RFC 6750, section 2.1); null if there is none, several, or another scheme.
 */
export function bearerToken(rawHeaders: string[], header: string | undefined): string | null {
  if (!hasOneAuthorization(rawHeaders)) return null;
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.[1] ?? null;
}

/** Returns the password of a single `Authorization: Basic` header (RFC 7617, section 2), otherwise null, as `bearerToken`. */
export function basicPassword(rawHeaders: string[], header: string | undefined): string | null {
  const credentials = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? '')?.[1];
  if (credentials === undefined || !hasOneAuthorization(rawHeaders)) return null;
  return /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString())?.[1] ?? null;
}

const hasOneAuthorization = (rawHeaders: string[]): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && /^authorization$/i.test(name)).length === 1;

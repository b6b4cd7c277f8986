/**
 * Verifies access tokens of the provider (RFC 9068, RFC 8725): signature, algorithm, issuer, audience, policy,
 * scope and times. Knows nothing of people: it gives claims, and others decide who that is.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { BoundedMap } from '../bounded-map.ts';
import { fail } from '../errors/failure.ts';

/** What is left of a verified token. `expiresAt` is in milliseconds since 1970. */
export type AccessTokenClaims = JWTPayload & { iss: string; sub: string; expiresAt: number };

type AccessTokenRules = {
  issuer: string;
  audience: string;
  /** Names of the policies whose tokens are accepted, any case. The password-reset policy is not among them. */
  policies: string[];
  /** The scope's last part, as in the claim `scp`. */
  scope: string;
};

/** How far the provider's clock may be from ours. */
export const clockToleranceSeconds = 60;

/** Whether signing out everywhere has ended the sign-in of a token, whose moment the provider's clock tells. */
export const isEnded = (signedInAt: number, validAfter: Date | null): boolean =>
  validAfter !== null && signedInAt <= validAfter.getTime();

/** What something was begun with that goes on by itself: `sessionId` is null where a token began it. */
type SignedIn = { signedInAt: number; sessionId: string | null };

/**
 * Whether that sign-in is over by now. A session is over when it is gone, however it went: its moment, which our clock tells, does
 * not compare with what is kept of tokens.
 */
export const isSignedOut = (
  { signedInAt, sessionId }: SignedIn,
  { validAfter, hasSession }: { validAfter: Date | null; hasSession: boolean },
): boolean => (sessionId === null ? isEnded(signedInAt, validAfter) : !hasSession);

const longestToken = 16_384;
const cachedTokens = 10_000;

/**
 * Makes the verifier. Verified tokens are remembered until they expire, since a signature costs far more than
 * a look-up. Throws `sign_in.needed` for whatever is wrong with a token, `sign_in.provider_unreachable` while
 * the provider's keys have never been seen.
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
    if (token.length > longestToken) throw fail(requestErrors.signInNeeded);

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
    if (!isForUs(payload, rules)) throw fail(requestErrors.signInNeeded);

    const claims = { ...payload, expiresAt: (payload.exp as number) * 1000 } as AccessTokenClaims;
    verified.set(token, claims);
    return claims;
  };
}

/**
 * Whether a token is of a policy, by its name in any case. `tfp` is the name; old policies write it to `acr` (Microsoft, "Overview
 * of tokens in B2C").
 */
export function isOfPolicy(payload: JWTPayload, policy: string): boolean {
  const name = payload['tfp'] ?? payload['acr'];
  return typeof name === 'string' && name.toLowerCase() === policy.toLowerCase();
}

function isForUs(payload: JWTPayload, rules: AccessTokenRules): boolean {
  const scopes = payload['scp'];
  return (
    typeof payload.sub === 'string' &&
    payload.sub.length > 0 &&
    payload.sub.length <= 255 &&
    // PostgreSQL's text cannot hold it, and the people of one moment are looked up together.
    !payload.sub.includes('\0') &&
    // Only id tokens carry a nonce; B2C gives both kinds the same `typ`.
    payload['nonce'] === undefined &&
    typeof payload.iss === 'string' &&
    typeof payload.aud === 'string' &&
    typeof scopes === 'string' &&
    scopes.split(' ').includes(rules.scope) &&
    rules.policies.some((allowed) => isOfPolicy(payload, allowed))
  );
}

/**
 * The token of a request, from its one `Authorization: Bearer` header (RFC 6750, section 2.1) and from nowhere
 * else. Null when there is none, more than one, or another scheme.
 */
export function bearerToken(rawHeaders: string[], header: string | undefined): string | null {
  if (rawHeaders.filter((name, index) => index % 2 === 0 && /^authorization$/i.test(name)).length !== 1)
    return null;
  return /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.[1] ?? null;
}

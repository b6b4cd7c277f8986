/**
 * Claims of the last accepted and the last rejected access token signed by the provider, for the provider check. Tokens are not stored.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { errors, type JWTPayload } from 'jose';

type TokenSummary = {
  at: number;
  keyId: string | null;
  issuer: string;
  audience: string;
  scopes: string[];
  policy: string;
  /** Whether the token contains `auth_time`. */
  hasSignInTime: boolean;
};

/** `claim` is the reason of the rejection. */
export type RefusedToken = TokenSummary & { claim: string };

export type RecentTokens = {
  accepted(token: string, claims: JWTPayload): void;
  /** `error` was thrown by the verification. */
  refused(error: unknown): void;
  last(): { accepted: TokenSummary | null; refused: RefusedToken | null };
};

/** Minimum interval between two recorded tokens. */
const recordIntervalMs = 1_000;

export function createRecentTokens(now: () => number): RecentTokens {
  let accepted: TokenSummary | null = null;
  let refused: RefusedToken | null = null;
  return {
    accepted(token, claims) {
      const at = now();
      if (accepted && at - accepted.at < recordIntervalMs) return;
      accepted = { at, keyId: keyIdOf(token), ...describe(claims) };
    },
    refused(error) {
      const { cause } = error as { cause?: unknown };
      // Thrown only after the signature was verified. Expired tokens are not recorded.
      if (cause instanceof errors.JWTClaimValidationFailed)
        refused = { at: now(), keyId: null, ...describe(cause.payload), claim: cause.claim };
    },
    last: () => ({ accepted, refused }),
  };
}

function keyIdOf(token: string): string | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const { kid } = header as { kid?: unknown };
    return typeof kid === 'string' ? kid : null;
  } catch {
    return null;
  }
}

/** Limits the length, as a rejected token may contain anything. */
function describe(claims: JWTPayload): Omit<TokenSummary, 'at' | 'keyId'> {
  const text = (value: unknown) =>
    cutText(typeof value === 'string' ? value : JSON.stringify(value ?? ''), 200);
  return {
    issuer: text(claims.iss),
    audience: text(claims.aud),
    scopes: text(claims['scp']).split(' '),
    policy: text(claims['tfp'] ?? claims['acr']),
    hasSignInTime: typeof claims['auth_time'] === 'number',
  };
}

/**
 * Remembers what the newest access tokens said, for the check of the provider: the last that was accepted, and the last
 * that the provider had signed and this server refused. Never the tokens themselves.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { errors, type JWTPayload } from 'jose';

type SeenToken = {
  at: number;
  keyId: string | null;
  issuer: string;
  audience: string;
  scopes: string[];
  policy: string;
  /** Whether it says when its person signed in (`auth_time`). */
  tellsSignIn: boolean;
};

/** `claim` is what it was refused for. */
export type RefusedToken = SeenToken & { claim: string };

export type SeenTokens = {
  accepted(token: string, claims: JWTPayload): void;
  /** `error` is what verifying ended with. */
  refused(error: unknown): void;
  last(): { accepted: SeenToken | null; refused: RefusedToken | null };
};

/** Tokens are looked into at most this often: nobody needs to know of each. */
const everyMilliseconds = 1_000;

export function createRecentTokens(now: () => number): SeenTokens {
  let accepted: SeenToken | null = null;
  let refused: RefusedToken | null = null;
  return {
    accepted(token, claims) {
      const at = now();
      if (accepted && at - accepted.at < everyMilliseconds) return;
      accepted = { at, keyId: keyIdOf(token), ...describe(claims) };
    },
    refused(error) {
      const { cause } = error as { cause?: unknown };
      // Thrown after the signature was found to be the provider's. An expired one is nothing special.
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

/** Short, because a refused token may hold anything. */
function describe(claims: JWTPayload): Omit<SeenToken, 'at' | 'keyId'> {
  const text = (value: unknown) =>
    cutText(typeof value === 'string' ? value : JSON.stringify(value ?? ''), 200);
  return {
    issuer: text(claims.iss),
    audience: text(claims.aud),
    scopes: text(claims['scp']).split(' '),
    policy: text(claims['tfp'] ?? claims['acr']),
    tellsSignIn: typeof claims['auth_time'] === 'number',
  };
}

/** Claims of the last accepted and the last rejected access token signed by the provider, for the provider check. Tokens are not stored. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { errors, type JWTPayload } from 'jose';
import { hourMs } from '../../platform/time-units.ts';

/** Period in which a rejected token is reported. */
const refusalReportedMs = hourMs;

export type RecentTokens = ReturnType<typeof createRecentTokens>;

export function createRecentTokens(now: () => number) {
  let accepted: { at: number; claims: JWTPayload } | null = null;
  let refused: { at: number; claims: JWTPayload; claim: string } | null = null;
  return {
    recordAccepted(claims: JWTPayload): void {
      accepted = { at: now(), claims };
    },

    /** `error` was thrown by the verification. */
    recordRefused(error: unknown): void {
      const { cause } = error as { cause?: unknown };
      // Thrown only after the signature was verified. Expired tokens are not recorded.
      if (cause instanceof errors.JWTClaimValidationFailed)
        refused = { at: now(), claims: cause.payload, claim: cause.claim };
    },

    accepted: () => accepted && describe(accepted),

    /**
     * Returns the provider's token that was rejected within the past hour because of `claim`. The outcome is only a warning if other
     * tokens are accepted: the token may have been for another application.
     */
    refusedBecauseOf(claim: 'aud' | 'iss') {
      if (refused?.claim !== claim || now() - refused.at > refusalReportedMs) return null;
      return { ...describe(refused), outcome: accepted ? ('warning' as const) : ('failed' as const) };
    },
  };
}

function describe({ at, claims }: { at: number; claims: JWTPayload }) {
  // A rejected token may contain anything.
  const text = (value: unknown) =>
    cutText(typeof value === 'string' ? value : JSON.stringify(value ?? ''), 200);
  return { time: new Date(at).toISOString(), issuer: text(claims.iss), audience: text(claims.aud) };
}

/** Step-up authentication: irreversible actions, and those that grant lasting access, require a recent sign-in. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteDefinition } from '@vestibule/contract/route';
import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import { fail } from '../errors/failure.ts';
import type { Caller } from './implement.ts';

/**
 * Throws if the session's last authentication is too old or unknown. Tokens have no session: each kind has separate
 * limits, and a B2C token is checked only if the call adds a sign-in method, which would outlive the token.
 */
export function requireRecentAuth(
  { session, provenAt }: Caller,
  now: number,
  { addsSignInMethod = false }: { addsSignInMethod?: boolean } = {},
): void {
  if (session === undefined) {
    if (!addsSignInMethod || provenAt === undefined) return;
    if (provenAt === null) throw fail(requestErrors.signInTimeUnknown);
  }
  if (typeof provenAt !== 'number' || provenAt + recentAuthMinutes * 60_000 <= now)
    throw fail(requestErrors.notFresh);
}

/** Returns whether a call with this body requires a recent sign-in. */
export function isRecentAuthRequired(
  { requiresRecentAuth = () => false }: RouteDefinition,
  body: unknown,
): boolean {
  return requiresRecentAuth === true || requiresRecentAuth(body as never);
}

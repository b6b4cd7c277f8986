/** A fresh sign-in: what gives lasting power, or cannot be undone, is only done a short while after somebody has signed in. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteDefinition } from '@vestibule/contract/route';
import { freshMinutes } from '@vestibule/contract/rules/limits';
import { fail } from '../errors/failure.ts';
import type { Caller } from './implement.ts';

/**
 * Refuses a caller by a session whose person proved too long ago who they are, or nobody knows when. Tokens have no session: each kind has
 * its own limits, and one of B2C's is only asked where it adds a way to sign in, which would outlast it.
 */
export function requireFresh(
  { session, provenAt }: Caller,
  now: number,
  { addsWay = false }: { addsWay?: boolean } = {},
): void {
  if (session === undefined) {
    if (!addsWay || provenAt === undefined) return;
    if (provenAt === null) throw fail(requestErrors.signInTimeUnknown);
  }
  if (typeof provenAt !== 'number' || provenAt + freshMinutes * 60_000 <= now)
    throw fail(requestErrors.notFresh);
}

/** Whether a call with this body needs one. */
export function isFreshNeeded({ fresh = () => false }: RouteDefinition, body: unknown): boolean {
  return fresh === true || fresh(body as never);
}

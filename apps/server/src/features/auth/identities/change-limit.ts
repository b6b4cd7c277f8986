/** How often somebody adds and renames what they sign in with: passkeys and accounts together, since each change is mailed to them. */
import { signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { Queryable, Timed } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';

/** Counts a change within its transaction: what is too much is taken back with all else. */
type CountWayChange = (transaction: Queryable, personId: string, refusal: ErrorDefinition) => Promise<void>;

export function createWayChanges(deps: Timed): CountWayChange {
  const changes = createRateLimit(deps, perHour('changed ways', signInMethodChangesPerHour));
  return async (transaction, personId, refusal) =>
    assertWithinRateLimit(await changes.take(personId, 1, transaction), refusal);
}

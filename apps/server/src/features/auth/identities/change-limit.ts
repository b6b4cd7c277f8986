/** Limit on added identities and on added and renamed passkeys of one person, since each change is mailed. */
import { signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { Queryable, DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';

/** Counts a change in the caller's transaction; throws `refusal` past the limit. */
type CountMethodChange = (
  transaction: Queryable,
  personId: string,
  refusal: ErrorDefinition,
) => Promise<void>;

export function createMethodChangeLimit(deps: DatabaseDeps): CountMethodChange {
  const changes = createRateLimit(deps, perHour('changed ways', signInMethodChangesPerHour));
  return async (transaction, personId, refusal) =>
    assertWithinRateLimit(await changes.take(personId, 1, transaction), refusal);
}

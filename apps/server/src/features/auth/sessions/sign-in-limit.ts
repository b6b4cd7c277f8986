/** Limits successful sign-ins per person. Failed ones do not count, so attackers cannot lock out others. */
import { signInsPerHour } from '@vestibule/contract/rules/limits';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { Queryable, DatabaseDeps } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';

export function createSignInLimit(deps: DatabaseDeps) {
  const limit = createRateLimit(deps, perHour('sign-ins of a person', signInsPerHour));
  const refuse = (seconds: number) => assertWithinRateLimit(seconds, signInProblems.tooOften);
  const take = createBatchLoader(
    (personIds: string[]) => limit.takeEach(personIds),
    1,
    (personId) => [personId],
  );
  return {
    async count(personId: string): Promise<void> {
      refuse(await take(personId));
    },
    /** Counts in the transaction of the sign-in, so that a rollback reverts it. */
    async countWithin(transaction: Queryable, personId: string): Promise<void> {
      refuse(await limit.take(personId, 1, transaction));
    },
    /** Throws if this process knows that the limit is reached. Neither reads the database nor counts. */
    refuseTooOften(personId: string): void {
      refuse(limit.cachedWaitSeconds(personId));
    },
  };
}

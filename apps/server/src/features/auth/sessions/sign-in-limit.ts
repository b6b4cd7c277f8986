/** How often one person signs in, by whichever way. Only for whom it is certain who they are: nobody keeps anybody else out. */
import { signInsPerHour } from '@vestibule/contract/rules/limits';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { Queryable, Timed } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';

export function createSignInLimit(deps: Timed) {
  const limit = createRateLimit(deps, perHour('sign-ins of a person', signInsPerHour));
  const refuse = (seconds: number) => assertWithinRateLimit(seconds, signInProblems.tooOften);
  // Who signs in at the same moment shares a statement.
  const take = createBatchLoader(
    (personIds: string[]) => limit.takeEach(personIds),
    1,
    (personId) => [personId],
  );
  return {
    async count(personId: string): Promise<void> {
      refuse(await take(personId));
    },
    /** The same together with what is written of the sign-in, which is taken back with it. */
    async countWithin(transaction: Queryable, personId: string): Promise<void> {
      refuse(await limit.take(personId, 1, transaction));
    },
    /** Refuses whoever has signed in too often, as far as this process knows: asks nobody, and counts nothing. */
    refuseTooOften(personId: string): void {
      refuse(limit.known(personId));
    },
  };
}

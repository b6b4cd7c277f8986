/** Limits of codes, which administrators can lift for a person. */
import { codesPerHour } from '@vestibule/contract/sign-in/codes';
import type { DatabaseDeps, Queryable } from '../../../platform/database/database.ts';
import { createRateLimit, perHour, type RateLimitOptions } from '../../../platform/database/rate-limit.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';

/**
 * Limit of wrong guesses per address, invitation or person. Nine guesses a day at a code of six digits succeed with a
 * probability below 1 in 100,000.
 */
export const guessedCodesLimit: RateLimitOptions = {
  name: 'guessed codes',
  maximum: 9,
  windowSeconds: 86_400,
  isNotCached: true,
};

export const requestedCodesLimit: RateLimitOptions = {
  ...perHour('codes of an address', codesPerHour.address),
  isNotCached: true,
};

type Person = { id: string; email: string };

export function createCodeLimits(deps: DatabaseDeps) {
  const guessed = createRateLimit(deps, guessedCodesLimit);
  const requested = createRateLimit(deps, requestedCodesLimit);
  const addressOf = ({ email }: Person) => canonicalEmail(email) ?? email;

  return {
    async areBlocked(person: Person): Promise<boolean> {
      const address = addressOf(person);
      const waits = await Promise.all([
        guessed.waitSeconds(address),
        guessed.waitSeconds(person.id),
        requested.waitSeconds(address),
      ]);
      return waits.some((seconds) => seconds > 0);
    },

    async lift(people: Person[], transaction: Queryable): Promise<void> {
      const addresses = people.map(addressOf);
      await guessed.reset([...addresses, ...people.map(({ id }) => id)], transaction);
      await requested.reset(addresses, transaction);
    },
  };
}

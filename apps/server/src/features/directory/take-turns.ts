import type { Database, Queryable } from '../../platform/database/database.ts';
import { alreadyThere } from './scim/scim-failure.ts';

const attempts = 3;

/** PostgreSQL's codes (appendix A of its manual). */
const deadlock = '40P01';
const uniqueViolation = '23505';

/**
 * A transaction of the directory. Whoever waits for each other in a circle with somebody who comes in or is removed at this
 * moment tries again; what is there already is told as SCIM does.
 */
export async function takeTurns<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await database.transaction(work);
    } catch (error) {
      const { code, constraint = '' } = error as { code?: string; constraint?: string };
      if (code === uniqueViolation && constraint.startsWith('directory_')) throw alreadyThere(constraint);
      if (code !== deadlock || attempt === attempts) throw error;
    }
}

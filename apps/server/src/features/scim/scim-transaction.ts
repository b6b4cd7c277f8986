import { retryOnDeadlock, type Database, type Queryable } from '../../platform/database/database.ts';
import { uniquenessFailure } from './protocol/scim-failure.ts';

/** PostgreSQL manual, appendix A. */
const uniqueViolation = '23505';

/** Reports violated unique indexes as SCIM errors. */
export async function runDirectoryTransaction<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  try {
    return await retryOnDeadlock(database, work);
  } catch (error) {
    const { code, constraint = '' } = error as { code?: string; constraint?: string };
    if (code === uniqueViolation && constraint.startsWith('directory_')) throw uniquenessFailure(constraint);
    throw error;
  }
}

/** Hourly and daily limits of file operations per person, to protect the activity log and the storage. */
import {
  attachmentErrors,
  filesPerDay,
  filesPerHour,
  uploadErrors,
} from '@vestibule/contract/attachments/errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';

/** Counts `files` (default 1) for the caller; throws with a retry time if the limit is reached. */
type CountFiles = (caller: Caller, files?: number) => Promise<void>;

export type FileLimits = {
  /** Started uploads, including empty and cancelled ones. */
  uploads: CountFiles;
  /** Renaming, sharing and deleting. Each person to share with counts as a file. */
  changes: CountFiles;
  links: CountFiles;
};

export function createFileLimits(deps: DatabaseDeps): FileLimits {
  function createCounter(name: keyof FileLimits, error: ErrorDefinition): CountFiles {
    const limits = [
      createRateLimit(deps, perHour(`attachment ${name}`, filesPerHour[name])),
      createRateLimit(deps, {
        name: `attachment ${name} of a day`,
        maximum: filesPerDay[name],
        windowSeconds: 24 * 3_600,
      }),
    ];
    return async (caller, files = 1) => {
      const retrySeconds = await Promise.all(limits.map((limit) => limit.take(caller.id, files)));
      assertWithinRateLimit(Math.max(...retrySeconds), error);
    };
  }
  return {
    uploads: createCounter('uploads', uploadErrors.tooOften),
    changes: createCounter('changes', attachmentErrors.tooOften),
    links: createCounter('links', attachmentErrors.tooOften),
  };
}

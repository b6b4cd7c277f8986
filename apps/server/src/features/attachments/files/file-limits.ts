/**
 * How many files somebody uploads, changes and gets in an hour and in a day: far more than anybody does by hand, and few enough
 * that nobody fills the activity log or the storage's directories. Each file counts, also in a list of them.
 */
import {
  attachmentErrors,
  filesPerDay,
  filesPerHour,
  uploadErrors,
} from '@vestibule/contract/attachments/errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { Timed } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';

/** Counts `files` (1) of the caller, or throws what says when they can go on. */
type CountFiles = (caller: Caller, files?: number) => Promise<void>;

export type FileLimits = {
  /** Uploads that begin, also of empty files and those that are cancelled. */
  uploads: CountFiles;
  /** Renamed, shared, deleted. To share with somebody by name counts as much as another file. */
  changes: CountFiles;
  /** Links, to one file or as a bundle. */
  links: CountFiles;
};

export function createFileLimits(deps: Timed): FileLimits {
  function counting(name: keyof FileLimits, refusal: ErrorDefinition): CountFiles {
    const limits = [
      createRateLimit(deps, perHour(`attachment ${name}`, filesPerHour[name])),
      createRateLimit(deps, {
        name: `attachment ${name} of a day`,
        maximum: filesPerDay[name],
        windowSeconds: 24 * 3_600,
      }),
    ];
    return async (caller, files = 1) => {
      const waits = await Promise.all(limits.map((limit) => limit.take(caller.id, files)));
      assertWithinRateLimit(Math.max(...waits), refusal);
    };
  }
  return {
    uploads: counting('uploads', uploadErrors.tooOften),
    changes: counting('changes', attachmentErrors.tooOften),
    links: counting('links', attachmentErrors.tooOften),
  };
}

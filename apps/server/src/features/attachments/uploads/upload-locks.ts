/**
 * Allows one writer per upload and process. A later request, such as after a lost connection, stops the earlier one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { fail } from '../../../platform/errors/failure.ts';

const lockTimeoutMs = 10_000;

/**
 * Runs `work` while no other work on the upload runs. A later call stops the running work through its `stop`, and
 * throws `upload.busy` if that work does not end in time.
 */
type WithUploadLock = <Result>(id: string, stop: () => void, work: () => Promise<Result>) => Promise<Result>;

export function createUploadLocks(): WithUploadLock {
  const holders = new Map<string, { stop: () => void; released: Promise<void> }>();

  return async (id, stop, work) => {
    const timeout = delay(lockTimeoutMs, 'timeout' as const, { ref: false });
    for (let holder = holders.get(id); holder; holder = holders.get(id)) {
      holder.stop();
      if ((await Promise.race([holder.released, timeout])) === 'timeout')
        throw fail(uploadErrors.busy, { retryAfterSeconds: 5 });
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    holders.set(id, { stop, released });
    try {
      return await work();
    } finally {
      holders.delete(id);
      release();
    }
  };
}

/**
 * One writer per upload within a process. A later request, usually of the same browser after a lost connection,
 * stops the earlier one and takes timeout.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { fail } from '../../../platform/errors/failure.ts';

const lockTimeoutMs = 10_000;

/**
 * Runs `work` exclusively. A later caller calls `stop` to end it. Throws `upload.busy` if the earlier one does not
 * end in time.
 */
type WithUploadLock = <Result>(id: string, stop: () => void, work: () => Promise<Result>) => Promise<Result>;

export function createUploadLocks(): WithUploadLock {
  const held = new Map<string, { stop: () => void; released: Promise<void> }>();

  return async (id, stop, work) => {
    const timeout = delay(lockTimeoutMs, 'timeout' as const, { ref: false });
    for (let holder = held.get(id); holder; holder = held.get(id)) {
      holder.stop();
      if ((await Promise.race([holder.released, timeout])) === 'timeout')
        throw fail(uploadErrors.busy, { retryAfterSeconds: 5 });
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    held.set(id, { stop, released });
    try {
      return await work();
    } finally {
      held.delete(id);
      release();
    }
  };
}

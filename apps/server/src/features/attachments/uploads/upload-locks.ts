/**
 * One writer per upload: whoever comes later, mostly the same browser after its connection was lost, asks the earlier one
 * to stop and takes over once it has.
 */
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import type { Locker } from '@tus/server';
import { fail } from '../../../platform/errors/failure.ts';

type Held = { askToStop: () => unknown; released: Promise<void>; release: () => void };

const waitMs = 10_000;

export function createUploadLocks(): Locker {
  const held = new Map<string, Held>();

  async function take(id: string, signal: AbortSignal, askToStop: () => unknown): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    for (;;) {
      const holder = held.get(id);
      if (!holder) break;
      await holder.askToStop();
      await Promise.race([holder.released, aborted(until)]);
      if (until.aborted) throw fail(uploadErrors.busy, { retryAfterSeconds: 5 });
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    held.set(id, { askToStop, released, release });
  }

  return {
    newLock: (id) => ({
      lock: (signal, askToStop) => take(id, signal, askToStop),
      unlock() {
        held.get(id)?.release();
        held.delete(id);
        return Promise.resolve();
      },
    }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * One writer per upload: whoever comes later, mostly the same browser after its connection was lost, asks the earlier one
 * to stop and takes over once it has.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { uploadErrors } from '@vestibule/contract/attachments/errors';
import { fail } from '../../../platform/errors/failure.ts';

const waitMs = 10_000;

/** Does `work` alone. `stop` asks it to end soon. Throws `upload.busy` when another one does not end in time. */
type OneAtATime = <Result>(id: string, stop: () => void, work: () => Promise<Result>) => Promise<Result>;

export function createUploadLocks(): OneAtATime {
  const held = new Map<string, { stop: () => void; released: Promise<void> }>();

  return async (id, stop, work) => {
    const over = delay(waitMs, 'over' as const, { ref: false });
    for (let holder = held.get(id); holder; holder = held.get(id)) {
      holder.stop();
      if ((await Promise.race([holder.released, over])) === 'over')
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

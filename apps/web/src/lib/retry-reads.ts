/** Repeats calls that only read while the server is unavailable. A change is not repeated, because its result is unknown. */
import { CallFailure } from '../language/call-failure.ts';
import { setRetryReads } from './call.ts';

/** With the usual Retry-After of 5 s, a minute: longer than a failover of the database. */
const maximumRetries = 12;

/** `onWait` is called with true when the first call waits, and with false when no call waits any longer. */
export function retryReads(onWait: (isWaiting: boolean) => void): () => void {
  let waiting = 0;
  setRetryReads(async (error, repeat, signal) => {
    if (!isUnavailable(error)) throw error;
    let failure: unknown = error;
    if ((waiting += 1) === 1) onWait(true);
    try {
      for (let retries = 0; isUnavailable(failure) && retries < maximumRetries; retries += 1) {
        await waitUntil(failure.retryAt);
        signal?.throwIfAborted();
        try {
          return await repeat();
        } catch (next) {
          failure = next;
        }
      }
      throw failure;
    } finally {
      if ((waiting -= 1) === 0) onWait(false);
    }
  });
  return () => setRetryReads(null);
}

const isUnavailable = (error: unknown): error is CallFailure & { retryAt: Date } =>
  error instanceof CallFailure && error.status === 503 && error.retryAt !== undefined;

const waitUntil = (time: Date) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, time.getTime() - Date.now());
  });

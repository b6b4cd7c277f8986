/** Repeats a call that only reads until the server is available. Loaded when a call has failed. */
import { CallFailure } from '../language/call-failure.ts';

/** With the usual Retry-After of 5 s, a minute: longer than a failover of the database. */
const maximumRetries = 12;

let waiting = 0;

/** `onWait` is called with true when the first call waits, and with false when no call waits any longer. */
export async function repeatRead(
  error: unknown,
  repeat: () => Promise<Response>,
  onWait: (isWaiting: boolean) => void,
  signal?: AbortSignal,
): Promise<Response> {
  let failure = error;
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
}

const isUnavailable = (error: unknown): error is CallFailure & { retryAt: Date } =>
  error instanceof CallFailure && error.status === 503 && error.retryAt !== undefined;

const waitUntil = (time: Date) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, time.getTime() - Date.now());
  });

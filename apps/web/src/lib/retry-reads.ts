/** Repeats calls that only read while the server is unavailable. A change is not repeated, because its result is unknown. */
import { CallFailure } from '../language/call-failure.ts';
import { setRetryReads } from './call.ts';

/** `onWait` is called with true when the first call waits, and with false when no call waits any longer. */
export function retryReads(onWait: (isWaiting: boolean) => void): () => void {
  setRetryReads(async (error, repeat, signal) => {
    if (!(error instanceof CallFailure) || error.status !== 503) throw error;
    const { repeatRead } = await import('./repeat-read.ts');
    return repeatRead(error, repeat, onWait, signal);
  });
  return () => setRetryReads(null);
}

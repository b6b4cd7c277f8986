/** Time limits of storage calls: a storage that does not respond must not hold requests, connections and upload locks. */
import { Readable } from 'node:stream';
import { StorageError } from './storage.ts';

export type StorageTimeLimits = {
  /** Connecting, in milliseconds. Only for storages that are reached through the network. */
  connectMs: number;
  /**
   * One call; for S3 one of two attempts. A failed append is followed by a second call, and both must fail within the 60
   * seconds after which the server closes an idle upload, so that the browser gets a response.
   */
  callMs: number;
  /** Calls whose duration depends on the size of the file: flushing and copying it. */
  sealMs: number;
  /** Time without data while the reader waits. */
  idleMs: number;
};

export const storageTimeLimits: StorageTimeLimits = {
  connectMs: 5_000,
  callMs: 12_000,
  sealMs: 300_000,
  idleMs: 30_000,
};

/** Ends a stream with a StorageError if its source sends nothing for `limitMs` while the reader waits. A slow reader is not limited. */
export function limitIdleTime(source: Readable, limitMs: number): Readable {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limited.destroy(timeoutError(limitMs)), limitMs);
  };
  const limited = new Readable({
    read() {
      wait();
      source.resume();
    },
    destroy(error, done) {
      clearTimeout(timer);
      source.destroy();
      done(error);
    },
  });
  source.pause();
  source.on('data', (chunk: Uint8Array) => {
    clearTimeout(timer);
    if (limited.push(chunk)) wait();
    else source.pause();
  });
  source.once('end', () => {
    clearTimeout(timer);
    limited.push(null);
  });
  source.on('error', (error) => limited.destroy(new StorageError('unavailable', error)));
  return limited;
}

/** Calls of a hanging disk that may block threads of Node.js (4 by default) before further calls are refused. */
const maxBlockedCalls = 2;

type WithinTimeLimit = <Result>(
  limitMs: number,
  work: () => Promise<Result>,
  discardLate?: (result: Result) => unknown,
) => Promise<Result>;

/**
 * Limits calls that cannot be canceled, as those to a network file system. A call that exceeds its limit fails, and
 * `discardLate` receives its late result. While several such calls have not returned, further calls fail at once: each
 * blocks a thread that the whole process needs.
 */
export function createTimeLimit(): WithinTimeLimit {
  let blocked = 0;
  return async (limitMs, work, discardLate) => {
    if (blocked >= maxBlockedCalls)
      throw new StorageError('unavailable', new Error('earlier calls have not returned'));
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const running = work();
    const timer = setTimeout(() => {
      blocked += 1;
      const returned = () => void (blocked -= 1);
      running.then((result) => discardLate?.(result)).then(returned, returned);
      reject(timeoutError(limitMs));
    }, limitMs);
    return Promise.race([running, expired]).finally(() => clearTimeout(timer));
  };
}

const timeoutError = (limitMs: number): StorageError =>
  new StorageError('unavailable', new Error(`the storage did not respond within ${limitMs} ms`));

/**
 * Batches concurrent lookups into one statement: fifty keys cost the database little more than one. Results are not
 * cached, so a result is never older than its call.
 */
import { currentSpan, type Span } from '../telemetry/current-span.ts';
import { runAsWorkKind } from './connection-share.ts';
import { requireNoTransaction } from './held-connection.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

type PendingCall<Key, Result> = {
  key: Key;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** Span of the calling request. */
  span: Span | undefined;
};

/**
 * Returns a function that looks up one key. `loadAll` returns one result per key, in order. Calls of one event-loop turn
 * share a batch, as do calls that arrive while `maxConcurrent` batches are running. Keys that share a conflict key run in separate
 * batches, in order. `loadAll` must be atomic: if it fails, each key is retried alone, so that one key's error does not
 * affect others; a lost connection rejects all.
 */
export function createBatchLoader<Key, Result>(
  loadAll: (keys: Key[]) => Promise<Result[]>,
  maxConcurrent = Number.POSITIVE_INFINITY,
  conflictKeysOf: (key: Key) => string[] = () => [],
): (key: Key) => Promise<Result> {
  let pending: PendingCall<Key, Result>[] = [];
  let running = 0;

  async function runBatch(): Promise<void> {
    if (pending.length === 0 || running >= maxConcurrent) return;
    const calls = takeBatch();
    running += 1;
    await resolveCalls(calls);
    running -= 1;
    void runBatch();
  }

  /** Removes and returns the first calls whose keys share no conflict key. */
  function takeBatch(): PendingCall<Key, Result>[] {
    const batch: PendingCall<Key, Result>[] = [];
    const rest: PendingCall<Key, Result>[] = [];
    const seen = new Set<string>();
    for (const one of pending) {
      const parts = conflictKeysOf(one.key);
      (parts.some((part) => seen.has(part)) ? rest : batch).push(one);
      for (const part of parts) seen.add(part);
    }
    pending = rest;
    return batch;
  }

  async function resolveCalls(calls: PendingCall<Key, Result>[]): Promise<void> {
    try {
      // The batch belongs to no kind of work, since callers of several kinds share it.
      const results = await currentSpan.run(joinSpans(calls), () =>
        runAsWorkKind(undefined, () => loadAll(calls.map(({ key }) => key))),
      );
      calls.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (calls.length === 1 || isDatabaseUnavailable(error)) calls.forEach(({ reject }) => reject(error));
      else for (const one of calls) await resolveCalls([one]);
    }
  }

  return (key) => {
    // The statement may run in the context of another caller, where the pool cannot see that this caller holds a connection.
    requireNoTransaction();
    return new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(() => void runBatch());
      pending.push({ key, resolve, reject, span: currentSpan.getStore() });
    });
  };
}

/** Returns a span linked to all callers, rather than that of the request that started the batch. */
function joinSpans(calls: { span: Span | undefined }[]): Span | undefined {
  const [first, ...others] = calls.map(({ span }) => span).filter((span) => span !== undefined);
  return first?.joinWith(others);
}

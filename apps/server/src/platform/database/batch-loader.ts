/**
 * Batches concurrent lookups into one statement: fifty keys cost the database little more than one. Results are not
 * cached, so an answer is never older than its call.
 */
import { spanAtWork, type Span } from '../telemetry/current-span.ts';
import { asKindOfWork } from './connection-share.ts';
import { requireNoTransaction } from './database.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

type Waiting<Key, Answer> = {
  key: Key;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** Span of the calling request. */
  span: Span | undefined;
};

/**
 * Returns a function that looks up one key. `askAll` returns one answer per key, in order. Calls of one event-loop turn
 * share a batch, as do calls that arrive while `atOnce` batches are running. Keys with a common part run in separate
 * batches, in order. `askAll` must be atomic: if it fails, each key is retried alone, so that one key's error does not
 * affect others; a lost connection rejects all.
 */
export function createBatchLoader<Key, Answer>(
  askAll: (keys: Key[]) => Promise<Answer[]>,
  atOnce = Number.POSITIVE_INFINITY,
  partsOf: (key: Key) => string[] = () => [],
): (key: Key) => Promise<Answer> {
  let waiting: Waiting<Key, Answer>[] = [];
  let underWay = 0;

  async function askNow(): Promise<void> {
    if (waiting.length === 0 || underWay >= atOnce) return;
    const asked = takeApart();
    underWay += 1;
    await answer(asked);
    underWay -= 1;
    void askNow();
  }

  /** Removes and returns the first calls whose keys have no part in common. */
  function takeApart(): Waiting<Key, Answer>[] {
    const taken: Waiting<Key, Answer>[] = [];
    const left: Waiting<Key, Answer>[] = [];
    const seen = new Set<string>();
    for (const one of waiting) {
      const parts = partsOf(one.key);
      (parts.some((part) => seen.has(part)) ? left : taken).push(one);
      for (const part of parts) seen.add(part);
    }
    waiting = left;
    return taken;
  }

  async function answer(asked: Waiting<Key, Answer>[]): Promise<void> {
    try {
      // The batch belongs to no kind of work, since callers of several kinds share it.
      const answers = await spanAtWork.run(spanOf(asked), () =>
        asKindOfWork(undefined, () => askAll(asked.map(({ key }) => key))),
      );
      asked.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      if (asked.length === 1 || isDatabaseUnavailable(error)) asked.forEach(({ reject }) => reject(error));
      else for (const one of asked) await answer([one]);
    }
  }

  return (key) => {
    // The statement may run in the context of another caller, where the pool cannot see what this one holds.
    requireNoTransaction();
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void askNow());
      waiting.push({ key, resolve, reject, span: spanAtWork.getStore() });
    });
  };
}

/** Returns a span linked to all callers, rather than that of the request that started the batch. */
function spanOf(asked: { span: Span | undefined }[]): Span | undefined {
  const [first, ...others] = asked.map(({ span }) => span).filter((span) => span !== undefined);
  return first?.together(others);
}

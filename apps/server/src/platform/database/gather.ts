/**
 * Joins questions that arrive together into one, since a statement for fifty keys costs the database little more than
 * one for one key. An answer is never older than the question it belongs to: nothing is kept.
 */
import { spanAtWork, type Span } from '../telemetry/span-at-work.ts';
import { asKindOfWork } from './connection-share.ts';
import { requireNoTransaction } from './database.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

type Waiting<Key, Answer> = {
  key: Key;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** Of the request that it is asked for. */
  span: Span | undefined;
};

/**
 * `askAll` gives one answer per key, in the keys' order. Those of one turn of the event loop go together, and those that arrive
 * while `atOnce` of them are under way. Keys that have a part in common go one after the other. `askAll` does all or nothing: when
 * it fails, each is asked by itself, so that nobody hears of another's trouble; of a lost connection all are told.
 */
export function gather<Key, Answer>(
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

  /** The first ones that have nothing in common; the others wait on. */
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
      // Callers of several kinds share the statement, which belongs to none of them.
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

/** The question belongs to all who ask it, and not to whichever request's turn set it off. */
function spanOf(asked: { span: Span | undefined }[]): Span | undefined {
  const [first, ...others] = asked.map(({ span }) => span).filter((span) => span !== undefined);
  return first?.together(others);
}

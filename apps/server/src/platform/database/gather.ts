/**
 * Joins questions that arrive together into one, since a statement for fifty keys costs the database little more than
 * one for one key. An answer is never older than the question it belongs to: nothing is kept.
 */

/**
 * `askAll` gives one answer per key, in the keys' order; when it fails, all who asked together are told. Those of one
 * turn of the event loop go together, and those that arrive while `atOnce` of them are under way.
 */
export function gather<Key, Answer>(
  askAll: (keys: Key[]) => Promise<Answer[]>,
  atOnce = Number.POSITIVE_INFINITY,
): (key: Key) => Promise<Answer> {
  let waiting: { key: Key; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  let underWay = 0;

  async function askNow(): Promise<void> {
    if (waiting.length === 0 || underWay >= atOnce) return;
    const asked = waiting;
    waiting = [];
    underWay += 1;
    try {
      const answers = await askAll(asked.map(({ key }) => key));
      asked.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      asked.forEach(({ reject }) => reject(error));
    }
    underWay -= 1;
    void askNow();
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void askNow());
      waiting.push({ key, resolve, reject });
    });
}

/** Does something to a selection of any size: call after call, until the server says that nothing is left. */

import type { Told } from '../../language/tell.ts';

/** Who was left out, or for whom it is. */
type Whom = { id: string; name: string; email: string } | null;

/** What a call answers, as the contract's `selectionAnswer`. */
type Answer<Selection> = {
  done: number;
  skipped: readonly { id: string; label: string; person: Whom; reasonText: Told }[];
  skippedCount: number;
  rest: Selection | null;
};

/** The most of those left out that are named. */
const namedMaximum = 100;

/**
 * Begins no other call once `signal` is aborted. `tell` hears after each call how many were reached. A call that fails
 * ends it: `failure` is what it threw, and the rest of the answer what was done before.
 */
export async function actOnAll<Selection>(
  act: (selection: Selection) => Promise<Answer<Selection>>,
  selection: Selection,
  { signal, tell }: { signal: AbortSignal; tell: (reached: number) => void },
): Promise<Omit<Answer<Selection>, 'rest'> & { failure?: unknown }> {
  const sum = { done: 0, skipped: [] as Answer<Selection>['skipped'], skippedCount: 0 };
  for (let left: Selection | null = selection; left !== null && !signal.aborted;) {
    try {
      const { done, skipped, skippedCount, rest }: Answer<Selection> = await act(left);
      sum.done += done;
      sum.skipped = [...sum.skipped, ...skipped].slice(0, namedMaximum);
      sum.skippedCount += skippedCount;
      left = rest;
    } catch (failure) {
      return { ...sum, failure };
    }
    tell(sum.done + sum.skippedCount);
  }
  return sum;
}

/** Does something to a selection of any size: call after call, until the server says that nothing is left. */
import { describeFailure } from '../../language/call-failure.ts';
import type { GridSelection } from '../grid/selection/grid-selection.ts';
import { toast } from '../toast/toast.tsx';
import type { BulkProgress } from './bulk-action-dialog.tsx';
import type { SkippedRows } from './skipped-rows.ts';

/** What a call answers, as the contract's `selectionResult`. */
type Answer<Selection> = SkippedRows & { done: number; rest: Selection | null };

/** The most of those left out that are named. */
const namedMaximum = 100;

/**
 * Begins no other call once `signal` is aborted. `tell` hears after each call how many were reached. A call that fails
 * ends it: `failure` is what it threw, and the rest of the answer what was done before.
 */
export async function callUntilDone<Selection>(
  act: (selection: Selection) => Promise<Answer<Selection>>,
  selection: Selection,
  { signal, onProgress }: BulkProgress,
): Promise<Omit<Answer<Selection>, 'rest'> & { failure?: unknown }> {
  const sum = { done: 0, skipped: [] as SkippedRows['skipped'], skippedCount: 0 };
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
    onProgress(sum.done + sum.skippedCount);
  }
  return sum;
}

/** The same; `tellDone` says to how many it was done, if to any. Those that it was not done to; null after a failure, which a message tells. */
export async function changeAllRows<Selection>(
  act: (selection: Selection) => Promise<Answer<Selection>>,
  selection: GridSelection,
  progress: BulkProgress,
  tellDone: (done: number, left: SkippedRows) => void,
): Promise<SkippedRows | null> {
  // The grid's columns carry the names that the route filters by.
  const { done, failure, ...left } = await callUntilDone(act, selection as Selection, progress);
  if (done > 0) tellDone(done, left);
  if (failure === undefined) return left;
  toast.failure(describeFailure(failure));
  return null;
}

/** Bulk requests for selections of any size. The client repeats a request for the remaining rows until none remain. */
import { describeFailure } from '../../language/call-failure.ts';
import type { GridSelection } from '../grid/grid-selection.ts';
import { toast } from '../toast/toast.tsx';
import type { BulkProgress } from './bulk-action-dialog.tsx';
import type { SkippedRows } from './skipped-rows.ts';

/** Corresponds to `selectionResult` of the contract. */
type BulkResult<Selection> = SkippedRows & { done: number; rest: Selection | null };

/** Maximum number of skipped rows that are listed. */
const namedMaximum = 100;

/**
 * Calls `act` until no rows are left, `signal` is aborted or `act` throws. Returns the sum of the results, with the error of `act` as
 * `failure`.
 */
export async function callUntilDone<Selection>(
  act: (selection: Selection) => Promise<BulkResult<Selection>>,
  selection: Selection,
  { signal, onProgress }: BulkProgress,
): Promise<Omit<BulkResult<Selection>, 'rest'> & { failure?: unknown }> {
  const sum = { done: 0, skipped: [] as SkippedRows['skipped'], skippedCount: 0 };
  for (let remaining: Selection | null = selection; remaining !== null && !signal.aborted;) {
    try {
      const { done, skipped, skippedCount, rest }: BulkResult<Selection> = await act(remaining);
      sum.done += done;
      sum.skipped = [...sum.skipped, ...skipped].slice(0, namedMaximum);
      sum.skippedCount += skippedCount;
      remaining = rest;
    } catch (failure) {
      return { ...sum, failure };
    }
    onProgress(sum.done + sum.skippedCount);
  }
  return sum;
}

/** Like `callUntilDone`, but shows a failure as a toast and returns null. Calls `onDone` if any rows were changed. */
export async function changeAllRows<Selection>(
  act: (selection: Selection) => Promise<BulkResult<Selection>>,
  selection: GridSelection,
  progress: BulkProgress,
  onDone: (done: number, skippedRows: SkippedRows) => void,
): Promise<SkippedRows | null> {
  // The grid's column ids are the column names of the route.
  const { done, failure, ...skippedRows } = await callUntilDone(act, selection as Selection, progress);
  if (done > 0) onDone(done, skippedRows);
  if (failure === undefined) return skippedRows;
  toast.failure(describeFailure(failure));
  return null;
}

import { t } from '@lingui/core/macro';
import type { GridRow } from '../grid/rows/grid-pages.ts';
import type { SelectedRows } from '../grid/selection/grid-selection.ts';
import { toast } from '../toast/toast.tsx';
import type { BulkProgress } from './bulk-action-dialog.tsx';
import { nameSkipped, skippedText, type SkippedRows } from './skipped-rows.ts';

/**
 * Does something to the selected rows without asking, as what can be undone. Those that are left as they are, as another
 * was quicker, are told by a message. Not for "all that match", whose rows nobody has seen (bulk-action-dialog.tsx).
 */
export async function runBulkAction<Row extends GridRow>(
  { rows, clear }: SelectedRows<Row>,
  {
    act,
    nameOf,
    countOf,
    onDone,
  }: {
    act: (progress: BulkProgress) => Promise<SkippedRows | null>;
    nameOf: (row: Row) => string;
    /** "3 people". */
    countOf: (count: number) => string;
    onDone: () => void;
  },
): Promise<void> {
  const left = await act({ onProgress() {}, signal: new AbortController().signal });
  if (left) clear();
  onDone();
  if (!left || left.skippedCount === 0) return;
  const whom = skippedText(nameSkipped(left, rows, { nameOf }));
  toast.failure(t`${countOf(left.skippedCount)} skipped: ${whom}`);
}

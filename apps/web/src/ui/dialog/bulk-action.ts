import { t } from '@lingui/core/macro';
import type { GridRow } from '../grid/grid-pages.ts';
import type { SelectedRows } from '../grid/grid-selection.ts';
import { toast } from '../toast/toast.tsx';
import type { BulkProgress } from './bulk-action-dialog.tsx';
import { nameSkipped, skippedText, type SkippedRows } from './skipped-rows.ts';

/** Performs a bulk action that can be undone, without confirmation. Shows skipped rows in a toast. Not for "all matching": see BulkActionDialog. */
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
    /** Returns a count in words: "3 people". */
    countOf: (count: number) => string;
    onDone: () => void;
  },
): Promise<void> {
  const skippedRows = await act({ onProgress() {}, signal: new AbortController().signal });
  if (skippedRows) clear();
  onDone();
  if (!skippedRows || skippedRows.skippedCount === 0) return;
  const names = skippedText(nameSkipped(skippedRows, rows, { nameOf }));
  toast.failure(t`${countOf(skippedRows.skippedCount)} skipped: ${names}`);
}

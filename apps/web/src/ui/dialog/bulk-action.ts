import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { GridRow } from '../grid/grid-pages.ts';
import type { SelectedRows, GridSelection } from '../grid/grid-selection.ts';
import type { CountText } from '../grid/skipped.ts';
import { toast } from '../toast/toast.tsx';
import { describeFailure } from '../../language/call-failure.ts';
import { formatMessage, type FormattedMessage } from '../../language/format-message.ts';
import type { ShownPerson } from '../person/shown-person.ts';

/** A change of the selected rows, with its texts. */
export type BulkChange<Row, Selection> = {
  /** Verb: "Revoke". */
  label: string;
  danger: boolean;
  consequence: ReactNode;
  /** Shown in the confirmation dialog if all matching rows are selected. */
  allNote?: string;
  /** Returns why the change does not apply to a row, or null if it does. Must match the server's rule. */
  skipReason?: (row: Row) => CountText | null;
  /** Changes the next rows of the selection. */
  act: (selection: Selection) => Promise<BulkResult<Selection>>;
  /** Shows that `count` rows were changed. */
  onChanged: (count: number, skippedRows: SkippedRows, selection: GridSelection) => void;
  /** If true, individually selected rows are changed without confirmation. `onChanged` offers undo. */
  canUndo?: boolean;
};

/** Names of rows and of their number. */
export type RowNames<Row> = {
  nameOf?: (row: Row) => string;
  /** Used instead of `nameOf` if the rows are people. */
  personOf?: (row: Row) => ShownPerson;
  /** Returns a count in words: "3 people". */
  countOf: (count: number) => string;
};

/** Progress callback and abort signal of a bulk action. After an abort, the action sends no further request. */
type BulkProgress = { onProgress: (reached: number) => void; signal: AbortSignal };

/** Changes rows without confirmation. Shows skipped rows in a toast. Not for "all matching": see BulkActionDialog. */
export async function changeAtOnce<Row extends GridRow, Selection>(
  change: BulkChange<Row, Selection>,
  { selection, rows, clear }: Pick<SelectedRows<Row>, 'selection' | 'rows' | 'clear'>,
  { countOf, ...rowNames }: RowNames<Row>,
): Promise<boolean> {
  const progress = { onProgress() {}, signal: new AbortController().signal };
  const skippedRows = await changeAllRows(change, selection, progress);
  if (!skippedRows) return false;
  clear();
  if (skippedRows.skippedCount > 0) {
    const names = skippedText(nameSkipped(skippedRows, rows, rowNames));
    toast.failure(t`${countOf(skippedRows.skippedCount)} skipped: ${names}`);
  }
  return true;
}

/** Corresponds to `selectionResult` of the contract. */
type BulkResult<Selection> = SkippedRows & { done: number; rest: Selection | null };

/** Maximum number of skipped rows that are listed. */
const namedMaximum = 100;

/**
 * Changes all rows of the selection, in several requests, until the signal is aborted. Returns the skipped rows, or shows a failure as a
 * toast and returns null.
 */
export async function changeAllRows<Row, Selection>(
  { act, onChanged }: Pick<BulkChange<Row, Selection>, 'act' | 'onChanged'>,
  selection: GridSelection,
  { signal, onProgress }: BulkProgress,
): Promise<SkippedRows | null> {
  let changed = 0;
  let skippedRows: SkippedRows = { skipped: [], skippedCount: 0 };
  let failure: unknown;
  // The grid's column ids are the column names of the route.
  for (let remaining = selection as Selection | null; remaining !== null && !signal.aborted;) {
    try {
      const { done, skipped, skippedCount, rest }: BulkResult<Selection> = await act(remaining);
      changed += done;
      skippedRows = {
        skipped: [...skippedRows.skipped, ...skipped].slice(0, namedMaximum),
        skippedCount: skippedRows.skippedCount + skippedCount,
      };
      remaining = rest;
      onProgress(changed + skippedRows.skippedCount);
    } catch (error) {
      failure = error;
      break;
    }
  }
  if (changed > 0) onChanged(changed, skippedRows, selection);
  if (failure === undefined) return skippedRows;
  toast.failure(describeFailure(failure));
  return null;
}

/** Rows that an action skipped, with reasons. `skippedCount` may exceed the number of rows in `skipped`. */
export type SkippedRows = {
  skipped: readonly { id: string; label: string; person: ShownPerson | null; reasonText: FormattedMessage }[];
  skippedCount: number;
};

/** Adds names from the rows of the grid, because the server has no names for rows that no longer exist. */
export function nameSkipped<Row extends GridRow>(
  { skipped, skippedCount }: SkippedRows,
  rows: readonly Row[],
  { nameOf, personOf }: Omit<RowNames<Row>, 'countOf'>,
): SkippedRows {
  const rowsById = new Map(rows.map((row) => [String(row.id), row]));
  return {
    skippedCount,
    skipped: skipped.map((skippedRow) => {
      const row = rowsById.get(skippedRow.id);
      return {
        ...skippedRow,
        label: skippedRow.label || (row && nameOf?.(row)) || t`Name unknown`,
        person: skippedRow.person ?? (row && personOf?.(row)) ?? null,
      };
    }),
  };
}

/** Maximum number of names in a toast. */
const toastMaximum = 3;

/** Returns text such as “plan.txt (No longer exists.), map.txt (Belongs to someone else.)”. */
export function skippedText({ skipped, skippedCount }: SkippedRows): string {
  const named = skipped
    .slice(0, toastMaximum)
    .map(({ label, person, reasonText }) => `${person?.name || label} (${formatMessage(reasonText)})`);
  return `${named.join(', ')}${skippedCount > named.length ? ' …' : ''}`;
}

/** Copying from a grid as tab-separated text for spreadsheets. */
import { t } from '@lingui/core/macro';
import { formatTabSeparated, escapeFormulas } from '@vestibule/contract/rules/spreadsheet-text';
import type { ClipboardEvent } from 'react';
import { cellText, type GridColumn } from '../columns/grid-column.ts';
import type { RunningGrid } from '../editions/grid-edition.ts';
import { exportColumns } from '../columns/grid-layout.ts';
import type { GridColumns } from '../columns/use-grid-columns.ts';
import type { GridRow } from '../rows/grid-pages.ts';
import type { RowSelection } from './grid-selection.ts';
import { toast } from '../../toast/toast.tsx';

type CopySource<Row extends GridRow> = {
  selection: RowSelection<Row>;
  grid: RunningGrid<Row> | null;
  columns: GridColumns<Row>;
  /** Returns a count in words: "3 people". */
  countOf: (count: number) => string;
};

/** Copies the selected rows, or the focused cell, unless the browser or AG Grid copies something itself. */
export function copyRows<Row extends GridRow>(
  event: ClipboardEvent,
  { selection, grid, columns, countOf }: CopySource<Row>,
): void {
  if (!(event.target instanceof Element) || !event.target.closest('.grid-body')) return;
  if (window.getSelection()?.type === 'Range') return;
  const { count, all } = selection.summary();
  if (all) {
    toast.failure(t`That is too many rows to copy. Export them, or select fewer.`);
    return;
  }
  const seen = exportColumns(columns.placed);
  const text = count > 0 ? rowsAsText(seen, selection.selected().rows) : focusedText(grid, columns);
  if (text === null) return;
  if (count > 0) toast.success(t`Copied ${countOf(count)}.`);
  event.preventDefault();
  event.clipboardData.setData('text/plain', text);
}

function focusedText<Row>(grid: RunningGrid<Row> | null, { defined }: GridColumns<Row>): string | null {
  const focused = grid?.api.getFocusedCell();
  if (!focused || grid?.edition.name === 'enterprise') return null;
  const row = grid?.api.getDisplayedRowAtIndex(focused.rowIndex)?.data;
  if (row === undefined) return null;
  const column = defined.find(({ id }) => id === focused.column.getColId()) ?? defined[0];
  return column ? escapeFormulas(cellText(column, row)) : null;
}

export function rowsAsText<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  return formatTabSeparated(rows.map((row) => columns.map((column) => cellText(column, row))));
}

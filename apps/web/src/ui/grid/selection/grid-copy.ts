// Copying out of a grid, as text that spreadsheets take: tabs between cells, line breaks between rows.
import { t } from '@lingui/core/macro';
import { tabSeparated, withoutFormulas } from '@vestibule/contract/spreadsheet-text';
import { cellText, type GridColumn } from '../columns/grid-column.ts';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { PlacedColumn } from '../columns/grid-layout.ts';
import type { RowSelection } from './grid-selection.ts';
import { toast } from '../../toast/toast.tsx';

/** The selected rows, or else the cell that has the focus; null where copying is refused or not ours. Says what it did. */
export function textToCopy<Row>({
  selection,
  grid,
  columns,
  placed,
  countText,
}: {
  selection: RowSelection<Row>;
  grid: RunningGrid<Row> | null;
  /** As the screen defines them: the first one names a row. */
  columns: readonly GridColumn<Row>[];
  placed: readonly PlacedColumn<Row>[];
  /** "3 people". */
  countText: (count: number) => string;
}): string | null {
  const { count, all } = selection.summary();
  if (all) {
    toast.failure(t`All that match are too many to copy. Export them, or select single rows.`);
    return null;
  }
  if (count > 0) {
    toast.success(t`Copied ${countText(count)}.`);
    const shown = placed.filter(({ hidden }) => !hidden).map(({ column }) => column);
    return rowsAsText(shown, selection.selected().rows);
  }
  const focused = grid?.api.getFocusedCell();
  if (!focused || grid?.edition.name === 'enterprise') return null;
  const row = grid?.api.getDisplayedRowAtIndex(focused.rowIndex)?.data;
  if (row === undefined) return null;
  const column = columns.find(({ id }) => id === focused.column.getColId()) ?? columns[0];
  return column ? withoutFormulas(cellText(column, row)) : null;
}

/** Rows as tab-separated text. */
export function rowsAsText<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  return tabSeparated(rows.map((row) => columns.map((column) => cellText(column, row))));
}

import type { GridApi } from 'ag-grid-community';
import type { GridRow } from '../rows/grid-pages.ts';
import type { RowSelection } from './grid-selection.ts';

/** Returns whether all rows of the list are selected. Individually selected rows may not match the current search, so each row is compared. */
export function isEverySelected<Row extends GridRow>(
  selection: RowSelection<Row>,
  api: GridApi<Row>,
  total: number | undefined,
): boolean {
  const { count, all, except } = selection.summary();
  if (all) return except === 0;
  if (!total || count < total) return false;
  for (let index = 0; index < total; index += 1) {
    const row = api.getDisplayedRowAtIndex(index)?.data;
    if (row === undefined || !selection.has(row)) return false;
  }
  return true;
}

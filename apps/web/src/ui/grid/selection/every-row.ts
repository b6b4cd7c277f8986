import type { GridApi } from 'ag-grid-community';
import type { GridRow } from '../rows/grid-pages.ts';
import type { RowSelection } from './grid-selection.ts';

/**
 * Whether every row of the list is selected: all that match, or each of them by itself, `total` of them. Those selected before a
 * search are not among its rows.
 */
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

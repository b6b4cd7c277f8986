import type { GridApi } from 'ag-grid-community';

/**
 * Home and End: first and last cell of the row; with Ctrl (or Cmd): of the grid. AG Grid's own handling leaves a row
 * that is not loaded yet where it is, so this takes its place. To be called from `suppressKeyboardEvent`: the cell's
 * key event comes too late to keep the browser from scrolling. Answers whether the key was one of these.
 */
export function moveToEdge<Row>(api: GridApi<Row>, event: KeyboardEvent): boolean {
  if (event.key !== 'Home' && event.key !== 'End') return false;
  event.preventDefault();
  const toEnd = event.key === 'End';
  const columns = api.getAllDisplayedColumns();
  const column = toEnd ? columns.at(-1) : columns[0];
  const focused = api.getFocusedCell();
  if (!column || !focused) return true;
  let row = focused.rowIndex;
  if (event.ctrlKey || event.metaKey) {
    row = toEnd ? api.getDisplayedRowCount() - 1 : 0;
    api.ensureIndexVisible(row, toEnd ? 'bottom' : 'top');
  }
  api.ensureColumnVisible(column);
  api.setFocusedCell(row, column);
  return true;
}

/**
 * The keys that our grids give a meaning of their own. To be called from `suppressKeyboardEvent`: the cell's key event
 * comes too late to keep the browser from scrolling.
 */
import type { GridApi } from 'ag-grid-community';

/**
 * Home and End: first and last cell of the row; with Ctrl (or Cmd): of the grid. AG Grid's own handling leaves a row
 * that is not loaded yet where it is, so this takes its place. Answers whether the key was one of these.
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

/** What a key does to the selection. */
type SelectionKey = 'toggle' | 'range' | 'all' | 'copy' | null;

/** Space: the row; Shift+Space: all rows up to here; Ctrl+A: all that match; Ctrl+C. */
export function selectionKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): SelectionKey {
  if (altKey) return null;
  const command = ctrlKey || metaKey;
  if (key === ' ' && !command) return shiftKey ? 'range' : 'toggle';
  if (!command || shiftKey) return null;
  if (key.toLowerCase() === 'a') return 'all';
  return key.toLowerCase() === 'c' ? 'copy' : null;
}

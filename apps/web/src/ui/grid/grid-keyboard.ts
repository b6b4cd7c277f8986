/** Keyboard handling for `suppressKeyboardEvent`: AG Grid's cell key event is too late to prevent scrolling. */
import type { GridApi } from 'ag-grid-community';

/**
 * Handles Home and End (first and last cell of the row; with Ctrl or Cmd, of the grid) and returns whether the key was one of these.
 * AG Grid's own handling does not scroll to rows that are not loaded.
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

type SelectionKey = 'toggle' | 'range' | 'all' | 'copy' | null;

/** Returns the action of a key: Space toggles the row, Shift+Space selects a range, Ctrl+A selects all matching rows, and Ctrl+C copies. */
export function selectionKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): SelectionKey {
  if (altKey) return null;
  const command = ctrlKey || metaKey;
  if (key === ' ' && !command) return shiftKey ? 'range' : 'toggle';
  if (!command || shiftKey) return null;
  if (key.toLowerCase() === 'a') return 'all';
  return key.toLowerCase() === 'c' ? 'copy' : null;
}

import type {
  Column,
  SuppressHeaderKeyboardEventParams,
  SuppressKeyboardEventParams,
  GridApi,
} from 'ag-grid-community';
import { useEffectEvent, useState } from 'react';
import { actionsId, selectId } from './grid-column-defs.tsx';
import type { GridParts } from './grid-header.tsx';

/** Actions of keys on a row; undefined if an action is not available. */
type RowKeys<Row> = {
  open: ((row: Row) => void) | undefined;
  openActions: ((row: Row, cell: Element) => void) | undefined;
};

/** Key handlers of cells and headers for AG Grid's suppress callbacks. They return whether AG Grid must ignore the key. */
export function useGridKeys<Row>(parts: GridParts, { open, openActions }: RowKeys<Row>) {
  /**
   * Handles the key without waiting for AG Grid's own key event. That is dispatched only after the next key, which must already reach the
   * opened panel or menu.
   */
  const handleRowKey = (event: KeyboardEvent, row: Row | undefined, column: Column): boolean => {
    if (row === undefined || !(event.target instanceof Element)) return false;
    const wantsActions =
      event.key === 'ContextMenu' ||
      (event.shiftKey && event.key === 'F10') ||
      (column.getColId() === actionsId && (event.key === 'Enter' || event.key === ' '));
    if (wantsActions && openActions) openActions(row, event.target);
    else if (event.key === 'Enter' && open) open(row);
    else return false;
    event.preventDefault();
    return true;
  };

  const onCellKeys = useEffectEvent(
    ({ api, event, node, data, column }: SuppressKeyboardEventParams<Row>) => {
      if (moveToEdge(api, event) || handleRowKey(event, data, column)) return true;
      const key = selectionKey(event);
      if (!key || !parts.selection) return false;
      if (key === 'copy') return parts.selection.summary().count > 0;
      event.preventDefault();
      if (key === 'all') parts.selectAll(true);
      else if (data !== undefined && node.rowIndex !== null)
        parts.select(data, node.rowIndex, key === 'range');
      return true;
    },
  );
  const onHeaderKeys = useEffectEvent(({ event, column }: SuppressHeaderKeyboardEventParams<Row>) => {
    const header = event.target instanceof Element && event.target.closest<HTMLElement>('.ag-header-cell');
    const id = column && 'getColId' in column ? column.getColId() : '';
    if (!header) return false;
    const isButton = event.target !== header;
    if (id === selectId && event.key === ' ') {
      event.preventDefault();
      const summary = parts.selection?.summary();
      if (summary) parts.selectAll(!summary.all || summary.except > 0);
      return true;
    }
    const wantsFilter =
      (event.key === 'ArrowDown' && event.altKey) ||
      (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
    if (wantsFilter && header.querySelector('.grid-head-filter')) {
      event.preventDefault();
      parts.openFilter(id, header);
      return true;
    }
    return isButton && event.key === 'Enter';
  });

  const [keys] = useState(() => ({
    suppressKeyboardEvent: (params: SuppressKeyboardEventParams<Row>) => onCellKeys(params),
    suppressHeaderKeyboardEvent: (params: SuppressHeaderKeyboardEventParams<Row>) => onHeaderKeys(params),
  }));
  return keys;
}

/**
 * Handles Home and End (first and last cell of the row; with Ctrl or Cmd, of the grid) and returns whether the key was one of these.
 * AG Grid's own handling does not scroll to rows that are not loaded.
 */
function moveToEdge<Row>(api: GridApi<Row>, event: KeyboardEvent): boolean {
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
function selectionKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): SelectionKey {
  if (altKey) return null;
  const command = ctrlKey || metaKey;
  if (key === ' ' && !command) return shiftKey ? 'range' : 'toggle';
  if (!command || shiftKey) return null;
  if (key.toLowerCase() === 'a') return 'all';
  return key.toLowerCase() === 'c' ? 'copy' : null;
}

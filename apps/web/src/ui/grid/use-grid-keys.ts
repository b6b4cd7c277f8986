import type {
  Column,
  SuppressHeaderKeyboardEventParams,
  SuppressKeyboardEventParams,
} from 'ag-grid-community';
import { useEffectEvent, useState } from 'react';
import { actionsId, selectId } from './columns/grid-column-defs.tsx';
import { moveToEdge, selectionKey } from './grid-keyboard.ts';
import type { GridParts } from './grid-parts.ts';
import { isEverySelected } from './selection/every-row.ts';

/** What keys do to a row besides selecting it; undefined where nothing can be done. */
type RowKeys<Row> = {
  open: ((row: Row) => void) | undefined;
  /** Opens the menu of the row that `cell` is in. */
  openActions: ((row: Row, cell: Element) => void) | undefined;
};

/** The keys of cells and headers, to be called before AG Grid's own: they answer whether that is to do nothing. */
export function useGridKeys<Row>(parts: GridParts, { open, openActions }: RowKeys<Row>) {
  /** At once, not with AG Grid's own event: that comes after the next key, which is meant for what opens here. */
  const actsOnRow = (event: KeyboardEvent, row: Row | undefined, column: Column): boolean => {
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
      if (moveToEdge(api, event) || actsOnRow(event, data, column)) return true;
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
  const onHeaderKeys = useEffectEvent(({ api, event, column }: SuppressHeaderKeyboardEventParams<Row>) => {
    const header = event.target instanceof Element && event.target.closest<HTMLElement>('.ag-header-cell');
    const id = column && 'getColId' in column ? column.getColId() : '';
    if (!header) return false;
    const isButton = event.target !== header;
    if (id === selectId && event.key === ' ') {
      event.preventDefault();
      const { selection, total } = parts;
      if (selection) parts.selectAll(!isEverySelected(selection, api, total));
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

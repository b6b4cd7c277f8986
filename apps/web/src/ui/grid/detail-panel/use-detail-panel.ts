import type { GridApi } from 'ag-grid-community';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { DetailPanelPosition } from './panel-position.ts';
import type { GridRow } from '../rows/grid-pages.ts';

/** If the grid is narrower than this, the panel is full screen. CSS pixels. */
const minGridWidth = 700;

/** Returns the position of the detail panel for row `id` in a grid of `width` CSS pixels. */
export function useDetailPanel<Row extends GridRow>(id: string | undefined, width: number) {
  const [api, setApi] = useState<GridApi<Row> | null>(null);
  const [mark] = useState<RowMark>(() => ({ id: undefined }));

  const subscribe = useCallback(
    (notify: () => void) => {
      api?.addEventListener('modelUpdated', notify);
      return () => {
        if (api && !api.isDestroyed()) api.removeEventListener('modelUpdated', notify);
      };
    },
    [api],
  );
  const adjacent = useSyncExternalStore(subscribe, () =>
    api && !api.isDestroyed() && id !== undefined ? adjacentIds(api, id) : '',
  );

  useEffect(() => {
    if (!api || api.isDestroyed()) return undefined;
    markRow(mark, id);
    const index = id === undefined ? null : api.getRowNode(id)?.rowIndex;
    // Keep the current row visible while the user steps through the rows.
    if (typeof index === 'number') api.ensureIndexVisible(index);
    return undefined;
  }, [api, id, mark]);

  const [previous, next] = adjacent.split(' ');
  const position: DetailPanelPosition = {
    fullScreen: width < minGridWidth,
    width: Math.round(Math.min(480, Math.max(340, width * 0.37))),
    previous: previous || undefined,
    next: next || undefined,
    focusRow: () => {
      if (!api || api.isDestroyed() || id === undefined) return;
      const index = api.getRowNode(id)?.rowIndex;
      const column = api.getAllDisplayedColumns()[0];
      if (typeof index === 'number' && column) api.setFocusedCell(index, column);
    },
  };
  return {
    position,
    rowsWidth: id === undefined || position.fullScreen ? width : width - position.width,
    mark,
    onReady: setApi,
  };
}

/** Id of the marked row. AG Grid's row class rule reads it when it renders a row. */
export type RowMark = { id: string | undefined };

/** Toggles the class on rendered rows. Redrawing them would lose the focus. */
function markRow(mark: RowMark, id: string | undefined): void {
  mark.id = id;
  for (const row of document.querySelectorAll('.grid-rows .ag-row'))
    row.classList.toggle('grid-row-shown', row.getAttribute('row-id') === id);
}

/**
 * Returns the ids of the previous and the next row, separated by a space, which ids do not contain. If row `id` is not loaded, the first
 * row counts as the next one.
 */
function adjacentIds<Row extends GridRow>(api: GridApi<Row>, id: string): string {
  const index = api.getRowNode(id)?.rowIndex ?? -1;
  const idAt = (at: number) => (at < 0 ? '' : String(api.getDisplayedRowAtIndex(at)?.data?.id ?? ''));
  return `${idAt(index - 1)} ${idAt(index + 1)}`;
}

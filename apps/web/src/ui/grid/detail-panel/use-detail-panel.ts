/** One row of a grid that is shown beside the rows: which are its neighbours, where it stands, and that it is marked. */
import type { GridApi } from 'ag-grid-community';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { BesidePlace } from './panel-position.ts';
import type { GridRow } from '../rows/grid-pages.ts';

/** Below this width there is no room beside the rows. CSS pixels. */
const leastRoom = 700;

/** The place beside the rows of a grid of this `width`, for the row of an id. */
export function useBeside<Row extends GridRow>(id: string | undefined, width: number) {
  const [api, setApi] = useState<GridApi<Row> | null>(null);
  const [mark] = useState<RowMark>(() => ({ id: undefined }));

  const subscribe = useCallback(
    (tell: () => void) => {
      api?.addEventListener('modelUpdated', tell);
      return () => {
        if (api && !api.isDestroyed()) api.removeEventListener('modelUpdated', tell);
      };
    },
    [api],
  );
  const neighbours = useSyncExternalStore(subscribe, () =>
    api && !api.isDestroyed() && id !== undefined ? neighboursOf(api, id) : '',
  );

  useEffect(() => {
    if (!api || api.isDestroyed()) return undefined;
    remark(mark, id);
    const index = id === undefined ? null : api.getRowNode(id)?.rowIndex;
    // Whoever goes from one to the next takes the rows along.
    if (typeof index === 'number') api.ensureIndexVisible(index);
    return undefined;
  }, [api, id, mark]);

  const [previous, next] = neighbours.split(' ');
  const place: BesidePlace = {
    whole: width < leastRoom,
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
    place,
    rowsWidth: id === undefined || place.whole ? width : width - place.width,
    mark,
    onReady: setApi,
  };
}

/** The row that is marked; rows look it up when they are drawn. */
export type RowMark = { id: string | undefined };

/** Marks the rows that are drawn; those to come look it up. Drawing them again would cost them the focus. */
function remark(mark: RowMark, id: string | undefined): void {
  mark.id = id;
  for (const row of document.querySelectorAll('.grid-rows .ag-row'))
    row.classList.toggle('grid-row-shown', row.getAttribute('row-id') === id);
}

/** Ids hold no space. Without the row itself the list begins. */
function neighboursOf<Row extends GridRow>(api: GridApi<Row>, id: string): string {
  const index = api.getRowNode(id)?.rowIndex ?? -1;
  const idAt = (at: number) => (at < 0 ? '' : String(api.getDisplayedRowAtIndex(at)?.data?.id ?? ''));
  return `${idAt(index - 1)} ${idAt(index + 1)}`;
}

import { createContext, use, useEffect, useState, type RefObject } from 'react';
import type { RunningGrid } from './editions/grid-edition.ts';
import type { GridRow } from './grid-pages.ts';

/** If the grid is narrower than this, the panel is full screen. CSS pixels. */
const minGridWidth = 700;

/** Id of the marked row. AG Grid's row class rule reads it when it renders a row. */
export type RowMark = { id: string | undefined };

/** Size of the detail panel, and the rows before and after its row. */
type DetailPanelPosition = {
  /** The grid is too narrow for a panel beside the rows. */
  fullScreen: boolean;
  /** CSS pixels. */
  width: number;
  /** Returns the panel's row, if loaded. */
  row: () => unknown;
  /** Returns the id of the next (1) or previous (-1) row, if loaded. If the panel's row is not loaded, the first row is the next one. */
  adjacentId: (step: 1 | -1) => string | undefined;
  focusRow: () => void;
};

export const DetailPanelContext = createContext<DetailPanelPosition | null>(null);

export function useDetailPanelPosition(): DetailPanelPosition {
  const position = use(DetailPanelContext);
  if (!position) throw new Error('Only beside the rows of a grid.');
  return position;
}

/** Returns the position of the detail panel in a grid of `width` CSS pixels. */
export function useDetailPanel<Row extends GridRow>(
  grid: RefObject<RunningGrid<Row> | null>,
  { id, isDialog = false }: { id?: string; isDialog?: boolean } = {},
  width: number,
) {
  const [mark] = useState<RowMark>(() => ({ id }));
  useEffect(() => {
    markRow(mark, id);
    const index = rowIndexOf(grid.current, id);
    // Keep the current row visible while the user steps through the rows.
    if (index !== null) grid.current?.api.ensureIndexVisible(index);
  }, [grid, id, mark]);

  const position: DetailPanelPosition = {
    fullScreen: width < minGridWidth,
    width: Math.round(Math.min(480, Math.max(340, width * 0.37))),
    row: () =>
      rowIndexOf(grid.current, id) === null ? undefined : grid.current?.api.getRowNode(id ?? '')?.data,
    adjacentId: (step) => {
      const index = (rowIndexOf(grid.current, id) ?? -1) + step;
      const row = index < 0 ? undefined : grid.current?.api.getDisplayedRowAtIndex(index)?.data;
      return row && String(row.id);
    },
    focusRow: () => {
      const index = rowIndexOf(grid.current, id);
      const column = index === null ? undefined : grid.current?.api.getAllDisplayedColumns()[0];
      if (index !== null && column) grid.current?.api.setFocusedCell(index, column);
    },
  };
  return {
    position,
    rowsWidth: id === undefined || isDialog || position.fullScreen ? width : width - position.width,
    mark,
  };
}

/** Toggles the class on rendered rows. Redrawing them would lose the focus. */
function markRow(mark: RowMark, id: string | undefined): void {
  mark.id = id;
  for (const row of document.querySelectorAll('.grid-rows .ag-row'))
    row.classList.toggle('grid-row-shown', row.getAttribute('row-id') === id);
}

function rowIndexOf<Row>(grid: RunningGrid<Row> | null, id: string | undefined): number | null {
  if (!grid || grid.api.isDestroyed() || id === undefined) return null;
  return grid.api.getRowNode(id)?.rowIndex ?? null;
}

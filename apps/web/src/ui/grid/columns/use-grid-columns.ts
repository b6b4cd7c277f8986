import { useMemo } from 'react';
import type { GridColumn } from './grid-column.ts';
import { layoutOf, placeColumns, type PlacedColumn } from './grid-layout.ts';
import type { StoredGridState } from './stored-grid-state.ts';

export type GridColumns<Row> = {
  /** Columns as defined by the screen. The first column names a row. */
  defined: readonly GridColumn<Row>[];
  /** Columns as arranged by the user. */
  placed: readonly PlacedColumn<Row>[];
  place: (placed: readonly PlacedColumn<Row>[]) => void;
  compact: boolean;
  setCompact: (compact: boolean) => void;
  reset: () => void;
};

export function useGridColumns<Row>(
  defined: readonly GridColumn<Row>[],
  { layout, setLayout }: StoredGridState,
): GridColumns<Row> {
  const placed = useMemo(() => placeColumns(defined, layout), [defined, layout]);
  const compact = layout?.density === 'compact';
  return {
    defined,
    placed,
    place: (next) => setLayout(layoutOf(next, compact)),
    compact,
    setCompact: (next) => setLayout(layoutOf(placed, next)),
    reset: () => setLayout(null),
  };
}

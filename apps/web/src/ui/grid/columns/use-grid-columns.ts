import { useMemo } from 'react';
import type { GridColumn } from './grid-column.ts';
import { layoutOf, placeColumns, type PlacedColumn } from './grid-layout.ts';
import type { GridMemory } from './grid-memory.ts';

/** The columns of a grid and where they stand. */
export type GridColumns<Row> = {
  /** As the screen defines them: the first one names a row. */
  defined: readonly GridColumn<Row>[];
  /** As the person has placed them. */
  placed: readonly PlacedColumn<Row>[];
  place: (placed: readonly PlacedColumn<Row>[]) => void;
  /** Rows are as low as they can be. */
  compact: boolean;
  setCompact: (compact: boolean) => void;
  /** Back to how the screen defines them. */
  reset: () => void;
};

/** The columns that a screen defines, placed as the person has left them. */
export function useGridColumns<Row>(
  defined: readonly GridColumn<Row>[],
  { layout, setLayout }: GridMemory,
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

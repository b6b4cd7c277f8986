/** Loads a grid's layout and views, and saves changes of the layout. */
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { GridColumn } from './grid-column.ts';
import { layoutOf, placeColumns, type PlacedColumn } from './grid-layout.ts';
import type { GridLayout, GridPreferences, GridServer, GridViewRecord } from './grid-server.ts';

const noPreferences: GridPreferences = { layout: null, views: [], mayShare: false };
/** Last known preferences by grid. A grid that is shown again uses them at once. */
const knownPreferences = new Map<string, GridPreferences>();

export type StoredGridState = ReturnType<typeof useStoredGridState>;

/** `ready` is true if the settings are loaded, or if loading has failed. */
export function useStoredGridState(server: GridServer | null, grid: string | undefined) {
  const [memory, setMemory] = useState<GridPreferences | null>(() =>
    server && grid ? (knownPreferences.get(grid) ?? null) : noPreferences,
  );
  const change = (getChange: (previous: GridPreferences) => Partial<GridPreferences>) =>
    setMemory((previous) => {
      const current = previous ?? noPreferences;
      const next = { ...current, ...getChange(current) };
      if (server && grid) knownPreferences.set(grid, next);
      return next;
    });

  // A layout that is already rendered stays.
  const applyLoaded = useEffectEvent((loaded: Partial<GridPreferences>) =>
    change(() => ({ ...loaded, ...(memory && { layout: memory.layout }) })),
  );
  useEffect(() => {
    if (!server || !grid) return;
    server.loadPreferences(grid).then(
      (loaded) => applyLoaded(loaded),
      () => applyLoaded({}),
    );
  }, [server, grid]);

  return {
    ready: memory !== null,
    ...(memory ?? noPreferences),
    setLayout: (layout: GridLayout | null) => {
      change(() => ({ layout }));
      // A failure is not reported: the columns stay on this page, and the next change saves again.
      if (server && grid) server.saveLayout(grid, layout).catch(() => {});
    },
    setViews: (next: (views: readonly GridViewRecord[]) => readonly GridViewRecord[]) =>
      change(({ views }) => ({ views: next(views) })),
  };
}

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

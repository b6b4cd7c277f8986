/** Loads a grid's layout and views once per page load, and saves layout changes after a delay. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useWindowEvent } from '../../events/use-window-event.ts';
import type { GridLayout, GridPreferences, GridServer, GridViewRecord } from '../rows/grid-server.ts';

const noPreferences: GridPreferences = { layout: null, views: [], mayShare: false };
/** In milliseconds. If loading takes longer, the grid renders with default columns. */
const loadTimeoutMs = 1_500;
const saveDelayMs = 800;
const loadedPreferences = new WeakMap<GridServer, Map<string, GridPreferences>>();

export type StoredGridState = ReturnType<typeof useStoredGridState>;

/** `ready` is true if the settings are loaded, or if loading has failed or timed out. */
export function useStoredGridState(server: GridServer | null, grid: string | undefined) {
  const storage = server && grid ? { server, grid } : null;
  const [memory, setMemory] = useState<GridPreferences | null>(() =>
    storage ? (loadedPreferences.get(storage.server)?.get(storage.grid) ?? null) : noPreferences,
  );
  const unsaved = useRef<{ layout: GridLayout | null; timer: ReturnType<typeof setTimeout> }>(null);

  const change = (getChange: (previous: GridPreferences) => Partial<GridPreferences>) =>
    setMemory((previous) => {
      const current = previous ?? noPreferences;
      const next = { ...current, ...getChange(current) };
      if (storage) {
        const grids = loadedPreferences.get(storage.server) ?? new Map<string, GridPreferences>();
        loadedPreferences.set(storage.server, grids.set(storage.grid, next));
      }
      return next;
    });

  const applyLoaded = useEffectEvent((loaded: GridPreferences | null) => {
    if (!loaded) setMemory((previous) => previous ?? noPreferences);
    // Loading timed out: keep the columns that are rendered; the stored layout applies when the grid is next mounted.
    else if (memory === noPreferences) setMemory({ ...loaded, layout: null });
    // The preferences were loaded earlier: keep the layout, update the views.
    else change(() => ({ ...loaded, ...(memory && { layout: memory.layout }) }));
  });
  useEffect(() => {
    if (!server || !grid) return undefined;
    const timeout = setTimeout(() => applyLoaded(null), loadTimeoutMs);
    server.loadPreferences(grid).then(
      (loaded) => applyLoaded(loaded),
      () => applyLoaded(null),
    );
    return () => clearTimeout(timeout);
  }, [server, grid]);

  const save = () => {
    const { current } = unsaved;
    if (!current || !storage) return;
    clearTimeout(current.timer);
    unsaved.current = null;
    // A failure is not reported: the columns stay on this page, and the next change saves again.
    storage.server.saveLayout(storage.grid, current.layout).catch(() => {});
  };
  const saveLatest = useEffectEvent(save);
  useWindowEvent('pagehide', save);
  useEffect(() => () => saveLatest(), []);

  return {
    ready: memory !== null,
    ...(memory ?? noPreferences),
    setLayout: (layout: GridLayout | null) => {
      change(() => ({ layout }));
      clearTimeout(unsaved.current?.timer);
      unsaved.current = { layout, timer: setTimeout(() => saveLatest(), saveDelayMs) };
    },
    setViews: (next: (views: readonly GridViewRecord[]) => readonly GridViewRecord[]) =>
      change(({ views }) => ({ views: next(views) })),
  };
}

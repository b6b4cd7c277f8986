/**
 * What a person has chosen in a grid, recalled from the server once per page load and kept there a moment after every
 * change.
 */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useWindowEvent } from '../../events/use-window-event.ts';
import type { GridLayout, GridRecall, GridServer, GridViewRecord } from '../rows/grid-server.ts';

const nothing: GridRecall = { layout: null, views: [], mayShare: false };
/** Rows are worth more than the order of their columns: longer than this nobody waits for it. Milliseconds. */
const patience = 1_500;
const keepAfter = 800;
const recalled = new WeakMap<GridServer, Map<string, GridRecall>>();

export type GridMemory = ReturnType<typeof useGridMemory>;

/** The layout and the views of a grid, and whether views may be shared; `ready` once they are known, or known to be unknown. */
export function useGridMemory(server: GridServer | null, grid: string | undefined) {
  const lasting = server && grid ? { server, grid } : null;
  const [memory, setMemory] = useState<GridRecall | null>(() =>
    lasting ? (recalled.get(lasting.server)?.get(lasting.grid) ?? null) : nothing,
  );
  const unsaved = useRef<{ layout: GridLayout | null; timer: ReturnType<typeof setTimeout> }>(null);

  const change = (partOf: (before: GridRecall) => Partial<GridRecall>) =>
    setMemory((before) => {
      const known = before ?? nothing;
      const next = { ...known, ...partOf(known) };
      if (lasting) {
        const grids = recalled.get(lasting.server) ?? new Map<string, GridRecall>();
        recalled.set(lasting.server, grids.set(lasting.grid, next));
      }
      return next;
    });

  const arrive = useEffectEvent((first: GridRecall | null) => {
    if (!first) setMemory((before) => before ?? nothing);
    // Nobody has waited: the columns stand as they are, and are recalled on the next visit.
    else if (memory === nothing) setMemory({ ...first, layout: null });
    // On a later visit the columns stand already; only others' views may be new.
    else change(() => ({ ...first, ...(memory && { layout: memory.layout }) }));
  });
  useEffect(() => {
    if (!server || !grid) return undefined;
    const late = setTimeout(() => arrive(null), patience);
    server.recall(grid).then(
      (first) => arrive(first),
      () => arrive(null),
    );
    return () => clearTimeout(late);
  }, [server, grid]);

  const save = () => {
    const { current } = unsaved;
    if (!current || !lasting) return;
    clearTimeout(current.timer);
    unsaved.current = null;
    // Not worth a message: the columns stay as they are on this page, and the next change tries again.
    lasting.server.keepLayout(lasting.grid, current.layout).catch(() => {});
  };
  const saveLatest = useEffectEvent(save);
  useWindowEvent('pagehide', save);
  useEffect(() => () => saveLatest(), []);

  return {
    ready: memory !== null,
    ...(memory ?? nothing),
    setLayout: (layout: GridLayout | null) => {
      change(() => ({ layout }));
      clearTimeout(unsaved.current?.timer);
      unsaved.current = { layout, timer: setTimeout(() => saveLatest(), keepAfter) };
    },
    /** From those that are known by now. */
    setViews: (next: (views: readonly GridViewRecord[]) => readonly GridViewRecord[]) =>
      change(({ views }) => ({ views: next(views) })),
  };
}

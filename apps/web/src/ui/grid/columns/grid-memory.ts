/**
 * What a person has chosen in a grid, recalled from the server once per page load and kept there a moment after every
 * change.
 */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
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

  const change = (part: Partial<GridRecall>) =>
    setMemory((before) => {
      const next = { ...(before ?? nothing), ...part };
      if (lasting) {
        const grids = recalled.get(lasting.server) ?? new Map<string, GridRecall>();
        recalled.set(lasting.server, grids.set(lasting.grid, next));
      }
      return next;
    });

  const arrive = useEffectEvent((first: GridRecall | null) => {
    // On a later visit the columns stand already; only others' views may be new.
    if (first) change({ ...first, ...(memory && { layout: memory.layout }) });
    else if (!memory) setMemory(nothing);
  });
  useEffect(() => {
    if (!server || !grid) return;
    const late = new Promise<null>((resolve) => setTimeout(resolve, patience, null));
    const answer = server.recall(grid).catch(() => null);
    void Promise.race([answer, late]).then((first) => arrive(first));
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
  useEffect(() => {
    const leave = () => saveLatest();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);

  return {
    ready: memory !== null,
    ...(memory ?? nothing),
    setLayout: (layout: GridLayout | null) => {
      change({ layout });
      clearTimeout(unsaved.current?.timer);
      unsaved.current = { layout, timer: setTimeout(() => saveLatest(), keepAfter) };
    },
    setViews: (views: readonly GridViewRecord[]) => change({ views }),
  };
}

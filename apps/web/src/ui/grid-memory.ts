// What a person has chosen in a grid, recalled from the server once per page load and kept there a moment after every
// change.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { GridLayout, GridServer, GridViewRecord } from './grid-server.ts';

interface Recalled {
  layout: GridLayout | null;
  views: readonly GridViewRecord[];
}

const nothing: Recalled = { layout: null, views: [] };
/** Rows are worth more than the order of their columns: longer than this nobody waits for it. Milliseconds. */
const patience = 1_500;
const keepAfter = 800;
const recalled = new WeakMap<GridServer, Map<string, Recalled>>();

/** The layout and the views of a grid; `ready` once they are known, or known to be unknown. */
export function useGridMemory(server: GridServer | null, grid: string | undefined) {
  const lasting = server && grid ? { server, grid } : null;
  const [memory, setMemory] = useState<Recalled | null>(() =>
    lasting ? (recalled.get(lasting.server)?.get(lasting.grid) ?? null) : nothing,
  );
  const unsaved = useRef<{ layout: GridLayout | null; timer: ReturnType<typeof setTimeout> }>(null);

  const change = (next: Recalled) => {
    if (lasting) {
      const grids = recalled.get(lasting.server) ?? new Map<string, Recalled>();
      recalled.set(lasting.server, grids.set(lasting.grid, next));
    }
    setMemory(next);
  };

  const arrive = useEffectEvent((first: Recalled | null) => {
    // On a later visit the columns stand already; only others' views may be new.
    if (memory) change({ ...memory, views: first?.views ?? memory.views });
    else if (first) change(first);
    else setMemory(nothing);
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
    layout: memory?.layout ?? null,
    views: memory?.views ?? [],
    setLayout: (layout: GridLayout | null) => {
      change({ layout, views: memory?.views ?? [] });
      clearTimeout(unsaved.current?.timer);
      unsaved.current = { layout, timer: setTimeout(() => saveLatest(), keepAfter) };
    },
    setViews: (views: readonly GridViewRecord[]) => change({ layout: memory?.layout ?? null, views }),
  };
}

import { useEffect, useRef, useState } from 'react';
import type { GridServer } from '../rows/grid-server.ts';

/** How many rows each tab has, by its id; `all` are those of the whole list. `more`: there are more than that. */
export type TabCounts = Readonly<Record<string, { count: number; more: boolean }>>;

/** However much happens, they are counted no more often. Milliseconds. */
const countEvery = 2_000;

/** The counts, told again after changes elsewhere; empty until they are known. `recount` asks for them at once. */
export function useTabCounts({
  countTabs,
  changesOf,
  server,
}: {
  countTabs?: (signal: AbortSignal) => Promise<TabCounts>;
  changesOf?: string;
  server: GridServer | null;
}): { counts: TabCounts; recount: () => void } {
  const [counts, setCounts] = useState<TabCounts>({});
  const recount = useRef(() => {});
  useEffect(() => {
    if (!countTabs) return undefined;
    const stop = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const count = async () => {
      waiting = undefined;
      // Without them the tabs work as well; those that were known stay.
      const counted = await countTabs(stop.signal).catch(() => null);
      if (counted && !stop.signal.aborted) setCounts(counted);
    };
    recount.current = () => void count();
    void count();
    const unwatch = changesOf
      ? server?.watch([changesOf], () => (waiting ??= setTimeout(() => void count(), countEvery)))
      : undefined;
    return () => {
      stop.abort();
      clearTimeout(waiting);
      unwatch?.();
    };
  }, [countTabs, changesOf, server]);
  return { counts, recount: () => recount.current() };
}

import { useEffect, useRef, useState } from 'react';
import type { GridServer } from '../rows/grid-server.ts';

/** Number of rows per tab id, and of the whole list as `all`. `more` means that the number is a lower bound. */
export type TabCounts = Readonly<Record<string, { count: number; more: boolean }>>;

/** Minimum time between recounts after changes, in milliseconds. */
const recountIntervalMs = 2_000;

/** Counts the rows per tab, also after server-sent changes. `counts` is empty until loaded. `recount` counts immediately. */
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
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const count = async () => {
      timer = undefined;
      // On failure the previous counts stay.
      const counted = await countTabs(controller.signal).catch(() => null);
      if (counted && !controller.signal.aborted) setCounts(counted);
    };
    recount.current = () => void count();
    void count();
    const unwatch = changesOf
      ? server?.watch([changesOf], () => (timer ??= setTimeout(() => void count(), recountIntervalMs)))
      : undefined;
    return () => {
      controller.abort();
      clearTimeout(timer);
      unwatch?.();
    };
  }, [countTabs, changesOf, server]);
  return { counts, recount: () => recount.current() };
}

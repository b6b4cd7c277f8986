import { useEffect, useEffectEvent, useState } from 'react';
import type { FilterControls } from '../rows/use-grid-filters.ts';

/** Returns the number of rows per value of a column, given the filters of the other columns. Undefined until loaded. */
export function useValueCounts(
  column: string,
  values: readonly { value: string }[],
  controls: Pick<FilterControls, 'filters' | 'countValues'> | undefined,
): ReadonlyMap<string, number> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>();
  const countLatest = useEffectEvent((signal: AbortSignal) =>
    controls?.countValues(
      column,
      values.map(({ value }) => value),
      signal,
    ),
  );
  const otherFilters = JSON.stringify(controls?.filters.filter((filter) => filter.column !== column));
  useEffect(() => {
    const controller = new AbortController();
    countLatest(controller.signal)?.then(
      (counted) => controller.signal.aborted || setCounts(counted),
      // The filter works without counts.
      () => {},
    );
    return () => controller.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- filters of other columns change the counts
  }, [otherFilters]);
  return counts;
}

import { useEffect, useEffectEvent, useState } from 'react';
import type { QuestionState } from '../rows/use-grid-filters.ts';

/**
 * How many rows each value of a column would give beside the filters of other columns; undefined until that is known. Counted
 * when it is first shown, and again when those filters change.
 */
export function useValueCounts(
  column: string,
  values: readonly { value: string }[],
  question: Pick<QuestionState, 'filters' | 'countValues'> | undefined,
): ReadonlyMap<string, number> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>();
  const countLatest = useEffectEvent((signal: AbortSignal) =>
    question?.countValues(
      column,
      values.map(({ value }) => value),
      signal,
    ),
  );
  const others = JSON.stringify(question?.filters.filter((filter) => filter.column !== column));
  useEffect(() => {
    const stop = new AbortController();
    countLatest(stop.signal)?.then(
      (counted) => stop.signal.aborted || setCounts(counted),
      // Without them the filter works as well.
      () => {},
    );
    return () => stop.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is set for other columns is a reason to count again
  }, [others]);
  return counts;
}

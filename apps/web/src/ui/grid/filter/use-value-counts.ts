import { useEffect, useEffectEvent, useState } from 'react';
import type { QuestionState } from '../rows/use-grid-question.ts';

/** How many rows each value of a column would give, as of when it is first shown; undefined until that is known. */
export function useValueCounts(
  column: string,
  values: readonly { value: string }[],
  countValues: QuestionState['countValues'] | undefined,
): ReadonlyMap<string, number> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>();
  const countLatest = useEffectEvent((signal: AbortSignal) =>
    countValues?.(
      column,
      values.map(({ value }) => value),
      signal,
    ),
  );
  useEffect(() => {
    const stop = new AbortController();
    countLatest(stop.signal)?.then(
      (counted) => stop.signal.aborted || setCounts(counted),
      // Without them the filter works as well.
      () => {},
    );
    return () => stop.abort();
  }, []);
  return counts;
}

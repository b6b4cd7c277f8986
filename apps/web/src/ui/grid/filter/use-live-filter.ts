import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** Long enough for another letter, short enough to be at once. Milliseconds. */
const pause = 150;

/** What is being set, and is applied soon after it was set last; `finish` applies what still waits. */
export function useLiveFilter<Draft>(initial: () => Draft, apply: (draft: Draft) => void) {
  const [draft, setDraft] = useState(initial);
  const waits = useRef(false);
  const finish = (set: Draft) => {
    if (!waits.current) return;
    waits.current = false;
    apply(set);
  };
  const finishLatest = useEffectEvent(finish);
  useEffect(() => {
    const timer = setTimeout(() => finishLatest(draft), pause);
    return () => clearTimeout(timer);
  }, [draft]);
  const change = (next: Draft) => {
    waits.current = true;
    setDraft(next);
  };
  /** What still waits is not applied. */
  const drop = () => {
    waits.current = false;
  };
  return { draft, change, finish: () => finish(draft), drop };
}

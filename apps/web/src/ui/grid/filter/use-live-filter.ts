import { useEffect, useEffectEvent, useRef, useState, type SubmitEvent } from 'react';

/** Long enough for another letter, short enough to be at once. Milliseconds. */
const pause = 150;

/** What is being set, and is applied soon after it was set last. Closing, also by `submit`, applies what still waits. */
export function useLiveFilter<Draft>(
  initial: () => Draft,
  apply: (draft: Draft) => void,
  onClose: () => void,
) {
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
  const close = () => {
    finish(draft);
    onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    close();
  };
  /** `unset` takes effect, and not what still waits. */
  const clear = (unset: () => void) => {
    waits.current = false;
    unset();
    onClose();
  };
  return { draft, change, close, submit, clear };
}

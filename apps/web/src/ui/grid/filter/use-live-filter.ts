import { useEffect, useEffectEvent, useRef, useState, type SubmitEvent } from 'react';

/** Delay between a change and its effect, in milliseconds. */
const applyDelayMs = 150;

/** Applies a draft shortly after its last change. Closing the panel applies a pending change at once. */
export function useLiveFilter<Draft>(
  initial: () => Draft,
  apply: (draft: Draft) => void,
  onClose: () => void,
) {
  const [draft, setDraft] = useState(initial);
  const isPending = useRef(false);
  const applyPending = (latest: Draft) => {
    if (!isPending.current) return;
    isPending.current = false;
    apply(latest);
  };
  const applyLatest = useEffectEvent(applyPending);
  useEffect(() => {
    const timer = setTimeout(() => applyLatest(draft), applyDelayMs);
    return () => clearTimeout(timer);
  }, [draft]);
  const change = (next: Draft) => {
    isPending.current = true;
    setDraft(next);
  };
  const close = () => {
    applyPending(draft);
    onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    close();
  };
  /** Discards a pending change and calls `clearFilters`. */
  const clear = (clearFilters: () => void) => {
    isPending.current = false;
    clearFilters();
    onClose();
  };
  return { draft, change, close, submit, clear };
}

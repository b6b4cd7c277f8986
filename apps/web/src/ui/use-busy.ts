import { useRef, useState } from 'react';

/** Wraps a handler so that it runs once at a time. Rejections are not handled: handlers report their own failures. */
export function useBusy<Arguments extends unknown[]>(
  handler: ((...args: Arguments) => unknown) | undefined,
): [run: (...args: Arguments) => void, busy: boolean] {
  const [busy, setBusy] = useState(false);
  // A ref, because state is too late: two clicks can arrive before React renders.
  const running = useRef(false);
  const run = (...args: Arguments) => {
    if (running.current) return;
    const result = handler?.(...args);
    if (!(result instanceof Promise)) return;
    running.current = true;
    setBusy(true);
    void result.finally(() => {
      running.current = false;
      setBusy(false);
    });
  };
  return [run, busy];
}

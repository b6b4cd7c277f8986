/**
 * Pages that people come back to. A browser keeps a page that is left, scripts and all, and shows it again as it was
 * (the back/forward cache), or it has let it go and loads it anew: whoever presses Back must not notice which.
 */

const restored = new Set<() => void>();
const left = new Set<() => void>();
let isAway = false;

if (typeof window !== 'undefined') {
  // The provider's library comes later and listens too: it would forget the request that is under way, and Forward would
  // lead to an answer that nobody waits for.
  window.addEventListener(
    'pageshow',
    (event) => {
      if (!event.persisted) return;
      event.stopImmediatePropagation();
      isAway = false;
      for (const listener of restored) listener();
    },
    { capture: true },
  );
  window.addEventListener('pagehide', () => {
    isAway = true;
    for (const listener of left) listener();
  });
}

/** Calls back whenever the browser shows this page again after it was left. */
export function whenRestored(listener: () => void): void {
  restored.add(listener);
}

/** Calls back whenever this page is left, for good or not. */
export function whenLeft(listener: () => void): void {
  left.add(listener);
}

/**
 * Resolves while the page is shown; when it is left, not before it is shown again. What fails because the page is left, such as
 * its requests, is no failure to tell anybody of, and none to act upon.
 */
export async function whileHere(): Promise<void> {
  if (isAway) await new Promise<void>((resolve) => whenRestored(resolve));
}

/** How this page was loaded; `back_forward` is by the browser's history (Navigation Timing, section 3.2). */
export function navigationType(): NavigationTimingType {
  const [entry] = window.performance.getEntriesByType('navigation');
  return (entry as PerformanceNavigationTiming | undefined)?.type ?? 'navigate';
}

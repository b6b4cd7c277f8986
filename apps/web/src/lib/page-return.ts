/**
 * Detects that the user has returned to the page by Back or Forward, whether the page is restored from the back/forward cache or reloaded.
 */

const restoreListeners = new Set<() => void>();
const hideListeners = new Set<() => void>();
let isHidden = false;

if (typeof window !== 'undefined') {
  // MSAL also listens to `pageshow` and would drop its pending request. The provider's later response could then not be processed.
  window.addEventListener(
    'pageshow',
    (event) => {
      if (!event.persisted) return;
      event.stopImmediatePropagation();
      isHidden = false;
      for (const listener of restoreListeners) listener();
    },
    { capture: true },
  );
  window.addEventListener('pagehide', () => {
    isHidden = true;
    for (const listener of hideListeners) listener();
  });
}

/** Calls `listener` when the page is restored from the back/forward cache. */
export function whenRestored(listener: () => void): void {
  restoreListeners.add(listener);
}

/** Calls `listener` when the page is left, possibly for good. */
export function whenLeft(listener: () => void): void {
  hideListeners.add(listener);
}

/**
 * Resolves when the page is visible again, or immediately if it is visible. Failures of requests while the page is left must not be
 * reported.
 */
export async function waitUntilShown(): Promise<void> {
  if (isHidden) await new Promise<void>((resolve) => whenRestored(resolve));
}

/** Returns how the page was loaded: `back_forward` means by Back or Forward (Navigation Timing, section 3.2). */
export function navigationType(): NavigationTimingType {
  const [entry] = window.performance.getEntriesByType('navigation');
  return (entry as PerformanceNavigationTiming | undefined)?.type ?? 'navigate';
}

/** Returns to a page by Back or Forward, whether it is restored from the back/forward cache or reloaded. */

const restoreListeners = new Set<() => void>();
const leaveListeners = new Set<() => void>();
let isHidden = false;

if (typeof window !== 'undefined') {
  // MSAL listens to `pageshow` as well and would drop its pending request; its later response could then not be processed.
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
    for (const listener of leaveListeners) listener();
  });
}

/** Calls back when the page is restored from the back/forward cache. */
export function whenRestored(listener: () => void): void {
  restoreListeners.add(listener);
}

/** Calls back when the page is left, possibly for good. */
export function whenLeft(listener: () => void): void {
  leaveListeners.add(listener);
}

/** Resolves when the page is visible again, or immediately. Requests that fail while the page is left are not errors to report. */
export async function waitUntilShown(): Promise<void> {
  if (isHidden) await new Promise<void>((resolve) => whenRestored(resolve));
}

/** Returns how the page was loaded; `back_forward` by the browser's history (Navigation Timing, section 3.2). */
export function navigationType(): NavigationTimingType {
  const [entry] = window.performance.getEntriesByType('navigation');
  return (entry as PerformanceNavigationTiming | undefined)?.type ?? 'navigate';
}

/** Allows one navigation away from this page at a time. Reasons to leave and stored values are in session.ts. */
import { whenRestored } from '../../lib/page-return.ts';
import { resetRedirectCount } from './provider/redirect-limit.ts';

/** Time after which the user may retry if the provider's page has not loaded. */
const redirectTimeoutMilliseconds = 30_000;

export type RedirectLock = ReturnType<typeof createRedirectLock>;

export function createRedirectLock() {
  let isHeld = false;
  /** Whether a reload or the start page was requested. A pending redirect must not override it. */
  let isPageReplaced = false;
  let cancelled = neverSettles<void>();
  let resolveCancelled = () => {};

  return {
    isHeld: () => isHeld,

    /** Resolves when the acquired lock is cancelled. */
    whenCancelled: () => cancelled,

    acquire(): void {
      isHeld = true;
      cancelled = new Promise((resolve) => (resolveCancelled = resolve));
    },

    cancel(): void {
      isHeld = false;
      cancelled = neverSettles();
      resolveCancelled();
    },

    /**
     * Navigates to an address once it is known. Returns null if the user returned or the address did not load in time. Throws if there is
     * no address.
     */
    async navigateTo(findAddress: () => Promise<string>): Promise<null> {
      isHeld = true;
      try {
        const address = await findAddress();
        if (isPageReplaced) return await neverSettles();
        const returned = new Promise<void>((resolve) => {
          whenRestored(resolve);
          setTimeout(resolve, redirectTimeoutMilliseconds);
        });
        window.location.assign(address);
        await returned;
        if (isPageReplaced) return await neverSettles();
        resetRedirectCount();
        return null;
      } finally {
        isHeld = false;
      }
    },

    /** Replaces this page by the start page; pending redirects are dropped. */
    goToStartPage(): Promise<never> {
      isHeld = true;
      isPageReplaced = true;
      window.location.replace('/');
      return neverSettles();
    },

    reload(): void {
      isHeld = true;
      isPageReplaced = true;
      window.location.reload();
    },
  };
}

/** Returns a promise that never settles: the page is being left. */
export function neverSettles<Result = never>(): Promise<Result> {
  return new Promise(() => {});
}

/** Allows one navigation away from this page at a time. Reasons to leave and stored values are in session.ts. */
import { whenRestored } from '../../lib/page-return.ts';
import { resetRedirectCount } from './storage/storage.ts';

/** Time after which the user may retry if the provider's page has not loaded. */
const redirectTimeoutMilliseconds = 30_000;

export type RedirectLock = ReturnType<typeof createRedirectLock>;

export function createRedirectLock() {
  let state: 'free' | 'redirecting' | 'replaced' = 'free';
  let signingOut: Promise<never> | null = null;
  /** Replaces this page. A pending redirect must not override that. */
  const replacePage = (navigate: () => void): Promise<never> => {
    state = 'replaced';
    navigate();
    return neverSettles();
  };
  const isReplaced = () => state === 'replaced';

  return {
    /** Waits while the page is being left. A second navigation would interrupt the first. */
    async waitIfLeaving(): Promise<void> {
      await signingOut?.catch(() => {});
      if (state !== 'free') await neverSettles();
    },

    /**
     * Navigates to an address once it is known. Returns null if the user returned or the address did not load in time. Throws if there is
     * no address.
     */
    async navigateTo(findAddress: () => Promise<string>): Promise<null> {
      if (isReplaced()) return neverSettles();
      state = 'redirecting';
      try {
        const address = await findAddress();
        if (isReplaced()) return await neverSettles();
        window.location.assign(address);
        await new Promise<void>((resolve) => {
          whenRestored(resolve);
          setTimeout(resolve, redirectTimeoutMilliseconds);
        });
        if (isReplaced()) return await neverSettles();
        resetRedirectCount();
        return null;
      } finally {
        if (!isReplaced()) state = 'free';
      }
    },

    /** Runs `signOut`, or waits for the one that is running: several refusals may arrive at once. Settles only if it fails. */
    signOut(signOut: () => Promise<never>): Promise<never> {
      signingOut ??= signOut().finally(() => (signingOut = null));
      return signingOut;
    },

    goToStartPage: () => replacePage(() => window.location.replace('/')),
    reload: () => replacePage(() => window.location.reload()),
  };
}

/** Returns a promise that never settles: the page is being left. */
export const neverSettles = <Result = never>(): Promise<Result> => new Promise(() => {});

/** How this page is left, once at a time. Not for: why, and what is kept before (session.ts). */
import { whenRestored } from '../../lib/page-return.ts';
import { forgetRedirects } from './provider/redirect-limit.ts';

/** When the provider's page has not come by then, in milliseconds, whoever waits for it may try again. */
const longestLeave = 30_000;

export type Departure = ReturnType<typeof createDeparture>;

export function createDeparture() {
  let underWay = false;
  /** The page is loaded anew, or the start is; no redirect that was on its way may overtake that. */
  let gone = false;
  let over = forever<void>();
  let goOn = () => {};

  return {
    isUnderWay: () => underWay,

    /** Resolves when what was begun came to nothing. */
    over: () => over,

    begin(): void {
      underWay = true;
      over = new Promise((resolve) => (goOn = resolve));
    },

    /** What was begun came to nothing: whatever waited for it goes on. */
    stay(): void {
      underWay = false;
      over = forever();
      goOn();
    },

    /** Leaves for an address once it is known. Null when somebody has come back; throws when there is no address. */
    async leaveFor(findAddress: () => Promise<string>): Promise<null> {
      underWay = true;
      try {
        const address = await findAddress();
        if (gone) return await forever();
        const back = new Promise<void>((resolve) => {
          whenRestored(resolve);
          setTimeout(resolve, longestLeave);
        });
        window.location.assign(address);
        await back;
        if (gone) return await forever();
        forgetRedirects();
        return null;
      } finally {
        underWay = false;
      }
    },

    /** Leaves for the start of the site, without a way back, whatever was on its way. */
    toStart(): Promise<never> {
      underWay = true;
      gone = true;
      window.location.replace('/');
      return forever();
    },

    /** Loads the page anew, whatever was on its way. */
    reload(): void {
      underWay = true;
      gone = true;
      window.location.reload();
    },
  };
}

/** The page is on its way to another address; nothing may go on in the meantime. */
export function forever<Result = never>(): Promise<Result> {
  return new Promise(() => {});
}

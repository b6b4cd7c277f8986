import { hashSecret, newSecret, type Account, type Store } from './store.ts';

/** An account signed in in a browser. Times are milliseconds. */
export type Session = { account: Account; authTime: number };

/** Returns whether a session satisfies `max_age`. */
export function isRecent({ authTime }: Session, maxAgeSeconds: number | undefined, now: number): boolean {
  return maxAgeSeconds === undefined || authTime + maxAgeSeconds * 1000 >= now;
}

/** A browser (cookie) can have several accounts, which B2C's account selection lists. */
export function openSessions(store: Store, now: () => number, lifetimeMilliseconds: number) {
  const browserOf = (cookie: string | undefined) => (cookie && store.sessions.get(hashSecret(cookie))) || [];

  return {
    /** Returns the accounts of a browser's cookie, latest sign-in first. */
    list(cookie: string | undefined): Session[] {
      return browserOf(cookie)
        .filter(({ expiresAt }) => expiresAt > now())
        .map(({ accountId, authTime }) => ({ account: store.accounts.get(accountId)!, authTime }))
        .sort((a, b) => b.authTime - a.authTime || a.account.emailKey.localeCompare(b.account.emailKey));
    },

    /** Signs an account in and returns a new cookie. The old cookie is never kept (session fixation). */
    start(oldCookie: string | undefined, accountId: string): { cookie: string; authTime: number } {
      const cookie = newSecret();
      const authTime = now();
      const others = browserOf(oldCookie).filter((one) => one.accountId !== accountId);
      if (oldCookie) store.sessions.delete(hashSecret(oldCookie));
      for (const [hash, signedIn] of store.sessions) {
        if (signedIn.every(({ expiresAt }) => expiresAt <= authTime)) store.sessions.delete(hash);
      }
      const expiresAt = authTime + lifetimeMilliseconds;
      store.sessions.set(hashSecret(cookie), [...others, { accountId, authTime, expiresAt }]);
      store.changed();
      return { cookie, authTime };
    },

    /** Extends the session: B2C's default is a rolling session. */
    extend(cookie: string, accountId: string): void {
      const signedIn = browserOf(cookie).find((one) => one.accountId === accountId);
      if (signedIn) signedIn.expiresAt = now() + lifetimeMilliseconds;
      store.changed();
    },

    /** Signs out all accounts of a browser. */
    end(cookie: string): void {
      store.sessions.delete(hashSecret(cookie));
      store.changed();
    },

    /** Signs out an account in all browsers. */
    endAll(accountId: string): void {
      for (const [hash, signedIn] of store.sessions) {
        store.sessions.set(
          hash,
          signedIn.filter((one) => one.accountId !== accountId),
        );
      }
      store.changed();
    },
  };
}

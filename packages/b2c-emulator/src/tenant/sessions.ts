import type { DatabaseSync } from 'node:sqlite';
import type { Account } from './accounts.ts';
import { hashSecret, newSecret } from './database.ts';

/** An account signed in in a browser. Times are milliseconds. */
export type Session = { account: Account; authTime: number };

/** A browser (cookie) can have several accounts, which B2C's account selection lists. */
export function openSessions(database: DatabaseSync, now: () => number, lifetimeMilliseconds: number) {
  const list = database.prepare(
    `select a.id, a.email, a.display_name as displayName, a.invitation_id as invitationId, s.auth_time as authTime
     from sessions s join accounts a on a.id = s.account_id
     where s.browser_hash = ? and s.expires_at > ? order by s.auth_time desc, a.email`,
  );
  const move = database.prepare('update sessions set browser_hash = ? where browser_hash = ?');
  const upsert = database.prepare(
    `insert into sessions (browser_hash, account_id, auth_time, expires_at) values (?, ?, ?, ?)
     on conflict do update set auth_time = excluded.auth_time, expires_at = excluded.expires_at`,
  );
  const extend = database.prepare(
    'update sessions set expires_at = ? where browser_hash = ? and account_id = ?',
  );
  const removeBrowser = database.prepare('delete from sessions where browser_hash = ?');
  const removeAccount = database.prepare('delete from sessions where account_id = ?');
  const removeExpired = database.prepare('delete from sessions where expires_at <= ?');

  return {
    /** Returns the accounts of a browser's cookie, latest sign-in first. */
    list(cookie: string | undefined): Session[] {
      if (!cookie) return [];
      const rows = list.all(hashSecret(cookie), now()) as (Account & { authTime: number })[];
      return rows.map(({ authTime, ...account }) => ({ account, authTime }));
    },

    /** Signs an account in and returns a new cookie. The old cookie is never kept (session fixation). */
    start(oldCookie: string | undefined, accountId: string): { cookie: string; authTime: number } {
      const cookie = newSecret();
      const authTime = now();
      removeExpired.run(authTime);
      if (oldCookie) move.run(hashSecret(cookie), hashSecret(oldCookie));
      upsert.run(hashSecret(cookie), accountId, authTime, authTime + lifetimeMilliseconds);
      return { cookie, authTime };
    },

    /** Extends the session: B2C's default is a rolling session. */
    extend(cookie: string, accountId: string): void {
      extend.run(now() + lifetimeMilliseconds, hashSecret(cookie), accountId);
    },

    /** Signs out all accounts of a browser. */
    end(cookie: string): void {
      removeBrowser.run(hashSecret(cookie));
    },

    /** Signs out an account in all browsers. */
    endAll(accountId: string): void {
      removeAccount.run(accountId);
    },
  };
}

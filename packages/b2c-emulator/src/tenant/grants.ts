/**
 * What people have granted: authorization codes and refresh tokens, each belonging to one grant, which is
 * the family that is revoked as a whole. Not for: the checks of a token request (token.ts).
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { hashSecret, newSecret } from './database.ts';

/** One sign-in of one client at one policy; times are milliseconds. */
export type Grant = {
  id: string;
  accountId: string;
  clientId: string;
  /** Policy name in lower case: code and refresh token can only be redeemed there. */
  policy: string;
  /** The scopes of the authorize request, separated by spaces. */
  scope: string;
  authTime: number;
  newUser: boolean;
  createdAt: number;
  /** When its refresh tokens end, however often they rotate: B2C does not slide those of a single-page app. */
  expiresAt: number;
  revokedAt: number | null;
};

/** What a new grant starts with. */
type NewGrant = Pick<Grant, 'accountId' | 'clientId' | 'policy' | 'scope' | 'authTime' | 'newUser'>;

/** What an authorization code is bound to. */
type CodeBinding = { redirectUri: string; codeChallenge: string; nonce: string | undefined };

/** A stored authorization code and its grant. */
type AuthorizationCode = {
  grant: Grant;
  redirectUri: string;
  codeChallenge: string;
  nonce: string | null;
  createdAt: number;
  expiresAt: number;
};

const deleteAfterMilliseconds = 7 * 86_400_000;

type GrantRow = Omit<Grant, 'newUser'> & { newUser: number };
type CodeRow = Omit<AuthorizationCode, 'grant'> & { grantId: string; isUsed: number };

/** The codes and refresh tokens of the tenant, on an open database. */
export function openGrants(
  database: DatabaseSync,
  now: () => number,
  lifetimes: { codeMilliseconds: number; refreshMilliseconds: number; graceMilliseconds: number },
) {
  const grantColumns = `g.id, g.account_id as accountId, g.client_id as clientId, g.policy, g.scope,
    g.auth_time as authTime, g.new_user as newUser, g.created_at as createdAt, g.expires_at as expiresAt,
    g.revoked_at as revokedAt`;
  const insertGrant = database.prepare(
    `insert into grants (id, account_id, client_id, policy, scope, auth_time, new_user, created_at, expires_at)
     values (:id, :accountId, :clientId, :policy, :scope, :authTime, :newUser, :at, :expiresAt)`,
  );
  const insertCode = database.prepare(
    `insert into authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, nonce, created_at, expires_at)
     values (:codeHash, :id, :redirectUri, :codeChallenge, :nonce, :at, :expiresAt)`,
  );
  const getGrant = database.prepare(`select ${grantColumns} from grants g where g.id = ?`);
  const getCode = database.prepare(
    `select grant_id as grantId, redirect_uri as redirectUri, code_challenge as codeChallenge, nonce,
       created_at as createdAt, expires_at as expiresAt, used_at is not null as isUsed
     from authorization_codes where code_hash = ?`,
  );
  const useCode = database.prepare(
    'update authorization_codes set used_at = ? where code_hash = ? and used_at is null returning 1',
  );
  const insertRefresh = database.prepare(
    'insert into refresh_tokens (token_hash, grant_id, created_at) values (?, ?, ?)',
  );
  const getRefresh = database.prepare('select * from refresh_tokens where token_hash = ?');
  const useRefresh = database.prepare(
    'update refresh_tokens set used_at = coalesce(used_at, ?) where token_hash = ? returning used_at as usedAt',
  );
  const revokeGrant = database.prepare('update grants set revoked_at = coalesce(revoked_at, ?) where id = ?');
  const revokeAccount = database.prepare(
    'update grants set revoked_at = coalesce(revoked_at, ?) where account_id = ?',
  );
  const forget = database.prepare('delete from grants where expires_at < ? and created_at < ?');

  const find = (id: string): Grant => {
    const row = getGrant.get(id) as GrantRow;
    return { ...row, newUser: row.newUser === 1 };
  };

  return {
    /** Starts a grant and gives its authorization code. */
    issueCode(grant: NewGrant, binding: CodeBinding): string {
      const at = now();
      forget.run(at - deleteAfterMilliseconds, at - deleteAfterMilliseconds);
      const id = randomUUID();
      const code = newSecret();
      insertGrant.run({
        ...grant,
        id,
        newUser: grant.newUser ? 1 : 0,
        at,
        expiresAt: at + lifetimes.refreshMilliseconds,
      });
      insertCode.run({
        ...binding,
        id,
        codeHash: hashSecret(code),
        nonce: binding.nonce ?? null,
        at,
        expiresAt: at + lifetimes.codeMilliseconds,
      });
      return code;
    },

    findCode(code: string): (AuthorizationCode & { used: boolean }) | undefined {
      const row = getCode.get(hashSecret(code)) as CodeRow | undefined;
      return row && { ...row, grant: find(row.grantId), used: row.isUsed === 1 };
    },

    /** False when the code was used before. */
    useCode: (code: string): boolean => useCode.get(now(), hashSecret(code)) !== undefined,

    issueRefreshToken(grantId: string): string {
      const token = newSecret();
      insertRefresh.run(hashSecret(token), grantId, now());
      return token;
    },

    findRefreshToken(token: string): Grant | undefined {
      const row = getRefresh.get(hashSecret(token)) as { grant_id: string } | undefined;
      return row && find(row.grant_id);
    },

    /**
     * Spends a refresh token. Tabs share one, so a second use within the grace is normal; false after it,
     * which is how a stolen token shows (RFC 9700 section 4.14.2).
     */
    useRefreshToken(token: string): boolean {
      const at = now();
      const { usedAt } = useRefresh.get(at, hashSecret(token)) as { usedAt: number };
      return usedAt === at || at - usedAt <= lifetimes.graceMilliseconds;
    },

    /** Ends all tokens of one grant. */
    revoke(grantId: string): void {
      revokeGrant.run(now(), grantId);
    },

    /** Ends all grants of an account. */
    revokeAll(accountId: string): void {
      revokeAccount.run(now(), accountId);
    },
  };
}

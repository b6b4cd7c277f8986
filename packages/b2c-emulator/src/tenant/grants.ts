/**
 * Authorization codes and refresh tokens. Each belongs to a grant, which is revoked as a whole. Token
 * requests are validated in token.ts.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { hashSecret, newSecret } from './database.ts';

/** One sign-in of a client at a policy. Times are milliseconds. */
export type Grant = {
  id: string;
  accountId: string;
  clientId: string;
  /** Name in lower case. Codes and refresh tokens can be redeemed at this policy only. */
  policy: string;
  /** Scopes of the authorize request, separated by spaces. */
  scope: string;
  authTime: number;
  newUser: boolean;
  createdAt: number;
  /** Expiry of its refresh tokens. Rotation does not extend it, as in B2C for single-page apps. */
  expiresAt: number;
  revokedAt: number | null;
};

type NewGrant = Pick<Grant, 'accountId' | 'clientId' | 'policy' | 'scope' | 'authTime' | 'newUser'>;

/** Values that the token request must match. */
type CodeBinding = { redirectUri: string; codeChallenge: string; nonce: string | undefined };

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
    /** Creates a grant and returns its authorization code. */
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

    /** Returns false if the code was already used. */
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
     * Marks a refresh token as used. Tabs share a token, so reuse within the grace period is allowed. Returns
     * false after it: the token may be stolen (RFC 9700 section 4.14.2).
     */
    useRefreshToken(token: string): boolean {
      const at = now();
      const { usedAt } = useRefresh.get(at, hashSecret(token)) as { usedAt: number };
      return usedAt === at || at - usedAt <= lifetimes.graceMilliseconds;
    },

    revoke(grantId: string): void {
      revokeGrant.run(now(), grantId);
    },

    /** Revokes all grants of an account. */
    revokeAll(accountId: string): void {
      revokeAccount.run(now(), accountId);
    },
  };
}

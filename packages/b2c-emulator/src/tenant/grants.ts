/** Grants with their authorization code and refresh tokens. Token requests are validated in token.ts. */
import { randomUUID } from 'node:crypto';
import { hashSecret, newSecret, type Grant, type Store } from './store.ts';

type NewGrant = Pick<Grant, 'accountId' | 'clientId' | 'policy' | 'scopes' | 'authTime' | 'newUser'>;
type CodeBinding = Pick<Grant['code'], 'redirectUri' | 'codeChallenge' | 'nonce'>;

/** Tabs share a refresh token, so a used one works for this time. */
const graceMilliseconds = 30_000;
const codeMilliseconds = 300_000;
const deleteAfterMilliseconds = 86_400_000;

export function openGrants(store: Store, now: () => number, refreshMilliseconds: number) {
  /** Codes and refresh tokens are `{grant id}.{secret}`. */
  const parse = (token: string) => {
    const [id = '', secret = ''] = token.split('.');
    return { grant: store.grants.get(id), hash: hashSecret(secret) };
  };

  return {
    /** Creates a grant and returns its authorization code. */
    issueCode(values: NewGrant, binding: CodeBinding): string {
      const at = now();
      for (const [id, { expiresAt }] of store.grants) {
        if (expiresAt + deleteAfterMilliseconds < at) store.grants.delete(id);
      }
      const [id, secret] = [randomUUID(), newSecret()];
      const code = { ...binding, hash: hashSecret(secret), expiresAt: at + codeMilliseconds, isUsed: false };
      const expiresAt = at + refreshMilliseconds;
      store.grants.set(id, {
        ...values,
        id,
        createdAt: at,
        expiresAt,
        isRevoked: false,
        code,
        refreshTokens: {},
      });
      store.changed();
      return `${id}.${secret}`;
    },

    findByCode(code: string): Grant | undefined {
      const { grant, hash } = parse(code);
      return grant?.code.hash === hash ? grant : undefined;
    },

    useCode(grant: Grant): void {
      grant.code.isUsed = true;
      store.changed();
    },

    issueRefreshToken(grant: Grant): string {
      const secret = newSecret();
      grant.refreshTokens[hashSecret(secret)] = null;
      store.changed();
      return `${grant.id}.${secret}`;
    },

    findByRefreshToken(token: string): Grant | undefined {
      const { grant, hash } = parse(token);
      return grant && hash in grant.refreshTokens ? grant : undefined;
    },

    /**
     * Marks a refresh token as used. Returns false after the grace period: the token may be stolen (RFC 9700 section
     * 4.14.2).
     */
    useRefreshToken(grant: Grant, token: string): boolean {
      const usedAt = (grant.refreshTokens[parse(token).hash] ??= now());
      store.changed();
      return now() - usedAt <= graceMilliseconds;
    },

    revoke(grant: Grant): void {
      grant.isRevoked = true;
      store.changed();
    },

    /** Revokes all grants of an account. */
    revokeAll(accountId: string): void {
      for (const grant of store.grants.values()) grant.isRevoked ||= grant.accountId === accountId;
      store.changed();
    },
  };
}

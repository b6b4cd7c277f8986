/** The emulated tenant: its configuration and its stores. All request handlers receive it. */
import {
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
} from 'jose';
import { createHintCheck } from '../authorize/id-token-hint.ts';
import { getErrorMessage } from '../b2c-error.ts';
import type { CheckedConfig, Client, Policy, PolicyConfig } from '../emulator-config.ts';
import { openAccounts } from './accounts.ts';
import { openSessions } from './sessions.ts';
import { openStore, type Store, hashSecret, newSecret, type Grant } from './store.ts';
import { createTransactions } from './transactions.ts';
import { randomUUID } from 'node:crypto';

export type TenantMail = { to: string; subject: string; text: string };

export type EmulatorDependencies = {
  sendMail(mail: TenantMail): Promise<void>;
  /** Returns the header of every page. `logo` is a URL. Default: the tenant's name. */
  brand?: () => Promise<{ name: string; logo: string | null }>;
  /** Returns milliseconds. */
  now?: () => number;
  log?: (line: string) => void;
  /** scrypt's N. Tests use a low value. A database file must keep the value it was created with. */
  passwordCost?: number;
  /** Key of a new tenant, which otherwise takes 50 ms to generate. */
  privateJwk?: JWK | undefined;
};

export type Tenant = Awaited<ReturnType<typeof openTenant>>;

/** Opens the stores and creates the configured accounts. */
export async function openTenant(config: CheckedConfig, deps: EmulatorDependencies) {
  const { now = Date.now, log = () => {} } = deps;
  const { lifetimes, tenantId: id } = config;
  const store = openStore(config.databaseFile);
  const accounts = openAccounts(store, deps.passwordCost);
  await Promise.all(
    config.people.map(async (one) => accounts.findByEmail(one.email) ?? accounts.create(one)),
  );
  const name = config.tenant.toLowerCase();
  const domain = `${name}.onmicrosoft.com`;
  const issuer = config.issuer ?? `https://${name}.b2clogin.com/${id}/v2.0/`;
  const scheme = config.tls ? 'https' : 'http';

  const tenant = {
    id,
    /** First path segment of every URL. */
    domain,
    /** Updated with every page. */
    brand: { name: config.tenant, logo: null as string | null },
    /** By name in lower case. */
    policies: new Map(
      Object.entries(config.policies).map(([policy, settings]) => [
        policy.toLowerCase(),
        toPolicy(policy, settings),
      ]),
    ),
    clients: new Map<string, Client>(
      config.clients.map((one) => [
        one.clientId,
        { ...one, postLogoutRedirectUris: one.postLogoutRedirectUris ?? one.redirectUris },
      ]),
    ),
    lifetimes,
    /** Origin used by browsers. Updated after listening on a free port. */
    publicUrl: new URL(config.publicUrl ?? `${scheme}://localhost:${config.port}`).origin,
    issuerOf: (policy: Policy) => issuer.replaceAll('{policy}', policy.path),
    /** In lower case, as MSAL compares URLs. */
    addressOf: (policy: Policy): string => `${tenant.publicUrl}/${domain}/${policy.path}`,
    store,
    accounts,
    sessions: openSessions(store, now, lifetimes.sessionSeconds * 1000),
    grants: openGrants(store, now, lifetimes.refreshTokenSeconds * 1000),
    transactions: createTransactions(now),
    checkHint: createHintCheck(config.hintIssuer, now, log),
    signingKey: await openSigningKey(store, deps.privateJwk),
    signInAttempts: createAttemptLimit(10, 5 * 60_000, now),
    now,
    log,
    /** Never rejects. */
    sendMail: (mail: TenantMail) =>
      deps
        .sendMail(mail)
        .catch((error: unknown) => log(`a mail could not be sent: ${getErrorMessage(error)}`)),
    close: () => store.save(),
  };
  store.save();
  return tenant;
}

/** B2C's user flows are named `B2C_1_…`; their sign-in pages use another element id. */
function toPolicy(name: string, config: PolicyConfig): Policy {
  const { kind, signInField } =
    typeof config === 'string' ? { kind: config, signInField: undefined } : config;
  const defaultField = /^b2c_1_/i.test(name) ? 'logonIdentifier' : 'email';
  return { name, path: name.toLowerCase(), kind, signInField: signInField ?? defaultField };
}

/** Returns the stored key; creates it at the first start. */
async function openSigningKey(store: Store, privateJwk?: JWK) {
  store.privateJwk ??= privateJwk;
  if (!store.privateJwk) {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(privateKey);
    store.privateJwk = { ...jwk, kid: await calculateJwkThumbprint(jwk) };
    store.changed();
  }
  const { kty, n, e, kid } = store.privateJwk;
  const key = await importJWK(store.privateJwk, 'RS256');
  return {
    publicJwk: { kty, n, e, kid, use: 'sig', alg: 'RS256' },
    /** RS256 with typ "JWT" for id tokens and access tokens, as in B2C. */
    sign: (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: kid!, typ: 'JWT' }).sign(key),
  };
}

/**
 * Limits attempts per key. After `most` attempts a key is locked for `lockMilliseconds`; the count expires
 * after the same time without attempts. Stored in memory; the oldest of 10,000 keys is evicted first.
 */
function createAttemptLimit(most: number, lockMilliseconds: number, now: () => number) {
  const entries = new Map<string, { count: number; until: number }>();
  return {
    /** Counts an attempt before it is made, so that concurrent attempts count too. Returns false if the key is locked. */
    take(key: string): boolean {
      const entry = entries.get(key);
      const count = (entry && entry.until > now() ? entry.count : 0) + 1;
      if (count > most) return false;
      entries.delete(key);
      entries.set(key, { count, until: now() + lockMilliseconds });
      if (entries.size > 10_000) entries.delete(entries.keys().next().value!);
      return true;
    },
    /** Resets a key after a successful attempt. */
    clear: (key: string) => entries.delete(key),
  };
}

type NewGrant = Pick<Grant, 'accountId' | 'clientId' | 'policy' | 'scopes' | 'authTime' | 'newUser'>;
type CodeBinding = Pick<Grant['code'], 'redirectUri' | 'codeChallenge' | 'nonce'>;

/** Tabs share a refresh token, so a used one works for this time. */
const graceMilliseconds = 30_000;
const codeMilliseconds = 300_000;
const deleteAfterMilliseconds = 86_400_000;

function openGrants(store: Store, now: () => number, refreshMilliseconds: number) {
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

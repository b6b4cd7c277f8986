/**
 * The tenant's data, in memory. With a file it is also stored as JSON, readable by its owner only. Secrets (codes,
 * refresh tokens, cookies) are stored as SHA-256 hashes. Times are milliseconds.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { JWK } from 'jose';

/** A local account. `id` is its object id. */
export type Account = {
  id: string;
  email: string;
  /** Lookup key of the address. */
  emailKey: string;
  displayName: string;
  /** `scrypt$salt$key`, both base64url. */
  passwordHash: string;
  /** `sub` and `jti` of the hint used at sign-up; each creates one account at most. */
  invitationId: string | null;
  hintId: string | null;
};

/** An account signed in in a browser. */
type SignedIn = { accountId: string; authTime: number; expiresAt: number };

/** One sign-in of a client at a policy. */
export type Grant = {
  id: string;
  accountId: string;
  clientId: string;
  /** Name in lower case. The code and refresh tokens can be redeemed at this policy only. */
  policy: string;
  scopes: string[];
  authTime: number;
  newUser: boolean;
  createdAt: number;
  /** Expiry of its refresh tokens. Rotation does not extend it, as in B2C for single-page apps. */
  expiresAt: number;
  isRevoked: boolean;
  /** With the values that the token request must match. */
  code: {
    hash: string;
    redirectUri: string;
    codeChallenge: string;
    nonce?: string | undefined;
    expiresAt: number;
    isUsed: boolean;
  };
  /** Time of the first use by hash; null for an unused token. */
  refreshTokens: Record<string, number | null>;
};

type Data = {
  privateJwk?: JWK;
  accounts: [id: string, Account][];
  /** By hash of the browser's cookie. */
  sessions: [hash: string, SignedIn[]][];
  grants: [id: string, Grant][];
};

export type Store = ReturnType<typeof openStore>;

export function openStore(file: string | undefined) {
  const data = file === undefined ? undefined : readData(file);
  let isChanged = false;
  const store = {
    privateJwk: data?.privateJwk,
    accounts: new Map(data?.accounts),
    sessions: new Map(data?.sessions),
    grants: new Map(data?.grants),
    /** Must be called after every change of the data. */
    changed(): void {
      isChanged = true;
    },
    /** Writes changed data. The file is replaced by a new one, so a crash leaves the complete old or new data. */
    save(): void {
      if (file === undefined || !isChanged) return;
      const { privateJwk, accounts, sessions, grants } = store;
      const text = JSON.stringify({
        privateJwk,
        accounts: [...accounts],
        sessions: [...sessions],
        grants: [...grants],
      });
      isChanged = false;
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
  return store;
}

const dataKeys = new Set(['privateJwk', 'accounts', 'sessions', 'grants']);

function readData(file: string): Data {
  const earlierFile = file.replace(/\.json$/, '.sqlite');
  if (existsSync(file)) {
    const text = readFileSync(file, 'utf8');
    const data = text.startsWith('{') ? (JSON.parse(text) as Data) : null;
    if (data && Object.keys(data).every((key) => dataKeys.has(key))) return data;
    // The file may be the configuration, which would be overwritten.
    throw new Error(
      `${file} is not a data file of this version. Set another databaseFile, or delete the file.`,
    );
  }
  const accounts = existsSync(earlierFile) ? readEarlierAccounts(earlierFile) : [];
  return { accounts, sessions: [], grants: [] };
}

/** Reads the accounts of version 1.0.0, which stored its data with SQLite. */
function readEarlierAccounts(file: string): [string, Account][] {
  const database = new DatabaseSync(file);
  const rows = database
    .prepare(
      `select id, email, email_key as emailKey, display_name as displayName, password_hash as passwordHash,
         invitation_id as invitationId, hint_id as hintId from accounts`,
    )
    .all() as Account[];
  database.close();
  return rows.map((account) => [account.id, { ...account }]);
}

/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

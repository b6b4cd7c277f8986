/**
 * SECRET, or a generated file in the data directory, and the site key: 32 random bytes created with the database, from which every other key is derived. The database stores
 * it encrypted with SECRET, so that neither is sufficient alone and a new SECRET does not invalidate derived keys.
 * While SECRET is being replaced, the site key is encrypted with both SECRETs, so that processes with either of them
 * can start; running processes hold the site key in memory.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execute, rowsOf, type Database, type Queryable } from '../database/database.ts';
import { createEncryption } from '../identity/encryption.ts';
import { StartUpError } from './start-up-error.ts';

/** SECRET, and SECRET_PREVIOUS while it is being replaced. */
export type Secrets = { current: Buffer; previous: Buffer | null };

type KeyRow = { secret_fingerprint: string; number: number; sealed_key: Buffer | null };

type DecryptedSite = {
  key: Buffer;
  /** Number of rows of earlier SECRETs that this call deleted. */
  deletedKeys: number;
};

/**
 * Creates the key of a new database, encrypts it for a new SECRET, and deletes the rows of earlier ones once
 * SECRET_PREVIOUS is not set. Throws a StartUpError if no secret decrypts it.
 */
export function decryptSiteKey(database: Database, secrets: Secrets): Promise<DecryptedSite> {
  return database.transaction(async (transaction) => {
    // Processes that start together create one key.
    await execute(transaction, 'lock table server_identity in share row exclusive mode');
    const rows = await readRows(transaction);
    const key = rows.length === 0 ? randomBytes(32) : findKey(rows, secrets);
    const newest = rows.at(-1)?.number ?? 0;
    const own = findRowOf(rows, secrets.current);
    const replaced = secrets.previous && findRowOf(rows, secrets.previous);
    // SECRET and SECRET_PREVIOUS were swapped: the operator reverts to the earlier SECRET, which becomes the newest row.
    if (!own || (replaced && replaced.number > own.number))
      await execute(transaction)`
        insert into server_identity (secret_fingerprint, number, sealed_key)
          values (${fingerprintOf(secrets.current)}, ${newest + 1},
          ${encryptionFor(secrets.current).encrypt(toBase64Url(key))})
        on conflict (secret_fingerprint) do update set number = excluded.number, sealed_key = excluded.sealed_key`;
    if (secrets.previous || !own) return { key, deletedKeys: 0 };
    // Deletes only older rows: this process may have been restarted with the earlier SECRET and must not delete the row
    // of the new one.
    const rowCount = await execute(transaction)`delete from server_identity where number < ${own.number}`;
    return { key, deletedKeys: rowCount ?? 0 };
  });
}

/** SQLSTATE of a table that does not exist: the database is empty. */
const undefinedTable = '42P01';

/** Reads the site key, for commands that run beside a server. Throws a StartUpError if no secret decrypts it. */
export async function readSiteKey(database: Queryable, secrets: Secrets): Promise<Buffer> {
  const rows = await readRows(database).catch((error: unknown) => {
    if ((error as { code?: string }).code === undefinedTable) return [];
    throw error;
  });
  if (rows.length === 0)
    throw new StartUpError(
      'No server has been started with this database yet. Start one first, or correct DATABASE_URL or DATA_DIR.',
    );
  return findKey(rows, secrets);
}

/** Returns the encrypted key in base64url, for use outside the database; null on a site from before 1.0.0, where SECRET is the key. */
export const readEncryptedKey = async (database: Queryable): Promise<string | null> =>
  (await readRows(database)).at(-1)?.sealed_key?.toString('base64url') ?? null;

/** Decrypts a result of `readEncryptedKey`; null if it was encrypted with another SECRET. */
export function decryptStoredKey(encrypted: string | null, { current, previous }: Secrets): Buffer | null {
  if (encrypted === null) return current;
  for (const secret of [current, previous])
    try {
      if (secret) return fromBase64Url(encryptionFor(secret).decrypt(Buffer.from(encrypted, 'base64url')));
    } catch {
      // Encrypted with the other secret.
    }
  return null;
}

const readRows = (database: Queryable) =>
  rowsOf<KeyRow>(database, {
    text: 'select secret_fingerprint, number, sealed_key from server_identity order by number',
  });

function findKey(rows: KeyRow[], { current, previous }: Secrets): Buffer {
  for (const secret of [current, previous]) {
    const row = secret && findRowOf(rows, secret);
    if (row)
      return row.sealed_key === null ? secret : fromBase64Url(encryptionFor(secret).decrypt(row.sealed_key));
  }
  throw new StartUpError(
    previous === null
      ? 'SECRET is not the one of this database. Set SECRET to that one (without SECRET, it is the file "secret" in the data directory of the first start); to replace it, set SECRET_PREVIOUS to that one as well.'
      : 'Neither SECRET nor SECRET_PREVIOUS is the one of this database. Set SECRET_PREVIOUS to that one (without SECRET, it was the file "secret" in the data directory of the first start).',
  );
}

/** Computes a fingerprint of SECRET, which selects the row that it can decrypt. */
const fingerprintOf = (secret: Buffer): string =>
  createHmac('sha256', secret).update('vestibule fingerprint').digest('base64url');

function findRowOf(rows: KeyRow[], secret: Buffer): KeyRow | undefined {
  const fingerprint = fingerprintOf(secret);
  return rows.find((row) => row.secret_fingerprint === fingerprint);
}

const encryptionFor = (secret: Buffer) => createEncryption(secret, 'vestibule site key');
const toBase64Url = (key: Buffer) => key.toString('base64url');
const fromBase64Url = (text: string) => Buffer.from(text, 'base64url');

const minSecretLength = 32;

/** Throws a StartUpError if the secret file can be neither read nor written. */
export function readServerSecret(configured: string | null, dataDirectory: string): Buffer {
  if (configured !== null) return Buffer.from(configured, 'utf8');
  const file = path.join(dataDirectory, 'secret');
  try {
    mkdirSync(dataDirectory, { recursive: true });
    if (!existsSync(file)) createSecretFile(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length < minSecretLength)
      throw new StartUpError(
        `${file} contains no secret. Restore it from a backup; if this installation is new, delete it.`,
      );
    return Buffer.from(secret, 'utf8');
  } catch (cause) {
    if (cause instanceof StartUpError) throw cause;
    throw new StartUpError(
      `${file} can be neither read nor written. Give this user write access to ${dataDirectory} (DATA_DIR), or set SECRET to a random text of ${minSecretLength} characters or more.`,
      { cause },
    );
  }
}

/** Returns the current and the previous secret. Throws as `readServerSecret` does. */
export const readServerSecrets = (config: {
  secret: string | null;
  previousSecret: string | null;
  dataDirectory: string;
}): Secrets => ({
  current: readServerSecret(config.secret, config.dataDirectory),
  previous: config.previousSecret === null ? null : Buffer.from(config.previousSecret, 'utf8'),
});

/** Creates the file atomically: a process that starts at the same time must not read a part of it, which would be another secret. */
function createSecretFile(file: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(unfinished, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(unfinished, file);
  } catch (error) {
    // Some file systems do not support hard links. There, the last process overwrites the file, and the others fail to
    // start, because the database was set up with another secret.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

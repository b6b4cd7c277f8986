/**
 * The server's secret: everything that must not be guessable is derived from it. SECRET names it; without, one is
 * made once and kept beside the data. The database remembers a fingerprint, so that a process with another secret
 * says so instead of handing out links that do not work.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Queryable } from '../database/database.ts';
import { StartUpError } from './start-up-error.ts';

const shortestSecret = 32;

/** Gives the secret as bytes. Throws StartUpError when its file can be neither read nor written. */
export function readServerSecret(given: string | null, dataDirectory: string): Buffer {
  if (given !== null) return Buffer.from(given, 'utf8');
  const file = path.join(dataDirectory, 'secret');
  try {
    mkdirSync(dataDirectory, { recursive: true });
    if (!existsSync(file)) makeSecretFile(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length < shortestSecret)
      throw new StartUpError(
        `${file} holds no secret. Restore it from a backup; if this installation is new, delete it.`,
      );
    return Buffer.from(secret, 'utf8');
  } catch (cause) {
    if (cause instanceof StartUpError) throw cause;
    throw new StartUpError(
      `${file} can be neither read nor written. Let this user write to ${dataDirectory}, or set SECRET to a random text of ${shortestSecret} characters or more.`,
      { cause },
    );
  }
}

/** Whole or not at all, also when several processes start at once: a half-written secret would be another one. */
function makeSecretFile(file: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(unfinished, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(unfinished, file);
  } catch (error) {
    // Some file systems know no links; there the last of several processes wins, and the database tells the others.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Makes sure that this database's links and keys were made with this secret. Throws StartUpError otherwise. */
export async function checkServerSecret(database: Queryable, secret: Buffer): Promise<void> {
  const fingerprint = createHmac('sha256', secret).update('vestibule fingerprint').digest('base64url');
  // Two statements: one alone would not see the row that another process is inserting at the same time.
  await database.query({
    text: 'insert into server_identity (secret_fingerprint) values ($1) on conflict do nothing',
    values: [fingerprint],
  });
  const { rows } = await database.query<{ secret_fingerprint: string }>({
    text: 'select secret_fingerprint from server_identity',
  });
  if (rows[0]?.secret_fingerprint !== fingerprint)
    throw new StartUpError(
      'SECRET is not the one this database was set up with: its invitation links and signing keys would stop working. Set SECRET to the first one (without SECRET, it is the file "secret" in the data directory of the first start).',
    );
}

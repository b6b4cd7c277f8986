/**
 * The server's secret: everything that must not be guessable is derived from it. SECRET names it; without, one is
 * made once and kept beside the data. The database remembers a fingerprint, so that a process with another secret
 * says so instead of handing out links that do not work.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Queryable } from '../database/database.ts';
import { StartUpError } from './start-up-error.ts';

/** Gives the secret as bytes. Throws StartUpError when its file can be neither read nor written. */
export function readServerSecret(given: string | null, dataDirectory: string): Buffer {
  if (given !== null) return Buffer.from(given, 'utf8');
  const file = path.join(dataDirectory, 'secret');
  try {
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new StartUpError(
        `${file} cannot be written. Let this user write to ${dataDirectory}, or set SECRET to a random text of 32 characters or more.`,
      );
  }
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'utf8');
}

/** Makes sure that this database's links and keys were made with this secret. Throws StartUpError otherwise. */
export async function checkServerSecret(database: Queryable, secret: Buffer): Promise<void> {
  const fingerprint = createHmac('sha256', secret).update('vestibule fingerprint').digest('base64url');
  const { rows } = await database.query<{ secret_fingerprint: string }>({
    text: `with made as (insert into server_identity (secret_fingerprint) values ($1) on conflict do nothing returning secret_fingerprint)
           select secret_fingerprint from made union all select secret_fingerprint from server_identity limit 1`,
    values: [fingerprint],
  });
  if (rows[0]?.secret_fingerprint !== fingerprint)
    throw new StartUpError(
      'SECRET is not the one this database was set up with: its invitation links and signing keys would stop working. Set SECRET to the first one (without SECRET, it is the file "secret" in the data directory of the first start).',
    );
}

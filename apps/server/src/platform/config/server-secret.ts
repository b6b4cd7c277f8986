/**
 * The server's secret, which decrypts the site key (site-key.ts): SECRET, or a generated file in the data directory.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Secrets } from './site-key.ts';
import { StartUpError } from './start-up-error.ts';

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
      `${file} can be neither read nor written. Give this user write access to ${dataDirectory}, or set SECRET to a random text of ${minSecretLength} characters or more.`,
      { cause },
    );
  }
}

/** Returns the current and the previous secret. Throws as `readServerSecret` does. */
export function readServerSecrets(config: {
  secret: string | null;
  previousSecret: string | null;
  dataDirectory: string;
}): Secrets {
  return {
    current: readServerSecret(config.secret, config.dataDirectory),
    previous: config.previousSecret === null ? null : Buffer.from(config.previousSecret, 'utf8'),
  };
}

/**
 * Creates the file atomically: a process that starts at the same time must not read a part of it, which would be
 * another secret.
 */
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

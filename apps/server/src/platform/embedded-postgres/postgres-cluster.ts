/**
 * Creates a cluster (PostgreSQL's term for a data directory), checks that the programs match its version and stores the
 * superuser's password next to it in `<name>.password`. Starts no server.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartUpError } from '../config/start-up-error.ts';
import { programFor, type PostgresLocation } from './data-location.ts';

/** Role that initdb creates. */
export const superuser = 'postgres';

/** Path of the password file. It may be deleted while the server is stopped: a new password is set at the next start. */
export const passwordFile = (dataDirectory: string): string => `${dataDirectory}.password`;

/** Throws a StartUpError with the upgrade steps if another major version of PostgreSQL wrote the data. */
export async function requireVersion({ dataDirectory, binaries }: PostgresLocation): Promise<void> {
  const written = (await readFile(`${dataDirectory}/PG_VERSION`, 'utf8')).trim();
  const major = binaries.version.split('.')[0];
  if (written === major) return;
  throw new StartUpError(
    `The data directory ${dataDirectory} was written by PostgreSQL ${written}; this Vestibule has PostgreSQL ${major}, which cannot read it. Make a backup with the Vestibule that wrote it (\`npm run backup -- FILE\`), rename this directory, restore the backup with this Vestibule (\`npm run restore -- FILE\`), and start it.`,
  );
}

/** Creates the cluster under a temporary name and renames it when complete, so that no partial cluster exists. */
export async function createCluster(place: PostgresLocation, durable: boolean): Promise<void> {
  const { dataDirectory } = place;
  if (existsSync(dataDirectory) && (await readdir(dataDirectory)).length > 0)
    throw new StartUpError(
      `The data directory ${dataDirectory} contains files but no database. Move them away, or set DATA_DIR to another directory.`,
    );
  const unfinished = `${dataDirectory}.creating`;
  await rm(unfinished, { recursive: true, force: true });
  await rm(passwordFile(dataDirectory), { force: true });
  try {
    await mkdir(unfinished, { mode: 0o700 });
    if (place.user) await chown(unfinished, place.user.uid, place.user.gid);
    await writePassword(place, createPassword());
    await runInitdb(place, unfinished, durable);
    await rename(unfinished, dataDirectory);
  } catch (cause) {
    const reason = findExitReason(String((cause as { stderr?: string }).stderr ?? cause));
    throw new StartUpError(`The database in ${dataDirectory} could not be created: ${reason}`, { cause });
  }
}

/** Extracts the reason for the exit from the output of initdb or PostgreSQL's log. */
export function findExitReason(output: string): string {
  const lines = output.trim().split('\n');
  const reason = lines.findLast((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(/^.*?\b(FATAL|PANIC|ERROR|error): */, '').replace(/\.?$/, '.');
}

async function runInitdb(place: PostgresLocation, directory: string, durable: boolean): Promise<void> {
  await run(place, place.binaries.initdb, [
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile(place.dataDirectory)}`,
    '--auth=scram-sha-256',
    // The same sort order on every system, independent of its locales.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
}

/** Sets a new password in single-user mode, which requires none and which only the owner of the files can start. */
export async function resetPassword(place: PostgresLocation): Promise<void> {
  const password = createPassword();
  await run(
    place,
    place.binaries.postgres,
    ['--single', '-D', place.dataDirectory, 'postgres'],
    `alter role ${superuser} password '${password}';\n`,
  );
  await writePassword(place, password);
}

function createPassword(): string {
  // base64url needs no escaping in SQL or in a URL.
  return randomBytes(24).toString('base64url');
}

async function writePassword({ dataDirectory, user }: PostgresLocation, password: string): Promise<void> {
  const path = passwordFile(dataDirectory);
  await writeFile(path, `${password}\n`, { mode: 0o600, flag: 'wx' });
  // initdb reads it as the database's user.
  if (user) await chown(path, user.uid, user.gid);
}

async function run(
  { runAs, dataDirectory }: PostgresLocation,
  program: string,
  parameters: string[],
  input = '',
): Promise<void> {
  const options = { ...runAs.options, cwd: dirname(dataDirectory) };
  const running = promisify(execFile)(...programFor(runAs, program, parameters), options);
  // A program that exits without reading its input reports the reason itself.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  await running;
}

/**
 * Finds the process that uses a data directory, from PostgreSQL's lock file `postmaster.pid`. PostgreSQL replaces the
 * file of a dead process; this module handles a process id that was reused, and a server whose Vestibule was killed.
 */
import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartUpError } from '../config/start-up-error.ts';

/** Contents of `postmaster.pid`: https://www.postgresql.org/docs/current/storage-file-layout.html */
type PostmasterFile = { pid: number; port: number; ready: boolean };

const endingTimeoutMs = 10_000;

/** PostgreSQL setting with the id of the Vestibule process that owns a server; visible in the server's command line. */
export const ownerSetting = 'vestibule.owner';

/** Reads the lock file of a data directory; undefined if there is none. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | undefined> {
  const lines = (await readText(join(dataDirectory, 'postmaster.pid'))).split('\n');
  if (lines.length < 4) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** Throws a StartUpError with the process id if a PostgreSQL uses the data directory. */
export async function requireUnusedDirectory(dataDirectory: string): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file === undefined || !isAlive(file.pid)) return;
  const command = await readCommand(file.pid);
  const owner = Number.parseInt(command.split(`${ownerSetting}=`)[1] ?? '', 10);
  // A server started manually may not name its directory in full; assume that it uses this one.
  if (!command.includes('postgres') || (owner && !command.includes(dataDirectory)))
    return await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
  if (owner && isAlive(owner)) throw inUse(dataDirectory, owner);
  // The Vestibule of this PostgreSQL was killed, and PostgreSQL is stopping.
  const deadline = performance.now() + endingTimeoutMs;
  while (isAlive(file.pid)) {
    if (performance.now() > deadline) throw inUse(dataDirectory, file.pid);
    await delay(20);
  }
}

function inUse(dataDirectory: string, pid: number): StartUpError {
  return new StartUpError(
    `The data directory ${dataDirectory} is in use by another Vestibule (process ${pid}). Stop it, or set DATA_DIR to another directory.`,
  );
}

/** Returns whether the process exists, including one that may not be signalled. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the command line of a process, empty for an ended one. Slim container images have no `ps`. */
async function readCommand(pid: number): Promise<string> {
  // Windows does not provide it.
  if (process.platform === 'win32') return 'postgres';
  if (process.platform === 'linux') return (await readText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ');
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

const readText = (path: string) => readFile(path, 'utf8').catch(() => '');

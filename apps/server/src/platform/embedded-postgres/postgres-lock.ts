/**
 * Finds the process that uses a data directory, from PostgreSQL's lock file `postmaster.pid`. PostgreSQL replaces the
 * file of a dead process; this module handles the other cases: a process id that was reused, and a server that is about
 * to stop because its Vestibule was killed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  try {
    const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/** Throws a StartUpError with the process id if a PostgreSQL uses the data directory. */
export async function requireUnusedDirectory(dataDirectory: string): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file === undefined || !isAlive(file.pid)) return;
  const command = readCommand(file.pid);
  if (command !== undefined && !isServerOf(command, dataDirectory)) {
    await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
    return;
  }
  const owner = findOwner(command);
  if (owner !== undefined && isAlive(owner)) throw inUse(dataDirectory, owner);
  // The Vestibule of this PostgreSQL has ended, so PostgreSQL has to stop too. (Windows has no SIGINT, and the owner
  // cannot be read there.)
  if (owner !== undefined) signal(file.pid, 'SIGINT');
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

function isServerOf(command: string, dataDirectory: string): boolean {
  if (!command.includes('postgres')) return false;
  // A server started manually may not name its directory in full; assume that it uses this one.
  return !command.includes(`${ownerSetting}=`) || command.includes(dataDirectory);
}

function findOwner(command: string | undefined): number | undefined {
  const owner = command?.split(`${ownerSetting}=`)[1];
  return owner === undefined ? undefined : Number.parseInt(owner, 10);
}

export function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

/** Sends a signal (0 sends none). Returns whether the process exists, including one that may not be signalled. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns the command line of a process; undefined where the system does not provide it, empty for an ended process.
 */
function readCommand(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined;
  // Slim container images have no `ps`.
  if (process.platform === 'linux') return readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

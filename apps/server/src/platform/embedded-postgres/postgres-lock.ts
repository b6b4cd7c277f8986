/**
 * Who is using a data directory, read from PostgreSQL's own lock file `postmaster.pid`. PostgreSQL itself replaces
 * the file of a dead process; here the cases are treated that it cannot know: a process number that now belongs
 * to something else, and a server whose Vestibule was killed and that is about to end.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartUpError } from '../config/start-up-error.ts';

/** What `postmaster.pid` says: https://www.postgresql.org/docs/current/storage-file-layout.html */
type PostmasterFile = { pid: number; port: number; ready: boolean };

const endingTimeoutMs = 10_000;

/** The setting that tells which Vestibule process a PostgreSQL belongs to: it shows in its command line. */
export const ownerSetting = 'vestibule.owner';

/** Reads the lock file of a data directory; undefined when there is none. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | undefined> {
  try {
    const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/** Makes sure that no PostgreSQL uses the data directory, or throws a StartUpError naming the process that does. */
export async function requireUnused(dataDirectory: string): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file === undefined || !isAlive(file.pid)) return;
  const command = readCommand(file.pid);
  if (command !== undefined && !isServerOf(command, dataDirectory)) {
    await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
    return;
  }
  const owner = findOwner(command);
  if (owner !== undefined && isAlive(owner)) throw inUse(dataDirectory, owner);
  // Its Vestibule is gone, so it is ending or should be. (Windows has no SIGINT to send, and no owner to read.)
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
  // A server that somebody started by hand does not name its directory in full: better to take it for ours.
  return !command.includes(`${ownerSetting}=`) || command.includes(dataDirectory);
}

function findOwner(command: string | undefined): number | undefined {
  const owner = command?.split(`${ownerSetting}=`)[1];
  return owner === undefined ? undefined : Number.parseInt(owner, 10);
}

/** Whether there is a process with this number. */
export function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

/** Sends a signal (0 sends none); answers whether there is such a process, also one that we may not signal. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process, or undefined where the system does not tell. Empty for one that has ended. */
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

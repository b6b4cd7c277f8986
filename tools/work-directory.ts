/**
 * Where the tests write. They make hundreds of databases, each of hundreds of small files, so that on a disk half of their
 * time is file work: in memory, where there is enough of it.
 */
import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Several times what they were seen to need at once. */
const bytesNeeded = 4e9;

/** A new directory, and the variable that makes the tests use it. Whoever set TMPDIR has chosen already. */
export async function makeWorkDirectory(): Promise<{ directory: string; environment: NodeJS.ProcessEnv }> {
  const inMemory = process.env['TMPDIR'] === undefined && (await holdsTests());
  const directory = await mkdtemp(path.join(inMemory ? memory : tmpdir(), 'vestibule-checks-'));
  // Like the system's own: as root, PostgreSQL runs as another user.
  await chmod(directory, 0o1777);
  return { directory, environment: inMemory ? { TMPDIR: directory } : {} };
}

/** Containers have little of it, or let no program run there. */
async function holdsTests(): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const [, options] = mounts.match(/^\S+ \/dev\/shm tmpfs (\S+)/m) ?? [];
  if (options === undefined || /\b(?:noexec|ro)\b/.test(options)) return false;
  const { bavail, bsize } = await statfs(memory);
  return Math.min(bavail * bsize, freemem()) > bytesNeeded;
}

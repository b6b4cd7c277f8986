/**
 * Work directory of the tests. They create hundreds of databases with many small files; on a disk this takes half of the time, so
 * use memory if there is enough.
 */
import { chmod, mkdtemp, readFile, stat, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Several times the observed maximum. */
const bytesNeeded = 4e9;

/**
 * Creates a directory and returns the variable that makes tests use it. TMPDIR has precedence, unless only root may enter it: as
 * root, PostgreSQL runs as another user.
 */
export async function createWorkDirectory(): Promise<{ directory: string; environment: NodeJS.ProcessEnv }> {
  const chosen = process.env['TMPDIR'];
  const isUsable = process.getuid?.() !== 0 || (await isEnterableByAll(tmpdir()));
  const inMemory = (chosen === undefined || !isUsable) && (await hasEnoughMemory());
  const elsewhere = inMemory ? memory : isUsable ? undefined : '/tmp';
  const directory = await mkdtemp(path.join(elsewhere ?? tmpdir(), 'vestibule-checks-'));
  await chmod(directory, 0o1777);
  return { directory, environment: elsewhere === undefined ? {} : { TMPDIR: directory } };
}

/** Returns whether all users may enter a directory and its parents. */
async function isEnterableByAll(directory: string): Promise<boolean> {
  const isOpen = ((await stat(directory)).mode & 0o001) !== 0;
  const above = path.dirname(directory);
  return isOpen && (above === directory || isEnterableByAll(above));
}

/** Returns whether /dev/shm is large enough and allows programs; in containers it often is not. */
async function hasEnoughMemory(): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const [, options] = mounts.match(/^\S+ \/dev\/shm tmpfs (\S+)/m) ?? [];
  if (options === undefined || /\b(?:noexec|ro)\b/.test(options)) return false;
  const { bavail, bsize } = await statfs(memory);
  return Math.min(bavail * bsize, freemem()) > bytesNeeded;
}

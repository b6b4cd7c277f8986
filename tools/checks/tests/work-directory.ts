/**
 * Where the tests write. They make hundreds of databases, each of hundreds of small files, so that on a disk half of their
 * time is file work: in memory, where there is enough of it.
 */
import { chmod, mkdtemp, readFile, stat, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Several times what they were seen to need at once. */
const bytesNeeded = 4e9;

/**
 * A new directory, and the variable that makes the tests use it. Whoever set TMPDIR has chosen already, unless only root
 * may enter there: as root, PostgreSQL runs as another user.
 */
export async function makeWorkDirectory(): Promise<{ directory: string; environment: NodeJS.ProcessEnv }> {
  const chosen = process.env['TMPDIR'];
  const isUsable = process.getuid?.() !== 0 || (await mayBeEntered(tmpdir()));
  const inMemory = (chosen === undefined || !isUsable) && (await holdsTests());
  const elsewhere = inMemory ? memory : isUsable ? undefined : '/tmp';
  const directory = await mkdtemp(path.join(elsewhere ?? tmpdir(), 'vestibule-checks-'));
  // Like the system's own: everybody may write, and delete what is theirs.
  await chmod(directory, 0o1777);
  return { directory, environment: elsewhere === undefined ? {} : { TMPDIR: directory } };
}

/** Whether everybody may enter a directory, and so all of those above it. */
async function mayBeEntered(directory: string): Promise<boolean> {
  const isOpen = ((await stat(directory)).mode & 0o001) !== 0;
  const above = path.dirname(directory);
  return isOpen && (above === directory || mayBeEntered(above));
}

/** Containers have little of it, or let no program run there. */
async function holdsTests(): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  const [, options] = mounts.match(/^\S+ \/dev\/shm tmpfs (\S+)/m) ?? [];
  if (options === undefined || /\b(?:noexec|ro)\b/.test(options)) return false;
  const { bavail, bsize } = await statfs(memory);
  return Math.min(bavail * bsize, freemem()) > bytesNeeded;
}

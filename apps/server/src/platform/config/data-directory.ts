/** Restricts DATA_DIR, which holds secrets, a log and users' files, to the user that runs the server. */
import fs from 'node:fs';
import path from 'node:path';
import { StartUpError } from './start-up-error.ts';

/**
 * Creates or tightens the directory, and sets the umask so that new files are 0600 and directories 0700. Throws a StartUpError if the
 * directory cannot be created. A read-only directory is refused if it has the embedded database; otherwise it fails at its first use.
 */
export function prepareDataDirectory(directory: string, { hasDatabase }: { hasDatabase: boolean }): void {
  try {
    // As root, the database runs as another user.
    const mode = hasDatabase && process.getuid?.() === 0 ? 0o711 : 0o700;
    makeDirectory(directory, mode);
    tighten(directory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM')
      throw new StartUpError(
        `DATA_DIR cannot be created at ${directory} (${code}). Choose a directory that this user can write to.`,
        { cause },
      );
  }
  if (hasDatabase) requireWritable(directory);
  process.umask(0o077);
}

function requireWritable(directory: string): void {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw new StartUpError(
      `This user cannot write to the data directory ${directory}. Give the user write access, or set DATA_DIR to another directory.`,
      { cause },
    );
  }
}

/**
 * Removes the permissions of other users, except from mounts that belong to another user and from shared directories
 * such as /tmp. Keeps the execute bit, which an earlier embedded database may need.
 */
function tighten(directory: string): void {
  const found = fs.statSync(directory);
  const isShared = (found.mode & 0o1000) !== 0;
  if (found.uid !== process.getuid?.() || isShared || (found.mode & 0o066) === 0) return;
  try {
    fs.chmodSync(directory, found.mode & 0o7777 & ~0o066);
  } catch {
    // Some mounts do not support modes.
  }
}

/** Creates parents one at a time: Node's recursive mkdir never returns below /proc. */
function makeDirectory(directory: string, mode: number): void {
  if (fs.existsSync(directory)) return;
  makeDirectory(path.dirname(directory), mode);
  try {
    fs.mkdirSync(directory, { mode });
  } catch (error) {
    // Another process created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

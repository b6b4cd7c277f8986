/** DATA_DIR holds secrets, a log and everybody's files: whoever else works on this machine reads none of it. */
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartUpError } from './start-up-error.ts';

/** Whose modes earlier versions left to the umask. */
const logName = 'server.log';

/**
 * Makes the directory, or tightens the one that is there, and lets everything that this process makes from now on be its user's alone: files 0600, directories
 * 0700. `mayBeEntered`: the database runs as another user, who passes through to a directory of its own. Throws a StartUpError
 * where there can be no directory at all; one that may not be written to is left to whoever needs it.
 */
export function prepareDataDirectory(directory: string, { mayBeEntered }: { mayBeEntered: boolean }): void {
  try {
    const mode = mayBeEntered ? 0o711 : 0o700;
    makeDirectory(directory, mode);
    tighten(directory, 0o066);
    const log = path.join(directory, logName);
    if (existsSync(log)) tighten(log, 0o077);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM')
      throw new StartUpError(
        `DATA_DIR cannot be created at ${directory} (${code}). Choose a directory that this user can write to.`,
        { cause },
      );
  }
  process.umask(0o077);
}

/**
 * Takes away from one that was there before what others may do, but neither from what another user mounted here nor from what is
 * shared on purpose, such as /tmp. Passing through a directory stays: an embedded database of before needs it, should it come back.
 */
function tighten(place: string, others: number): void {
  const found = statSync(place);
  const isShared = (found.mode & 0o1000) !== 0;
  if (found.uid !== process.getuid?.() || isShared || (found.mode & others) === 0) return;
  try {
    chmodSync(place, found.mode & 0o7777 & ~others);
  } catch {
    // Not every mount keeps modes.
  }
}

/** Each directory by itself: Node's own way of making all at once never ends below /proc. */
function makeDirectory(directory: string, mode: number): void {
  if (existsSync(directory)) return;
  makeDirectory(path.dirname(directory), mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Made by another process meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

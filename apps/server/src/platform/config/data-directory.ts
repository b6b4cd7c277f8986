/** DATA_DIR holds secrets, a log and everybody's files: whoever else works on this machine reads none of it. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** Whose modes earlier versions left to the umask. */
const logName = 'server.log';

/**
 * Makes the directory, and lets everything that this process makes from now on be its user's alone: files 0600, directories
 * 0700. `mayBeEntered`: the database runs as another user, who passes through to a directory of its own.
 */
export function prepareDataDirectory(directory: string, { mayBeEntered }: { mayBeEntered: boolean }): void {
  try {
    mkdirSync(directory, { recursive: true, mode: mayBeEntered ? 0o711 : 0o700 });
    const log = path.join(directory, logName);
    if (existsSync(log)) chmodSync(log, 0o600);
  } catch {
    // Whoever needs the directory says so in its own words; with SECRET, a database and a storage elsewhere nobody does.
  }
  process.umask(0o077);
}

/** Names of backups in a directory: the time of the backup. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

/** Also matches the partial file of a backup whose process was killed, but no copy that an operator has named otherwise. */
const backupName = /^\d{4}-\d{2}-\d{2}T\d{4}\.backup(?:\.[0-9a-f]{8}\.partial)?$/;

/** Returns the file of a backup. If `place` is a directory or ends in /, the file in it is named after the time. */
export function fileAt(place: string, moment: Date): string {
  if (place.endsWith('/')) mkdirSync(place, { recursive: true });
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return place;
  return path.join(place, `${moment.toISOString().slice(0, 16).replace(':', '')}.backup`);
}

/** Deletes all backups in the directory that are older than the newest `count` ones. Returns their names. */
export function deleteOldBackups(directory: string, count: number): string[] {
  const names = readdirSync(directory).filter((name) => backupName.test(name));
  const oldestKept = names
    .filter((name) => name.endsWith('.backup'))
    .toSorted()
    .at(-count);
  const deleted = oldestKept === undefined ? [] : names.filter((name) => name < oldestKept).toSorted();
  for (const name of deleted) rmSync(path.join(directory, name));
  return deleted;
}

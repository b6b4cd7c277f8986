/**
 * Loads a team's extensions, one file each in `apps/server/src/rooms`, so that they require no change to Vestibule's
 * files. Vestibule's features are listed in app.ts.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Area } from '../area.ts';
import { StartUpError } from '../config/start-up-error.ts';
import type { Basics } from '../database/database.ts';
import type { ExportList } from '../export/export-list.ts';

/** Dependencies passed to an extension; they exclude secrets and keys. */
export type RoomDependencies = Basics & {
  exportList: ExportList;
};

/** Default export of an extension's file. */
type Room = (deps: RoomDependencies) => Area;

/**
 * Loads the extensions in `directory`, by name; none if the directory is missing. Throws a StartUpError for an invalid
 * file.
 */
export async function openRooms(directory: string, deps: RoomDependencies): Promise<Area[]> {
  const rooms: Area[] = [];
  for (const file of await listRooms(directory)) {
    const { default: room } = (await import(pathToFileURL(path.join(directory, file)).href)) as {
      default?: Room;
    };
    if (typeof room !== 'function')
      throw new StartUpError(
        `The room ${file} has no default export. It begins like this: export default function orders({ database }: RoomDependencies): Area`,
      );
    const area = room(deps);
    if (!Array.isArray(area.routes))
      throw new StartUpError(`The room ${file} returns no routes. It ends like this: return { routes: […] }`);
    rooms.push(area);
  }
  return rooms;
}

/** Skips tests and folders with helper files. */
async function listRooms(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /^[\w-]+\.ts$/.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Rooms: what a team puts behind the door, a file each in `apps/server/src/rooms`. They are found there, so that nothing of
 * Vestibule's own is edited for them. Vestibule's own areas are features, and listed in app.ts.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Area } from '../area.ts';
import { StartUpError } from '../config/start-up-error.ts';
import type { Basics } from '../database/database.ts';
import type { ExportList } from '../export/export-list.ts';

/** What a room is given: the door's secrets and keys are not among it. */
export type RoomDependencies = Basics & {
  exportList: ExportList;
};

/** What the file of a room exports as its default. */
type Room = (deps: RoomDependencies) => Area;

/** Opens the rooms in `directory`, by name. Without a directory there are none. Throws a StartUpError for a file that is none. */
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

/** Their tests, and folders with what they are made of, stand beside them. */
async function listRooms(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /^[\w-]+\.ts$/.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

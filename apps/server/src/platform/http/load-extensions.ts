/**
 * Loads a team's extensions, one file each in `apps/server/src/extensions`, so that they require no change to Vestibule's
 * files. Vestibule's features are listed in app.ts.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Area } from '../area.ts';
import { StartUpError } from '../config/start-up-error.ts';
import type { CoreDeps } from '../database/database.ts';
import type { ExportList } from '../export/export-list.ts';

/** Dependencies passed to an extension; they exclude secrets and keys. */
export type ExtensionContext = CoreDeps & {
  exportList: ExportList;
};

/** Default export of an extension's file. */
type Extension = (deps: ExtensionContext) => Area;

/**
 * Loads the extensions in `directory` in alphabetical order. Returns an empty list if the directory is missing. Throws a
 * StartUpError for an invalid file.
 */
export async function loadExtensions(directory: string, deps: ExtensionContext): Promise<Area[]> {
  const areas: Area[] = [];
  for (const file of await listExtensions(directory)) {
    const { default: extension } = (await import(pathToFileURL(path.join(directory, file)).href)) as {
      default?: Extension;
    };
    if (typeof extension !== 'function')
      throw new StartUpError(
        `The extension ${file} has no default export. It begins like this: export default function orders({ database }: ExtensionContext): Area`,
      );
    const area = extension(deps);
    if (!Array.isArray(area.routes))
      throw new StartUpError(
        `The extension ${file} returns no routes. It ends like this: return { routes: […] }`,
      );
    areas.push(area);
  }
  return areas;
}

/** Skips tests and folders with helper files. */
async function listExtensions(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /^[\w-]+\.ts$/.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Loads extensions from a directory: a folder with `extension.ts` for each, whose default export is defined with
 * `defineExtension`. A single file is loaded too; its default export may be a function that returns an area, the form of
 * extensions in version 1.0.0. Vestibule's features are listed in app.ts.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Area } from '../area.ts';
import { StartUpError } from '../config/start-up-error.ts';
import type { ExtensionMigrations } from '../database/migrate.ts';
import { checkExtension, checkExtensions } from './check-extensions.ts';
import {
  extensionApiVersion,
  type AreaFunction,
  type Extension,
  type ExtensionContext,
  type LoadedExtension,
} from './extension.ts';
import { guide } from './guide.ts';
import { checkReferences } from './personal-data.ts';

/**
 * Loads the extensions in `directory` in alphabetical order. Returns an empty list if the directory is missing. Throws a
 * StartUpError that names the file of an invalid extension.
 */
export async function loadExtensions(directory: string): Promise<LoadedExtension[]> {
  const extensions: LoadedExtension[] = [];
  for (const file of await listExtensions(directory))
    extensions.push(readExtension(file, await importDefault(path.join(directory, file), file)));
  checkExtensions(extensions);
  return extensions;
}

/** Returns the folders of migrations, with the check of the tables that they create. */
export const migrationsOf = (extensions: readonly LoadedExtension[]): ExtensionMigrations[] =>
  extensions.flatMap(({ name, definition }) =>
    definition?.migrations
      ? {
          name,
          directory: fileURLToPath(definition.migrations),
          check: (transaction) => checkReferences(transaction, name, definition),
          tablesWithFiles: Object.entries(definition.files ?? {}).map(([type, { table }]) => ({
            type,
            table,
          })),
        }
      : [],
  );

async function importDefault(file: string, name: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (cause) {
    throw (await missingExport(file, name, cause)) ?? startError(name, cause);
  }
}

/**
 * Returns the error of an extension that imports something that this version does not have. Such a module cannot be loaded: the
 * version that it requires is read from its text.
 */
async function missingExport(file: string, name: string, cause: unknown): Promise<StartUpError | undefined> {
  const [, entry, missing] =
    /'(@vestibule\/[^']+)' does not provide an export named '([^']+)'/.exec(String(cause)) ?? [];
  if (missing === undefined) return undefined;
  const [, range = 'unknown'] = /\brequires:\s*['"]([^'"]+)/.exec(await readFile(file, 'utf8')) ?? [];
  return new StartUpError(
    `The extension ${name} imports ${missing}, which ${entry} does not have. It requires version ${range} of the extension API; this server has ${extensionApiVersion}. ${guide} lists the versions.`,
    { cause },
  );
}

function readExtension(file: string, exported: unknown): LoadedExtension {
  if (typeof exported === 'function') {
    const name = path.basename(file).replace(/\.\w+$/, '');
    return { name, file, createArea: (context) => callAreaFunction(file, exported as AreaFunction, context) };
  }
  if (typeof exported !== 'object' || exported === null)
    throw new StartUpError(
      `The extension ${file} has no default export. It begins like this: export default defineExtension({ name: 'orders', … }). ${guide} describes it.`,
    );
  const definition = exported as Extension;
  checkExtension(file, definition);
  const { name } = definition;
  return { name, file, definition, createArea: (context) => createArea(file, definition, context) };
}

function createArea(file: string, definition: Extension, context: ExtensionContext): Area {
  const { name, plugin, permissions = [] } = definition;
  try {
    return {
      extension: name,
      routes: definition.routes?.(context) ?? [],
      permissions,
      measures: definition.measures?.(context) ?? [],
      ...(plugin && { plugin: (app) => plugin(app, context) }),
    };
  } catch (cause) {
    throw startError(file, cause);
  }
}

function callAreaFunction(file: string, create: AreaFunction, context: ExtensionContext): Area {
  let area: Area;
  try {
    area = create(context);
  } catch (cause) {
    throw startError(file, cause);
  }
  if (!Array.isArray(area.routes))
    throw new StartUpError(
      `The extension ${file} returns no routes. It ends like this: return { routes: […] }`,
    );
  return { ...area, extension: path.basename(file).replace(/\.\w+$/, '') };
}

const startError = (file: string, cause: unknown) =>
  new StartUpError(
    `The extension ${file} failed at the start: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    { cause },
  );

/** Returns files and `extension.ts` of folders. Skips tests, declarations, and folders with helper files. */
async function listExtensions(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .flatMap((entry) => {
        if (!entry.isDirectory()) return /^[\w-]+\.[jt]s$/.test(entry.name) ? entry.name : [];
        const files = ['ts', 'js'].map((ending) => path.join(entry.name, `extension.${ending}`));
        return files.find((file) => existsSync(path.join(directory, file))) ?? [];
      })
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Files of the extensions of a project, or of the checkout. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Directory of the project, set by the command line `vestibule`. Undefined in the checkout. */
const project = process.env['VESTIBULE_PROJECT'];

/** Directory with one folder per extension. */
export const extensionsDirectory = project
  ? path.join(project, 'extensions')
  : path.join(import.meta.dirname, '../server/src/extensions');

/** Returns the paths of a file in all extensions that have it. */
export function extensionFiles(name: string, directory = extensionsDirectory): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .toSorted()
    .map((extension) => path.join(directory, extension, name))
    .filter((file) => existsSync(file));
}

/** Returns the modules with the definitions of extensions: `extension.ts` of each folder, and single files. */
export function definitionFiles(directory = extensionsDirectory): string[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory)
    .toSorted()
    .filter((name) => /^[\w-]+\.[jt]s$/.test(name))
    .map((name) => path.join(directory, name));
  return [...['extension.ts', 'extension.js'].flatMap((name) => extensionFiles(name, directory)), ...files];
}

/** Returns the name of the extension's folder that contains a module; undefined for modules of the product. */
export function extensionOf(module: string): string | undefined {
  if (!module.startsWith(extensionsDirectory)) return undefined;
  return path.relative(extensionsDirectory, module).split(path.sep)[0];
}

/** Imports a module by its path, which may contain characters that a URL encodes, such as %. */
export const importFile = async (file: string) =>
  (await import(pathToFileURL(file).href)) as Record<string, unknown>;

/** Files of the extensions of a project. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Directory of the project, set by the command line `vestibule`. Undefined in the checkout. */
const project = process.env['VESTIBULE_PROJECT'];

/** Directory with one folder per extension. */
export const extensionsDirectory = project ? path.join(project, 'extensions') : undefined;

/** Returns the paths of a file in all extensions that have it. */
export function extensionFiles(name: string, directory = extensionsDirectory): string[] {
  if (!directory || !existsSync(directory)) return [];
  return readdirSync(directory)
    .toSorted()
    .map((extension) => path.join(directory, extension, name))
    .filter((file) => existsSync(file));
}

/** Returns the name of the extension's folder that contains a module; undefined for modules of the product. */
export function extensionOf(module: string): string | undefined {
  if (!extensionsDirectory || !module.startsWith(extensionsDirectory)) return undefined;
  return path.relative(extensionsDirectory, module).split(path.sep)[0];
}

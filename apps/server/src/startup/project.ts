/** Directories of the project that the server runs: a portal, or this checkout. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { StartUpError } from '../platform/config/start-up-error.ts';

type Project = {
  extensionsDirectory: string;
  /** Directory of the built web application. */
  webDirectory: string;
  /** Parameters of the command without `--project`. */
  parameters: string[];
};

const source = path.dirname(import.meta.dirname);

export const checkoutExtensions = path.join(source, 'extensions');

/** Reads `--project DIRECTORY`, the directory of a portal. Without it, the project is the checkout. */
export function readProject(given: string[]): Project {
  const { values, tokens } = parseArgs({
    args: given,
    options: { project: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  if (values.project === undefined)
    return {
      extensionsDirectory: checkoutExtensions,
      webDirectory: path.join(source, '..', '..', 'web', 'dist'),
      parameters: given,
    };
  const directory = path.resolve(String(values.project));
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new StartUpError(`--project names ${directory}, which is not a directory.`);
  const own = tokens.find((token) => token.kind === 'option' && token.name === 'project');
  const used = own?.kind === 'option' && own.inlineValue === false ? 2 : 1;
  return {
    extensionsDirectory: path.join(directory, 'extensions'),
    webDirectory: path.join(directory, '.vestibule', 'web'),
    parameters: given.toSpliced(own?.index ?? 0, used),
  };
}

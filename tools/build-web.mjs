/** Builds the web application of the checkout if its sources have changed since the last build. Plain JavaScript: see run.mjs. */
import path from 'node:path';
import { buildWebIfChanged } from '../packages/cli/src/build-web.mjs';
import { lockFile, root } from './install.mjs';

const webDirectory = path.join(root, 'apps', 'web');

/**
 * Builds if needed. Throws an Error with the output of Vite if it fails.
 * @param {{ node: string; env: NodeJS.ProcessEnv; signal?: AbortSignal }} tools result of install(), and an optional signal that stops the build
 * @returns {Promise<boolean>} whether a build was needed
 */
export function buildWeb(tools) {
  return buildWebIfChanged(
    {
      directory: webDirectory,
      output: path.join(webDirectory, 'dist'),
      inputs: ['apps/web', 'packages/contract', 'package-lock.json', 'tsconfig.json'].map((input) =>
        path.join(root, input),
      ),
      lockFile,
      vite: path.join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
    },
    tools,
  );
}

/** Builds the web application if its sources have changed since the last build. Plain JavaScript: see run.mjs. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockFile, root } from './install.mjs';
import { withFileLock } from './file-lock.mjs';
import { runQuietly } from './run-quietly.mjs';

const webDirectory = path.join(root, 'apps', 'web');
const builtPage = path.join(webDirectory, 'dist', 'index.html');
// The server does not serve dot folders.
const stampFile = path.join(webDirectory, 'dist', '.vite', 'inputs.sha256');
const inputs = ['apps/web', 'packages/contract', 'package-lock.json', 'tsconfig.json'];
const notInputs = /^(?:dist|node_modules)$|\.gen\.ts$|\.test\.tsx?$|^\./;

/**
 * Builds if needed. Throws an Error with the output of Vite if it fails.
 * @param {{ node: string; env: NodeJS.ProcessEnv; signal?: AbortSignal }} tools result of install(), and an optional signal that stops the build
 * @returns {Promise<boolean>} whether a build was needed
 */
export async function buildWeb({ node, env, signal }) {
  const stamp = hashInputs();
  const isBuilt = () =>
    existsSync(builtPage) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (isBuilt()) return false;
  const build = async () => {
    if (isBuilt()) return false;
    console.log('Building the web application …');
    const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    await runQuietly('Building the web application', node, [vite, 'build'], {
      cwd: webDirectory,
      env,
      signal,
    });
    writeFileSync(stampFile, stamp);
    return true;
  };
  return withFileLock(lockFile, build, { signal });
}

function hashInputs() {
  const hash = createHash('sha256');
  for (const input of inputs) addToHash(hash, path.join(root, input));
  return hash.digest('hex');
}

function addToHash(hash, file) {
  const entries = listDirectory(file);
  if (entries === undefined) {
    hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
    return;
  }
  for (const name of entries) {
    if (!notInputs.test(name)) addToHash(hash, path.join(file, name));
  }
}

function listDirectory(file) {
  try {
    return readdirSync(file).sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

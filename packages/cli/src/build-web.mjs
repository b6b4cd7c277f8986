/** Builds a web application if its inputs have changed since the last build. Plain JavaScript: see tools/run.mjs. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withFileLock } from './file-lock.mjs';
import { runQuietly } from './run-quietly.mjs';

const notInputs = /^(?:dist|node_modules)$|\.gen\.ts$|\.test\.tsx?$|\.journey\.ts$|^\./;

/**
 * @typedef {object} WebBuild
 * @property {string} directory working directory of Vite
 * @property {string} output directory of the built application
 * @property {string[]} inputs files and directories that the build depends on
 * @property {string} lockFile
 * @property {string} vite path of Vite's command line
 * @property {string[]} [parameters] parameters of `vite build`
 * @property {() => Promise<unknown>} [checkInputs] called before a build; rejects if it would fail
 */

/**
 * Builds if needed. Throws an Error with the output of Vite if it fails, and one that says what to change if Vite cannot build there.
 * @param {WebBuild} build
 * @param {{ node: string; env: NodeJS.ProcessEnv; signal?: AbortSignal }} tools `signal` stops the build
 * @returns {Promise<boolean>} whether a build was needed
 */
export async function buildWebIfChanged(
  { directory, output, inputs, lockFile, vite, parameters = [], checkInputs },
  { node, env, signal },
) {
  const builtPage = path.join(output, 'index.html');
  // The server does not serve dot folders.
  const stampFile = path.join(output, '.vite', 'inputs.sha256');
  const stamp = hashInputs(directory, inputs);
  const isBuilt = () =>
    existsSync(builtPage) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (isBuilt()) return false;
  const build = async () => {
    if (isBuilt()) return false;
    // Vite and its plugins take the rest of such a path for a query or a fragment.
    if (/[?#]/.test(directory))
      throw new Error(
        `The web application cannot be built in a path with ? or #. Move it elsewhere: ${directory}`,
      );
    await checkInputs?.();
    console.log('Building the web application …');
    await runQuietly('Building the web application', node, [vite, 'build', ...parameters], {
      cwd: directory,
      env,
      signal,
    });
    writeFileSync(stampFile, stamp);
    return true;
  };
  return withFileLock(lockFile, build, signal ? { signal } : {});
}

/** @param {string} directory @param {string[]} inputs */
function hashInputs(directory, inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) addToHash(hash, directory, input);
  return hash.digest('hex');
}

/** @param {import('node:crypto').Hash} hash @param {string} directory @param {string} file */
function addToHash(hash, directory, file) {
  if (!existsSync(file)) return;
  const entries = listDirectory(file);
  if (entries === undefined) {
    hash.update(`${path.relative(directory, file)}\0`).update(readFileSync(file));
    return;
  }
  for (const name of entries) {
    if (!notInputs.test(name)) addToHash(hash, directory, path.join(file, name));
  }
}

/** @param {string} file */
function listDirectory(file) {
  try {
    return readdirSync(file).sort();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

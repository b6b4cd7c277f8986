import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const parentCheckIntervalMs = 1_000;

/**
 * Runs a Node.js script until it ends, forwards signals to it, and returns its exit code. Plain JavaScript: see tools/run.mjs.
 * @param {string} node path of Node.js
 * @param {string[]} parameters flags of Node.js, the script, and its parameters
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>}
 */
export async function runScript(node, parameters, options) {
  const child = spawn(node, parameters, { ...options, stdio: 'inherit' });
  // A terminal sends Ctrl+C to the script too; some programs treat a second one as "stop immediately".
  /** @type {NodeJS.Signals[]} */
  const forwardedSignals = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => forwardedSignals.includes(signal) && child.kill(signal));
  }
  // npm runs other commands in a shell, which may exit without forwarding a signal. Stop the script then.
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), parentCheckIntervalMs);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) =>
      resolve(exitCode ?? 128 + constants.signals[signal ?? 'SIGTERM']),
    );
  });
  clearInterval(watch);
  return code;
}

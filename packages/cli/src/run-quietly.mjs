import { spawn } from 'node:child_process';

const shownLines = 60;

/**
 * Runs a program and hides its output unless it fails: then the error contains the end of the output. Plain JavaScript: see
 * run.mjs.
 * @param {string} title activity for the error: "Installing the packages"
 * @param {string} program
 * @param {string[]} parameters
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<void>}
 */
export async function runQuietly(title, program, parameters, options) {
  const child = spawn(program, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const failure = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `exit code ${code ?? signal}`));
  });
  if (failure === undefined) return;
  const end = output.trimEnd().split('\n').slice(-shownLines).join('\n');
  throw new Error(`${end}\n\n${title} failed (${failure}).`);
}

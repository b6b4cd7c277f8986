/**
 * What every `npm run` command starts with: `node tools/run.mjs <command> [parameters]`. It installs what is missing,
 * builds the web application where the command needs it, and hands over to the command's own script on Node.js 24.
 *
 * `npm start` takes the shell's place (`exec`), so that npm passes signals to this and ends with its exit code: some shells, as Debian's,
 * end on a signal by themselves. Windows has no `exec` and takes what follows `||`.
 *
 * Plain JavaScript without dependencies, because the machine's own Node.js (18 or newer) runs it.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { buildWeb } from './build-web.mjs';
import { commands } from './commands.mjs';
import { install, root } from './install.mjs';
import { compileCache } from './server-flags.mjs';

const parentCheckIntervalMs = 1_000;

/** Runs the script until it ends, passing signals on; answers its exit code. */
async function runScript(node, env, { script, flags = [] }, parameters) {
  const child = spawn(node, [...flags, path.join(root, script), ...parameters], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  // At a terminal, Ctrl+C reaches the script by itself; a second one would mean "at once" to some programs.
  const passedOn = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => passedOn.includes(signal) && child.kill(signal));
  }
  // npm starts other commands through a shell, which may end on a signal without passing it on. Nothing is left behind then.
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), parentCheckIntervalMs);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? 128 + constants.signals[signal]));
  });
  clearInterval(watch);
  return code;
}

const [name = '', ...parameters] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (command === undefined) {
    throw new Error(`There is no command "${name}". There are: ${Object.keys(commands).join(', ')}.`);
  }
  const { node, env: found } = await install();
  const env = { NODE_COMPILE_CACHE: compileCache, ...found };
  if (command.needsWeb) await buildWeb({ node, env });
  process.exitCode = await runScript(node, env, command, parameters);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * Runs every `npm run` command: `node tools/run.mjs <command> [parameters]`. Installs missing packages, builds the web application
 * if the command needs it, and runs its script on Node.js 24.
 *
 * `npm start` uses `exec`, so that npm forwards signals and returns the exit code: some shells, such as that of Debian, exit on a
 * signal first. Windows has no `exec` and uses the command after `||`.
 *
 * Plain JavaScript without dependencies, because the Node.js of the machine (18 or newer) runs it.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { buildWeb } from './build-web.mjs';
import { commands } from './commands.mjs';
import { install, root } from './install.mjs';
import { compileCache } from './server-flags.mjs';

const parentCheckIntervalMs = 1_000;

async function runScript(node, env, { script, flags = [] }, parameters) {
  const child = spawn(node, [...flags, path.join(root, script), ...parameters], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  // A terminal sends Ctrl+C to the script too; some programs treat a second one as "stop immediately".
  const forwardedSignals = process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => forwardedSignals.includes(signal) && child.kill(signal));
  }
  // npm runs other commands in a shell, which may exit without forwarding a signal. Stop the script then.
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

/**
 * Runs every `npm run` command: `node tools/run.mjs <command> [parameters]`. Installs missing packages, builds the web application
 * if the command needs it, and runs its script on Node.js 24.
 *
 * `npm start` uses `exec`, so that npm forwards signals and returns the exit code: some shells, such as that of Debian, exit on a
 * signal first. Windows has no `exec` and uses the command after `||`.
 *
 * Plain JavaScript without dependencies, because the Node.js of the machine (18 or newer) runs it.
 */
import path from 'node:path';
import { buildWeb } from './build-web.mjs';
import { commands } from './commands.mjs';
import { install, root } from './install.mjs';
import { runScript } from '../packages/cli/src/run-script.mjs';
import { answerCommands, answerUsage } from '../apps/server/src/command-usage.mjs';
import { compileCacheOf } from '../apps/server/src/server-flags.mjs';

const [name = '', ...parameters] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
try {
  if (command === undefined) process.exit(answerCommands(name, commands));
  const exitCode = answerUsage(name, command, parameters);
  if (exitCode !== undefined) process.exit(exitCode);
  const { node, env: found } = await install();
  const env = { NODE_COMPILE_CACHE: compileCacheOf(root), ...found };
  if (command.needsWeb) await buildWeb({ node, env });
  const { script, flags = [] } = command;
  process.exitCode = await runScript(node, [...flags, path.join(root, script), ...parameters], {
    cwd: root,
    env,
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

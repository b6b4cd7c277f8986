#!/usr/local/bin/node
/**
 * `vestibule <command> [parameters]` in an image: `start`, and the commands of a site that `npm run` has in a checkout. `ready` says by its
 * exit code whether the server beside it answers, for the image's health check.
 */
import path from 'node:path';
import { commands } from './commands.mjs';

const readyTimeoutMs = 2_500;

/** Whether the server of this container is ready for requests. */
async function isReady({ HOST = '', PORT = '3000' }) {
  const host = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '[::1]' }[HOST] ?? HOST;
  const answer = await fetch(`http://${host}:${PORT || 3000}/readyz`, {
    signal: AbortSignal.timeout(readyTimeoutMs),
  }).catch(() => null);
  return answer?.ok === true;
}

const [name = 'start', ...parameters] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) && commands[name].ofSite ? commands[name] : undefined;
if (name === 'ready') {
  process.exitCode = (await isReady(process.env)) ? 0 : 1;
} else if (command === undefined) {
  const known = Object.keys(commands).filter((one) => commands[one].ofSite);
  console.error(`There is no command "${name}" in the image. There are: ${known.join(', ')}, ready.`);
  process.exitCode = 1;
} else {
  const script = path.join(import.meta.dirname, '..', command.script);
  process.argv = [process.execPath, script, ...parameters];
  await import(script);
}

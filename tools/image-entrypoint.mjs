#!/usr/local/bin/node
/**
 * Entry point of the image: `vestibule <command> [parameters]`. Runs `start` and the site commands of `npm run`. `ready` is the health
 * check of the image: its exit code says whether the server in this container is ready.
 */
import path from 'node:path';
import { answerCommands } from '../apps/server/src/command-usage.mjs';
import { commands } from './commands.mjs';

const readyTimeoutMs = 2_500;

async function isReady({ HOST = '', PORT = '3000' }) {
  const host = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '[::1]' }[HOST] ?? HOST;
  const response = await fetch(`http://${host}:${PORT || 3000}/readyz`, {
    signal: AbortSignal.timeout(readyTimeoutMs),
  }).catch(() => null);
  return response?.ok === true;
}

const [name = 'start', ...parameters] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) && commands[name].isSiteCommand ? commands[name] : undefined;
if (name === 'ready') {
  process.exitCode = (await isReady(process.env)) ? 0 : 1;
} else if (command === undefined) {
  const known = Object.entries(commands).filter(([, { isSiteCommand }]) => isSiteCommand);
  const ready = { purpose: 'Checks that the server in this container is ready.' };
  process.exitCode = answerCommands(name, { ...Object.fromEntries(known), ready });
} else {
  const script = path.join(import.meta.dirname, '..', command.script);
  process.argv = [process.execPath, script, ...parameters];
  await import(script);
}

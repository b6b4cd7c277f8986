/**
 * Runs the emulator standalone: `node packages/b2c-emulator/src/cli.ts --config FILE`. Prints mails with
 * reset codes.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readEmulatorConfig, startB2cEmulator } from './b2c-emulator.ts';
import type { EmulatorConfig } from './b2c-emulator.ts';
import { getErrorMessage } from './b2c-error.ts';

const usage = 'Usage: node packages/b2c-emulator/src/cli.ts --config FILE';

try {
  const config = readConfigFile(readConfigFileOption(process.argv.slice(2)));
  const emulator = await startB2cEmulator(config, {
    sendMail: async ({ to, subject, text }) => console.log(`\nMail to ${to}: ${subject}\n${text}`),
    log: (line) => console.log(line),
  });
  console.log('Development sign-in. Not for production.');
  for (const policy of Object.keys(config.policies)) {
    console.log(`${policy}: ${emulator.url}/${config.tenant}.onmicrosoft.com/${policy}`.toLowerCase());
  }
  const stop = () => {
    void emulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  console.error(getErrorMessage(error));
  process.exitCode = 1;
}

function readConfigFileOption(args: string[]): string {
  let file: string | undefined;
  try {
    file = parseArgs({ args, options: { config: { type: 'string' } } }).values.config;
  } catch {
    throw new Error(usage);
  }
  if (!file) throw new Error(usage);
  return resolve(file);
}

function readConfigFile(file: string): EmulatorConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`The configuration file ${file} cannot be read: check its name.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`The configuration file ${file} is not JSON (${getErrorMessage(error)}).`, {
      cause: error,
    });
  }
  return readEmulatorConfig(json, dirname(file));
}

/** Runs the emulator standalone: `node packages/b2c-emulator/src/cli.ts --config FILE`. Prints mails with reset codes. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startB2cEmulator, type EmulatorConfig } from './b2c-emulator.ts';
import { getErrorMessage } from './b2c-error.ts';

type ConfigFile = EmulatorConfig & { tls?: { keyFile?: string; certFile?: string } };

try {
  const { values } = parseArgs({ options: { config: { type: 'string' } } });
  if (!values.config) throw new Error('Usage: node packages/b2c-emulator/src/cli.ts --config FILE');
  const config = readConfigFile(values.config);
  const emulator = await startB2cEmulator(config, {
    sendMail: async ({ to, subject, text }) => console.log(`\nMail to ${to}: ${subject}\n${text}`),
    log: (line) => console.log(line),
  });
  console.log('Development sign-in. Not for production.');
  for (const policy of Object.keys(config.policies)) {
    console.log(`${policy}: ${emulator.url}/${config.tenant}.onmicrosoft.com/${policy}`.toLowerCase());
  }
  const stop = () => void emulator.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  console.error(getErrorMessage(error));
  process.exitCode = 1;
}

/** File names in the configuration are relative to it. */
function readConfigFile(file: string): EmulatorConfig {
  const config = JSON.parse(readFileSync(file, 'utf8')) as ConfigFile;
  const inDirectory = (name: string) => resolve(dirname(file), name);
  const { databaseFile, tls: { keyFile, certFile } = {} } = config;
  if (databaseFile) config.databaseFile = inDirectory(databaseFile);
  if (!keyFile || !certFile) return config;
  const [key, cert] = [keyFile, certFile].map((name) => readFileSync(inDirectory(name), 'utf8'));
  return { ...config, tls: { key: key!, cert: cert! } };
}

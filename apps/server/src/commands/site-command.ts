/** Shared setup of the commands of a site: secret and database of the site, with or without a running server. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { answerUsage, siteUsages } from '../command-usage.mjs';
import type { Config } from '../platform/config/read-config.ts';
import { readServerSecrets, type Secrets } from '../platform/config/site-key.ts';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { connectAtStart, type NamedDatabase } from '../platform/database/start-connection.ts';
import { reachEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';

/** Returns the secret of the server and the previous one. Throws if there is none. */
export function requireSecrets(config: Config): Secrets {
  const secretFile = path.join(config.dataDirectory, 'secret');
  if (config.secret === null && !existsSync(secretFile))
    throw new StartUpError(`${secretFile} does not exist. Set SECRET or DATA_DIR to those of the server.`);
  return readServerSecrets(config);
}

/**
 * Returns the database with the URL of the application's role. Starts the embedded database if it is not running; `cleanup` then
 * stops it. Throws a StartUpError if the database cannot be used.
 */
export async function connectToDatabase(
  config: Config,
  cleanup: AsyncDisposableStack,
): Promise<NamedDatabase> {
  const reached = { url: await reachUrl(config, cleanup), variable: 'DATABASE_URL' as const };
  await (await connectAtStart(reached)).end();
  return reached;
}

async function reachUrl(
  { databaseUrl, dataDirectory }: Config,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  if (databaseUrl !== null) return databaseUrl;
  const server = await reachEmbeddedPostgres({ dataDirectory: path.join(dataDirectory, 'postgres') });
  cleanup.defer(() => server.stop());
  return server.applicationUrl;
}

/** Runs a command and sets exit code 1 unless it returns true. Prints only the message of a StartUpError. */
export async function runCommand(
  name: keyof typeof siteUsages,
  command: (parameters: string[]) => Promise<boolean>,
): Promise<void> {
  const parameters = process.argv.slice(2);
  try {
    process.exitCode =
      answerUsage(name, siteUsages[name], parameters) ?? ((await command(parameters)) ? 0 : 1);
  } catch (error) {
    console.error(error instanceof StartUpError ? error.message : error);
    process.exitCode = 1;
  }
}

const everyMs = 1_000;

export const count = (value: number) => value.toLocaleString('en');

/** Returns a function that prints progress to stderr at most once a second; results go to stdout. */
export function createProgress(): (what: string) => void {
  let printedAt = performance.now();
  return (what) => {
    if (performance.now() - printedAt < everyMs) return;
    printedAt = performance.now();
    console.error(`${what} …`);
  };
}

/** A site with its own database server, for commands as operators run them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { decryptSiteKey, readServerSecret } from '../platform/config/site-key.ts';
import { grantApplicationRights } from '../platform/database/application-role.ts';
import { openDatabase } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { installMailQueue } from '../platform/mail/mail-queue.ts';
import { migrations } from '../startup/create-database.ts';

/** The test stops the server. `run` calls the command of this file in `commands/`, by default with the data of the site. */
export async function createCommandSite(command: string) {
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-command-'));
  // As root, PostgreSQL runs as another user, who must have access.
  await chmod(directory, 0o711);
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres(
    { dataDirectory: path.join(directory, 'postgres') },
    { durable: false },
  );
  await migrate({ url: postgres.url, variable: 'DATABASE_URL' }, migrations);
  await installMailQueue(postgres.url);
  await grantApplicationRights(postgres.url, postgres.applicationUrl);
  const database = openDatabase(postgres.url, { maxConnections: 2 });
  const secret = readServerSecret(null, directory);
  const { key: siteKey } = await decryptSiteKey(database, { current: secret, previous: null });
  const script = fileURLToPath(new URL(`../commands/${command}`, import.meta.url));

  async function run(parameters: string[], environment: Record<string, string> = { DATA_DIR: directory }) {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [script, ...parameters], {
      env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number]>,
    ]);
    return { output: output + errors, code };
  }
  return { directory, postgres, database, secret, siteKey, script, run };
}

/** Opens and migrates the configured or embedded database. */
import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/read-config.ts';
import { grantApplicationRights } from '../platform/database/application-role.ts';
import { checkDatabases, checkReplica, findLocaleWarning } from '../platform/database/check-databases.ts';
import { openDatabase, type Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { createReplicaReader } from '../platform/database/replica.ts';
import { waitForDatabase, type NamedDatabase } from '../platform/database/start-connection.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { LoadedExtension } from '../platform/extensions/extension.ts';
import { migrationsOf } from '../platform/extensions/load-extensions.ts';
import { installMailQueue } from '../platform/mail/mail-queue.ts';
import type { OutageLog } from './outage-log.ts';

export const migrations = path.join(import.meta.dirname, '..', '..', 'migrations');

export async function createMigratedDatabase(
  config: Config,
  logger: Logger,
  extensions: readonly LoadedExtension[],
  onClose: (close: () => unknown) => void,
  watch: OutageLog['watch'],
): Promise<Database> {
  const { url, owner } = await findDatabase(config, onClose);
  if (config.databaseUrl !== null) {
    await waitForDatabase(owner, (message) => logger.warn(message));
    await checkDatabases({ url, variable: 'DATABASE_URL' }, owner);
    const warning = await findLocaleWarning(owner);
    if (warning !== null) logger.warn(warning);
  }
  const { databaseReadUrl } = config;
  if (databaseReadUrl !== null) {
    const warning = await checkReplica({ url: databaseReadUrl, variable: 'DATABASE_READ_URL' });
    if (warning !== null) logger.warn(warning);
  }
  await migrate(owner, migrations, {
    extensions: migrationsOf(extensions),
    onNotice(message) {
      logger.warn(message);
      if (config.databaseUrl === null) console.log(message);
    },
  });
  if (owner.url !== url) {
    await installMailQueue(owner.url);
    const warning = await grantApplicationRights(owner.url, url);
    if (warning !== null) logger.warn(warning);
  }
  const database = openDatabase(url, {
    ...watch(logger),
    onSecondConnection: (error) =>
      logger.error({ err: error }, 'a transaction asked for a second connection'),
  });
  onClose(() => database.end());
  if (databaseReadUrl === null) return database;
  const replica = openDatabase(databaseReadUrl, { maxConnections: 8, variable: 'DATABASE_READ_URL' });
  onClose(() => replica.end());
  const onChange = (message: string) => logger.warn(message);
  return { ...database, reads: createReplicaReader({ primary: database, replica, now: Date.now, onChange }) };
}

/** Returns the URL of the application's role, and the owner. Starts the embedded database if none is configured. */
export async function findDatabase(
  { databaseUrl, databaseOwnerUrl, dataDirectory }: Config,
  onClose: (close: () => unknown) => void,
): Promise<{ url: string; owner: NamedDatabase }> {
  if (databaseUrl !== null)
    return {
      url: databaseUrl,
      owner:
        databaseOwnerUrl === null
          ? { url: databaseUrl, variable: 'DATABASE_URL' }
          : { url: databaseOwnerUrl, variable: 'DATABASE_OWNER_URL' },
    };
  const embedded = await startEmbeddedPostgres({ dataDirectory: path.join(dataDirectory, 'postgres') });
  onClose(() => embedded.stop());
  return { url: embedded.applicationUrl, owner: { url: embedded.url, variable: 'DATABASE_URL' } };
}

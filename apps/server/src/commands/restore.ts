/**
 * `npm run restore -- FILE [--for-testing]`: restores a backup to an empty database and empty storage. Uses the
 * environment of the future server: DATABASE_URL or DATA_DIR, SECRET. Verifies all data against the backup, otherwise changes nothing.
 */
import { restore } from '../platform/backup/restore.ts';
import { prepareDataDirectory } from '../platform/config/data-directory.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { grantApplicationRights } from '../platform/database/application-role.ts';
import { createStorage } from '../platform/storage/create-storage.ts';
import { loadExtensions, migrationsOf } from '../platform/extensions/load-extensions.ts';
import { findDatabase, migrations } from '../startup/create-database.ts';
import { readProject } from '../startup/project.ts';
import { requireSecrets, runCommand, count, createProgress } from './site-command.ts';

const forTesting = '--for-testing';

async function run(given: string[]): Promise<boolean> {
  const { extensionsDirectory, parameters } = readProject(given);
  const [file, ...more] = parameters.filter((one) => one !== forTesting);
  if (file === undefined || more.length > 0)
    throw new StartUpError('Specify the backup: npm run restore -- FILE [--for-testing]');
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  prepareDataDirectory(config.dataDirectory, { hasDatabase: config.databaseUrl === null });
  const secrets = requireSecrets(config);
  const { owner, url } = await findDatabase(config, (close) =>
    cleanup.defer(async () => void (await close())),
  );
  const summary = await restore(file, {
    database: owner,
    migrations,
    extensions: migrationsOf(await loadExtensions(extensionsDirectory)),
    secrets,
    openStorage: () => createStorage(config),
    forTesting: parameters.includes(forTesting),
    onProgress: createProgress(),
  });
  await grantApplicationRights(owner.url, url);
  console.log(
    `Restored as of ${summary.madeAt}: ${count(summary.rows)} rows, all as they were, ${
      summary.files === null
        ? 'without the contents of files. Put those into the storage before you start'
        : `and ${count(summary.files)} files`
    }. ${count(summary.mails.length)} e-mails are waiting to be sent${
      parameters.includes(forTesting) ? ', and all webhooks are off' : ''
    }. Start the server now.`,
  );
  for (const name of summary.unknownTables)
    console.log(`Not restored: the table ${name}, which Vestibule did not create`);
  for (const id of summary.damagedFiles)
    console.log(`Damaged before the backup was made, and now listed as missing: file ${id}`);
  return true;
}

await runCommand('restore', run);

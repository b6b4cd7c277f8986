/**
 * `npm run backup -- FILE [--with-files]`: writes one encrypted file with the whole database, optionally with the attachments. If
 * FILE is a directory or ends in /, the name of the file in it is the current time. Uses the environment of the server, which may
 * be running.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { createBackup } from '../platform/backup/create-backup.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { readSiteKey } from '../platform/config/site-key.ts';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { openDatabase } from '../platform/database/database.ts';
import { createStorage } from '../platform/storage/create-storage.ts';
import { connectToDatabase, requireSecrets, runCommand, count, createProgress } from './site-command.ts';

const withFiles = '--with-files';

async function run(parameters: string[]): Promise<boolean> {
  const [place, ...more] = parameters.filter((one) => one !== withFiles);
  if (place === undefined || more.length > 0)
    throw new StartUpError(`Specify the file to write: npm run backup -- FILE [${withFiles}]`);
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secrets = requireSecrets(config);
  const database = await connectToDatabase(config, cleanup);
  const connections = openDatabase(database.url, { maxConnections: 1 });
  cleanup.defer(() => connections.end());
  await readSiteKey(connections, secrets);
  const file = fileAt(place, new Date());
  const summary = await createBackup(file, {
    database,
    secret: secrets.current,
    storage: parameters.includes(withFiles) ? await createStorage(config) : null,
    now: Date.now,
    onProgress: createProgress(),
  });
  console.log(
    [
      `${file}: ${count(summary.rows)} rows`,
      parameters.includes(withFiles)
        ? ` and ${count(summary.files)} files`
        : ', without the contents of files',
      '. Keep SECRET in a separate place: this backup cannot be restored without it.',
    ].join(''),
  );
  for (const id of summary.missingFiles)
    console.log(`Missing from the storage, and so from the backup: file ${id}`);
  return true;
}

function fileAt(place: string, moment: Date): string {
  if (place.endsWith('/')) mkdirSync(place, { recursive: true });
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return place;
  return path.join(place, `${moment.toISOString().slice(0, 16).replace(':', '')}.backup`);
}

await runCommand('backup', run);

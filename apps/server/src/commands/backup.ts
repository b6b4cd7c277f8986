/**
 * `npm run backup -- FILE [--with-files] [--keep=7]`: writes one encrypted file with the whole database, optionally with the
 * attachments. If FILE is a directory or ends in /, the name of the file in it is the current time, and `--keep` deletes all but the
 * newest backups. Uses the environment of the server, which may be running.
 */
import path from 'node:path';
import { deleteOldBackups, fileAt } from '../platform/backup/backup-directory.ts';
import { createBackup } from '../platform/backup/create-backup.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { readSiteKey } from '../platform/config/site-key.ts';
import { StartUpError } from '../platform/config/start-up-error.ts';
import { openDatabase } from '../platform/database/database.ts';
import { createStorage } from '../platform/storage/create-storage.ts';
import { connectToDatabase, requireSecrets, runCommand, count, createProgress } from './site-command.ts';

const withFiles = '--with-files';
const keep = /^--keep=([1-9]\d*)$/;

async function run(parameters: string[]): Promise<boolean> {
  const [place, ...more] = parameters.filter((one) => one !== withFiles && !keep.test(one));
  if (place === undefined || more.length > 0)
    throw new StartUpError(`Specify the file to write: npm run backup -- FILE [${withFiles}] [--keep=7]`);
  const file = fileAt(place, new Date());
  const [keptCount] = parameters.flatMap((one) => keep.exec(one)?.[1] ?? []);
  if (keptCount !== undefined && file === place)
    throw new StartUpError('--keep needs a directory instead of a file, such as /backups/');
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secrets = requireSecrets(config);
  const database = await connectToDatabase(config, cleanup);
  const connections = openDatabase(database.url, { maxConnections: 1 });
  cleanup.defer(() => connections.end());
  await readSiteKey(connections, secrets);
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
  if (keptCount !== undefined)
    for (const name of deleteOldBackups(path.dirname(file), Number(keptCount)))
      console.log(`Deleted: ${name}`);
  return true;
}

await runCommand('backup', run);

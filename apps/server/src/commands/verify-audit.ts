/**
 * `npm run audit:verify`: verifies the seals of the audit log and of its archive. Uses DATABASE_URL, or the embedded database with
 * or without a running server. `npm run audit:verify -- FILE…` verifies archive files without a database. Exit code 1 if something
 * was altered.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readKeyOfFile, verifyArchiveFile } from '../platform/audit/archive-file.ts';
import { auditKey, type AuditProblem } from '../platform/audit/audit-chain.ts';
import { createAuditSeals } from '../platform/audit/audit-seals.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { decryptStoredKey, readSiteKey } from '../platform/config/site-key.ts';
import { openDatabase, type Queryable } from '../platform/database/database.ts';
import { connectToDatabase, requireSecrets, runCommand } from './site-command.ts';
import { count, createProgress } from './progress.ts';

async function verify(files: string[]): Promise<boolean> {
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secrets = requireSecrets(config);
  // Each file contains the encrypted key of its site.
  if (files.length > 0)
    return verifyFiles(files, async (file) => decryptStoredKey(await readKeyOfFile(file), secrets));

  const database = openDatabase((await connectToDatabase(config, cleanup)).url, { maxConnections: 2 });
  cleanup.defer(() => database.end());
  const secret = await readSiteKey(database, secrets);

  const seals = createAuditSeals(database, secret, Date.now);
  const extent = await seals.countRows();
  let checked = 0;
  const tell = createProgress();
  let problem: AuditProblem | null = null;
  for (let after = 0, done = false; !done;) {
    const step = await seals.verify(after);
    ({ lastSeal: after, done, problem } = step);
    checked += step.checked;
    if (!done) tell(`${count(checked)} of ${count(extent.sealed)} entries`);
  }
  if (problem) {
    console.log(`ALTERED: ${problem.message} ${count(checked)} entries before it are as written.`);
    return false;
  }
  console.log(
    [
      `Nothing was altered: all ${count(checked)} sealed entries${extent.since ? ` since ${extent.since.toISOString()}` : ''} are as they were written.`,
      ...(extent.unsealed > 0 ? [`${count(extent.unsealed)} newer ones are not sealed yet.`] : []),
      ...(extent.lastSealAt ? [`The last seal is of ${extent.lastSealAt.toISOString()}.`] : []),
    ].join(' '),
  );
  return await verifyArchive(database, secret, config.archiveDirectory);
}

/** Verifies the archive files that the database lists and that exist in the directory. */
async function verifyArchive(database: Queryable, secret: Buffer, directory: string): Promise<boolean> {
  const { rows } = await database.query<{ file: string; mac: string | null }>({
    text: `select file, encode(mac, 'hex') as mac from audit_archives
           union all select file, null from retention_archives where row_count > 0 order by file`,
  });
  const known = rows.map(({ file, mac }) => ({ file: path.join(directory, file), mac }));
  const existing = known.filter(({ file }) => existsSync(file));
  if (existing.length < known.length)
    console.log(
      `${count(known.length - existing.length)} archived files are not in ${directory}. Verify them where they are: npm run audit:verify -- FILE`,
    );
  return verifyFiles(
    existing.map(({ file }) => file),
    () => Promise.resolve(secret),
    new Map(existing.map(({ file, mac }) => [file, mac])),
  );
}

/** `expectedMacs`, from the database, detect a file that is valid but not the one that the server wrote. */
async function verifyFiles(
  files: string[],
  siteKeyOf: (file: string) => Promise<Buffer | null>,
  expectedMacs: ReadonlyMap<string, string | null> = new Map(),
): Promise<boolean> {
  let isWhole = true;
  for (const file of files) {
    const { checked, problem, mac, kind } = await verifyFile(file, siteKeyOf).catch((error: Error) => ({
      checked: 0,
      problem: error.message,
      mac: null,
      kind: '',
    }));
    const expected = expectedMacs.get(file) ?? mac;
    const wrong = problem ?? (expected === mac ? null : 'This is not the file that the database knows.');
    isWhole &&= wrong === null;
    console.log(
      wrong === null
        ? `${file}: nothing was altered, all ${count(checked)} entries (${kind.replace('_', '-')}) are as they were written.`
        : `${file}: ALTERED: ${wrong}`,
    );
  }
  return isWhole;
}

async function verifyFile(file: string, siteKeyOf: (file: string) => Promise<Buffer | null>) {
  const siteKey = await siteKeyOf(file);
  if (siteKey === null)
    throw new Error(
      'Neither SECRET nor SECRET_PREVIOUS is the one that it was written with, or its first line was altered.',
    );
  return verifyArchiveFile(auditKey(siteKey), file);
}

await runCommand(() => verify(process.argv.slice(2)));

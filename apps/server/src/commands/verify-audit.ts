/**
 * `npm run audit:verify`: verifies the seals of the audit log and of its archive. Uses DATABASE_URL, or the embedded database with
 * or without a running server. `npm run audit:verify -- FILE…` verifies archive files without a database. Exit code 1 if something
 * was altered.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readKeyOfFile, verifyArchiveFile } from '../platform/audit/archive-file.ts';
import { auditKey, createAuditSeals, type AuditProblem } from '../platform/audit/audit-seals.ts';
import { readConfig } from '../platform/config/read-config.ts';
import { decryptStoredKey, readSiteKey } from '../platform/config/site-key.ts';
import { openDatabase, rowsOf, type Queryable } from '../platform/database/database.ts';
import { connectToDatabase, requireSecrets, runCommand, count, createProgress } from './site-command.ts';

async function verify(files: string[]): Promise<boolean> {
  await using cleanup = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const secrets = requireSecrets(config);
  if (files.length > 0) {
    // Each file contains the encrypted key of its site.
    const siteKeyOf = async (file: string) => decryptStoredKey(await readKeyOfFile(file), secrets);
    let areWhole = true;
    for (const file of files) areWhole = (await verifyFile(file, siteKeyOf)) && areWhole;
    return areWhole;
  }

  const database = openDatabase((await connectToDatabase(config, cleanup)).url, { maxConnections: 2 });
  cleanup.defer(() => database.end());
  const secret = await readSiteKey(database, secrets);

  const seals = createAuditSeals(database, secret);
  const { sealed, since } = await seals.countRows();
  let checked = 0;
  const showProgress = createProgress();
  let problem: AuditProblem | null = null;
  for (let after = 0, done = false; !done;) {
    const step = await seals.verify(after);
    ({ lastSeal: after, done, problem } = step);
    checked += step.checked;
    if (!done) showProgress(`${count(checked)} of ${count(sealed)} entries`);
  }
  if (problem) {
    console.log(`ALTERED: ${problem.message} ${count(checked)} entries before it are unaltered.`);
    return false;
  }
  console.log(
    `Nothing was altered: all ${count(checked)} sealed entries${since ? ` since ${since.toISOString()}` : ''} are unaltered.`,
  );
  const unsealed = await seals.countUnsealed();
  if (unsealed > 0) console.log(`${count(unsealed)} newer ones are not sealed yet.`);
  return await verifyArchives(database, secret, config.archiveDirectory);
}

/** Verifies the archive files that the database lists and that exist in the directory. */
async function verifyArchives(database: Queryable, secret: Buffer, directory: string): Promise<boolean> {
  const listed = await rowsOf<{ file: string; kind: string; number: number }>(
    database,
    'select file, kind, number from retention_archives where row_count > 0 order by file',
  );
  const existing = listed.filter(({ file }) => existsSync(path.join(directory, file)));
  if (existing.length < listed.length)
    console.log(
      `${count(listed.length - existing.length)} archived files are not in ${directory}. Verify them where they are: npm run audit:verify -- FILE`,
    );
  let areWhole = true;
  for (const { file, kind, number } of existing)
    areWhole =
      (await verifyFile(path.join(directory, file), () => Promise.resolve(secret), { kind, number })) &&
      areWhole;
  return areWhole;
}

/** `expected`, from the database, detects a file that is valid but not the one that the server wrote. */
async function verifyFile(
  file: string,
  siteKeyOf: (file: string) => Promise<Buffer | null>,
  expected?: { kind: string; number: number },
): Promise<boolean> {
  let problem: string | null;
  try {
    const siteKey = await siteKeyOf(file);
    if (siteKey === null)
      throw new Error(
        'Neither SECRET nor SECRET_PREVIOUS is the one that it was written with, or its first line was altered.',
      );
    const verdict = await verifyArchiveFile(auditKey(siteKey), file);
    ({ problem } = verdict);
    if (expected && (verdict.kind !== expected.kind || verdict.number !== expected.number))
      problem ??= 'This is not the file that the database knows.';
    if (problem === null)
      console.log(
        `${file}: nothing was altered, all ${count(verdict.checked)} entries (${verdict.kind.replace('_', '-')}) are unaltered.`,
      );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) {
      console.log(`${file} cannot be read: ${(error as Error).message}`);
      return false;
    }
    problem = (error as Error).message;
  }
  if (problem !== null) console.log(`${file}: ALTERED: ${problem}`);
  return problem === null;
}

await runCommand('audit:verify', verify);

/** Restores a backup into an empty database and empty file storage: everything, compared row by row, or nothing. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type pg from 'pg';
import type { Secrets } from '../config/site-key.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { migrateInTransaction, lockMigrations, type ExtensionMigrations } from '../database/migrate.ts';
import type { NamedDatabase } from '../database/start-connection.ts';
import { installMailQueue, type QueuedJob } from '../mail/mail-queue.ts';
import type { FileStorage } from '../storage/storage.ts';
import type { BackupHeader } from './create-backup.ts';
import { readBackupFile, type BackupEntry } from './backup-file.ts';
import {
  analyze,
  connectForCopy,
  copyIn,
  digestOf,
  fillTables,
  listTables,
  writeSequences,
  type Table,
  type TableDigest,
} from './database-copy.ts';

type RestoreSummary = {
  madeAt: string;
  rows: number;
  /** Number of files in the backup; null if it lists them without their contents. */
  files: number | null;
  /** Files that were already damaged when backed up. They are listed as missing. */
  damagedFiles: string[];
  /** Tables that no migration creates, such as those of other programs in the same database. They are not restored. */
  unknownTables: string[];
  /** Waiting mails. */
  mails: QueuedJob[];
};

type Target = {
  database: NamedDatabase;
  migrations: string;
  extensions?: readonly ExtensionMigrations[];
  secrets: Secrets;
  openStorage: () => Promise<FileStorage>;
  /** Drops the waiting mails and turns webhooks off, so that a copy of the site reaches no user and no other program. */
  forTesting?: boolean;
  onProgress?: (step: string) => void;
};

type Entries = AsyncGenerator<BackupEntry<BackupHeader>, void, undefined>;

/** Throws a StartUpError if the database is not empty, or if the backup is incomplete, from a newer version or made with another secret. */
export async function restore(file: string, target: Target): Promise<RestoreSummary> {
  const entries: Entries = readBackupFile<BackupHeader>(file, target.secrets);
  try {
    const header = await takeHeader(entries);
    // One transaction, so that a failure leaves an empty database; a server that starts meanwhile waits for it.
    const client = await connectForCopy(target.database, 'begin');
    try {
      await lockMigrations(client);
      await requireEmpty(client);
      await migrateInTransaction(client, target.migrations, {
        upTo: header.migrations,
        extensions: target.extensions,
      });
      const summary = await load(client, entries, header, target);
      await migrateInTransaction(client, target.migrations, { extensions: target.extensions });
      if (target.forTesting) {
        summary.mails = [];
        await client.query('update webhooks set is_on = false');
      }
      await installMailQueue(target.database.url, { mails: summary.mails, transaction: client });
      await client.query('commit');
      return summary;
    } finally {
      // Rolls back an open transaction.
      await client.end();
    }
  } finally {
    await entries.return();
  }
}

async function takeHeader(entries: Entries): Promise<Extract<BackupHeader, { kind: 'vestibule' }>> {
  const first = await entries.next();
  const header = first.done ? null : first.value.header;
  if (header?.kind !== 'vestibule' || header.version !== 1)
    throw new StartUpError(
      'This backup was made by a newer version of Vestibule. Restore it with that version.',
    );
  return header;
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' limit 1`,
  );
  if (rows.length > 0)
    throw new StartUpError(
      'The database is not empty. So that nothing is lost, a backup is restored into a new one: set another DATABASE_URL or DATA_DIR.',
    );
}

async function load(
  client: pg.Client,
  entries: Entries,
  { madeAt, hasFiles }: Extract<BackupHeader, { kind: 'vestibule' }>,
  { openStorage, onProgress }: Target,
): Promise<RestoreSummary> {
  const tables = await listTables(client);
  const summary: RestoreSummary = {
    madeAt,
    rows: 0,
    files: hasFiles ? 0 : null,
    damagedFiles: [],
    unknownTables: [],
    mails: [],
  };
  const restored: Table[] = [];
  let end: Extract<BackupHeader, { kind: 'end' }> | null = null;
  let storage: FileStorage | null = null;
  await fillTables(client, tables, async () => {
    for await (const { header, bytes } of entries) {
      if (header.kind === 'table' && !tables.some(({ name }) => name === header.name))
        summary.unknownTables.push(header.name);
      else if (header.kind === 'table') {
        onProgress?.(header.name);
        await copyIn(client, header, bytes);
        restored.push(header);
      } else if (header.kind === 'mails')
        summary.mails = JSON.parse((await buffer(bytes)).toString('utf8')) as QueuedJob[];
      else if (header.kind === 'file') {
        storage ??= await openStorage();
        summary.files = (summary.files ?? 0) + 1;
        onProgress?.(`file ${summary.files}`);
        if (!(await restoreFile(storage, header, bytes))) summary.damagedFiles.push(header.id);
      } else if (header.kind === 'end') end = header;
    }
    if (end === null)
      throw new StartUpError('This backup is incomplete: its end is missing. Use another copy.');
    await writeSequences(client, end.sequences);
  });
  for (const table of restored) {
    const digest = await digestOf(client, table);
    requireSame(
      table.name,
      digest,
      (end as Extract<BackupHeader, { kind: 'end' }> | null)?.tables[table.name],
    );
    summary.rows += digest.rows;
    if (digest.rows > 0) await analyze(client, table);
  }
  await client.query(`update attachments set status = 'missing' where id = any($1)`, [summary.damagedFiles]);
  return summary;
}

function requireSame(name: string, found: TableDigest, expected: TableDigest | undefined): void {
  if (found.rows !== expected?.rows || found.sha256 !== expected.sha256)
    throw new StartUpError(
      `The restored ${name} do not match the backup (${found.rows} of ${expected?.rows ?? 0} rows). Nothing was changed.`,
    );
}

/** Stores a file. Returns whether its content matches the digest computed at the upload. */
async function restoreFile(
  storage: FileStorage,
  { id, size, sha256 }: Extract<BackupHeader, { kind: 'file' }>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      hash.update(piece);
      yield piece;
    }
  }
  // Removes the remains of an interrupted restore.
  await storage.remove(id);
  await storage.create(id, size);
  if (size > 0) await storage.append(id, 0, hashed());
  const sealed = await storage.seal(id, false);
  if (sealed === null || hash.digest('hex') !== sha256) {
    await sealed?.discard();
    return false;
  }
  await sealed.publish();
  return true;
}

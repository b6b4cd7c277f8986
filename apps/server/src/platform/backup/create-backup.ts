/** Writes a backup: all rows of one snapshot, waiting mails and, if requested, the content of files. */
import type { NamedDatabase } from '../database/start-connection.ts';
import type { FileStorage } from '../storage/storage.ts';
import { writeBackupFile, type BackupEntry } from './backup-file.ts';
import {
  connectForCopy,
  copyOut,
  withDigest,
  listTables,
  readSequences,
  type Sequences,
  type Table,
  type TableDigest,
} from './database-copy.ts';

/** Entries of a backup, in this order. */
export type BackupHeader =
  | { kind: 'vestibule'; version: 1; madeAt: string; migrations: string[]; hasFiles: boolean }
  | (Table & { kind: 'table' })
  | { kind: 'mails' }
  | { kind: 'file'; id: string; size: number; sha256: string }
  | { kind: 'end'; tables: Record<string, TableDigest>; sequences: Sequences; files: number };

type BackupSummary = { rows: number; files: number; missingFiles: string[] };

type Source = {
  /** Connects as a role with read access to everything. */
  database: NamedDatabase;
  secret: Buffer;
  /** Null to include only the list of files. */
  storage: FileStorage | null;
  now: () => number;
  /** Reports progress from time to time. */
  onProgress?: (step: string) => void;
};

/** Backs up the site; the server may be running. */
export async function createBackup(file: string, source: Source): Promise<BackupSummary> {
  const summary: BackupSummary = { rows: 0, files: 0, missingFiles: [] };
  await writeBackupFile(file, source.secret, entries(source, summary));
  return summary;
}

async function* entries(
  { database, storage, now, onProgress }: Source,
  summary: BackupSummary,
): AsyncGenerator<BackupEntry<BackupHeader>> {
  const client = await connectForCopy(database, 'begin isolation level repeatable read read only');
  try {
    const { rows: applied } = await client.query<{ name: string }>(
      'select name from schema_migrations order by name',
    );
    const migrations = applied.map(({ name }) => name);
    const madeAt = new Date(now()).toISOString();
    yield head({ kind: 'vestibule', version: 1, madeAt, migrations, hasFiles: storage !== null });
    const digests: Record<string, TableDigest> = {};
    for (const table of await listTables(client)) {
      onProgress?.(table.name);
      const bytes = withDigest(copyOut(client, table), (digest) => {
        digests[table.name] = digest;
        summary.rows += digest.rows;
      });
      yield { header: { kind: 'table', ...table }, bytes };
    }
    const { rows: mails } = await client.query(
      `select id, data, start_after as "startAfter" from jobs.job where name = 'mail' and state < 'completed' order by created_on`,
    );
    yield { header: { kind: 'mails' }, bytes: once(Buffer.from(JSON.stringify(mails))) };
    const sequences = await readSequences(client);
    if (storage) {
      const { rows: files } = await client.query<{ id: string; size: string; sha256: string }>(
        `select id, size, encode(sha256, 'hex') as sha256 from attachments where deleted_at is null and status <> 'missing' order by id`,
      );
      for (const [index, { id, size, sha256 }] of files.entries()) {
        onProgress?.(`file ${index + 1} of ${files.length}`);
        const bytes = await storage.read(id);
        if (bytes === null) {
          summary.missingFiles.push(id);
          continue;
        }
        summary.files += 1;
        yield { header: { kind: 'file', id, size: Number(size), sha256 }, bytes };
      }
    }
    yield head({ kind: 'end', tables: digests, sequences, files: summary.files });
  } finally {
    await client.end();
  }
}

const head = (header: BackupHeader): BackupEntry<BackupHeader> => ({ header, bytes: once() });

async function* once(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/**
 * Moves the oldest part of the audit log to a file. The file is complete on disk, and verified, before any row is
 * deleted; recording the archive and deleting its rows are one transaction. A process killed in between leaves a file
 * that the next attempt replaces, so no entry is lost or duplicated.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readEncryptedKey } from '../config/site-key.ts';
import { rowOf, rowsOf, type Queryable, type DatabaseDeps } from '../database/database.ts';
import { advisoryLocks } from '../database/advisory-locks.ts';
import {
  archiveMac,
  auditKey,
  findWrongArchive,
  emptyArchiveAnchor,
  readArchives,
  readSeals,
  emptyLogAnchor,
  type ArchiveRow,
  type SealRow,
} from './audit-chain.ts';
import { logArchiveLines, verifyLines, writeArchiveFile, type ArchivedEntry } from './archive-file.ts';

/** Archiving twenty thousand entries takes about 2 s. */
export const archiveLimit = { withinMs: 60_000 };

export type Archiving = DatabaseDeps & { secret: Buffer; directory: string };

export function archiveFileName(kind: string, number: number): string {
  return `${kind.replaceAll('_', '-')}-${String(number).padStart(6, '0')}.jsonl`;
}

/**
 * Locks the archives for this transaction, against other writers and erasures. Returns false if they are locked
 * already.
 */
export async function tryLockArchives(transaction: Queryable): Promise<boolean> {
  const found = await rowOf<{ held: boolean }>(transaction, {
    text: 'select pg_try_advisory_xact_lock($1) as held',
    values: [advisoryLocks.archives],
  });
  return found?.held === true;
}

/**
 * Archives the next whole seals, about 20,000 entries, whose entries are all older than `before`. Returns the number of
 * entries: 0 if there are none or another process is archiving. Throws if the log differs from its seals; the altered
 * rows then remain.
 */
export function archiveLog({ database, secret, directory, now }: Archiving, before: Date): Promise<number> {
  const key = auditKey(secret);
  return database.transaction(async (transaction) => {
    if (!(await tryLockArchives(transaction))) return 0;
    const archives = await readArchives(transaction);
    const wrong = findWrongArchive(key, archives);
    if (wrong) throw new Error(wrong.message);
    const previous = archives.at(-1);
    const seals = await readOldSeals(transaction, previous?.to_seal ?? 0, before);
    const [first, last] = [seals[0], seals.at(-1)];
    if (!first || !last) return 0;

    const unsigned = {
      id: (previous?.id ?? 0) + 1,
      from_seal: first.id,
      to_seal: last.id,
      from_id: Number(first.from_id),
      to_id: last.to_id,
      row_count: seals.reduce((sum, seal) => sum + seal.row_count, 0),
      seal_mac: last.mac,
    };
    const archive = { ...unsigned, mac: archiveMac(key, unsigned, previous?.mac ?? emptyArchiveAnchor) };
    const lines = logArchiveLines(
      archive,
      { archiveMac: previous?.mac ?? emptyArchiveAnchor, sealMac: previous?.seal_mac ?? emptyLogAnchor.mac },
      await readEncryptedKey(transaction),
      await Promise.all(seals.map(async (seal) => ({ seal, entries: await readEntries(transaction, seal) }))),
    );
    const { problem } = verifyLines(key, lines);
    if (problem !== null) throw new Error(problem);
    const file = archiveFileName('activity', archive.id);
    await replaceOwnFile(path.join(directory, file), lines);
    await record(transaction, { ...archive, file }, new Date(now()));
    return archive.row_count;
  }, archiveLimit);
}

/**
 * Replaces the file of an interrupted attempt, which begins with the same seal. Throws if the file has other content.
 */
async function replaceOwnFile(file: string, lines: string[]): Promise<void> {
  const existing = await readFile(file, 'utf8').catch(() => null);
  if (existing !== null && existing.split('\n', 2)[1] !== lines[1])
    throw new Error(
      `${file} is already there, and is not of this database. Move it away, or set ARCHIVE_DIR.`,
    );
  await writeArchiveFile(file, lines);
}

async function readOldSeals(transaction: Queryable, after: number, before: Date): Promise<SealRow[]> {
  const seals = await readSeals(transaction, after + 1);
  const found = await rowOf<{ id: number }>(transaction, {
    text: `select id from audit_seals seal where id = any($1) and exists (
             select from audit_log where id > seal.from_id and id <= seal.to_id and at >= $2)
           order by id limit 1`,
    values: [seals.map(({ id }) => id), before],
  });
  const firstRecentId = found?.id ?? Number.POSITIVE_INFINITY;
  return seals.filter(({ id }) => id < firstRecentId);
}

async function readEntries(transaction: Queryable, seal: SealRow): Promise<ArchivedEntry[]> {
  return rowsOf<ArchivedEntry>(transaction, {
    text: `select salt, sealed_digest, erasure_mac, audit_content(log) as content from audit_log log
           where id > $1 and id <= $2 order by id`,
    values: [seal.from_id, seal.to_id],
  });
}

async function record(transaction: Queryable, archive: ArchiveRow, at: Date): Promise<void> {
  const { id, from_seal, to_seal, from_id, to_id, row_count, seal_mac, mac, file } = archive;
  await transaction.query({
    text: 'select record_audit_archive(row($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::audit_archives)',
    values: [id, from_seal, to_seal, from_id, to_id, row_count, seal_mac, mac, file, at],
  });
}

/** Deletes abandoned uploads, finally deleted files and expired links, and rechecks missing files. */
import { undoMinutes } from '@vestibule/contract/attachments/errors';
import { uploadLifetimeHours } from '@vestibule/contract/attachments';
import { execute, rawSql, rowsOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { sha256Of, type FileStorage } from '../../../platform/storage/storage.ts';
import { hourMs } from '../../../platform/time-units.ts';

const maxFilesPerPass = 10_000;
const maxMissingPerPass = 100;
/** Number of failures after which a pass stops, because the storage itself is probably unavailable. */
const maxFailuresPerStep = 20;
const recheckIntervalMs = 10 * 60_000;

type Contents = { id: string; size: number; sha256: Buffer };

/** Returns the number of deleted files. Bytes are deleted before their row, so that failed deletions are retried. */
export async function cleanUpFiles(
  deps: DatabaseDeps & { storage: FileStorage; scans: boolean; stopped?: AbortSignal },
): Promise<number> {
  const { database, storage, now } = deps;
  const failed = new Map<string, unknown>();

  /** Continues after failures. Callers order the files randomly, so that failing ones do not always come first. */
  async function forEachFile<File extends { id: string }>(
    files: File[],
    work: (file: File) => Promise<void>,
  ): Promise<void> {
    let failures = 0;
    for (const file of files) {
      if (failures >= maxFailuresPerStep || deps.stopped?.aborted) return;
      try {
        await work(file);
      } catch (error) {
        failed.set(file.id, error);
        failures += 1;
      }
    }
  }

  async function deleteExpired(
    table: 'attachment_uploads' | 'attachments',
    condition: string,
    before: Date,
  ): Promise<number> {
    const rows = await rowsOf<{ id: string }>(database)`
      select id from ${rawSql(table)} where ${rawSql(condition)} < ${before} order by random() limit ${rawSql(maxFilesPerPass)}`;
    let deleted = 0;
    await forEachFile(rows, async ({ id }) => {
      deleted += await database.transaction(async (transaction) => {
        // Finds no row if the upload was continued or finished, or the deletion undone, in the meantime.
        const expired = await rowsOf(transaction)`
          select from ${rawSql(table)} where id = ${id} and ${rawSql(condition)} < ${before} for update skip locked`;
        if (expired.length === 0) return 0;
        await storage.remove(id);
        await execute(transaction)`delete from ${rawSql(table)} where id = ${id}`;
        return 1;
      });
    });
    return deleted;
  }

  async function isRestored({ id, size, sha256 }: Contents): Promise<boolean> {
    const bytes = (await storage.sizeOf(id)) === size ? await storage.read(id) : null;
    return bytes !== null && (await sha256Of(bytes)).equals(sha256);
  }

  async function recheckMissing(): Promise<void> {
    const rows = await rowsOf<Contents>(database)`
      select id, size, sha256 from attachments
      where deleted_at is null and status = 'missing' and verified_at < ${new Date(now() - recheckIntervalMs)}
        order by random() limit ${rawSql(maxMissingPerPass)}`;
    await forEachFile(rows, async (file) => {
      const found = await isRestored(file);
      await database.query({
        text: `update attachments set verified_at = $2, status = $3, version = version + ($3 <> status)::int
               where id = $1 and status = 'missing'`,
        // Restored bytes may never have been scanned.
        values: [file.id, new Date(now()), !found ? 'missing' : deps.scans ? 'scanning' : 'ready'],
      });
    });
  }

  await recheckMissing();
  await execute(database)`delete from attachment_bundles where expires_at < ${new Date(now())}`;
  const ago = (milliseconds: number) => new Date(now() - milliseconds);
  const deleted =
    (await deleteExpired('attachment_uploads', 'touched_at', ago(uploadLifetimeHours * hourMs))) +
    (await deleteExpired('attachments', 'deleted_at', ago(undoMinutes * 60_000)));
  if (failed.size > 0)
    throw new AggregateError(failed.values(), `the clean-up failed for ${[...failed.keys()].join(', ')}`);
  return deleted;
}

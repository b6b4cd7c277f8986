/**
 * Takes away what nobody can come back to: uploads given up, files whose deletion cannot be undone, links that ended. And
 * looks whether contents that were missing are there again, as from a backup.
 */
import { undoMinutes } from '@vestibule/contract/attachments/errors';
import { uploadLifetimeHours } from '@vestibule/contract/attachments';
import type { Database } from '../../../platform/database/database.ts';
import { sha256Of, type FileStorage } from '../../../platform/storage/storage.ts';

const atOnce = 500;
const missingAtOnce = 100;
/** Contents that are missing are looked for this often. */
const lookAgainMs = 10 * 60_000;

/**
 * Bytes go before their row: what fails in between is found again by its row the next time. Several processes may do it
 * at once. Gives how many files were taken away.
 */
export async function cleanUp(deps: {
  database: Database;
  storage: FileStorage;
  /** Whether files have to be checked for viruses before others see them. */
  scans: boolean;
  now: () => number;
}): Promise<number> {
  const { database, storage, now } = deps;

  async function takeAway(table: string, condition: string, before: number): Promise<number> {
    let taken = 0;
    for (;;) {
      const { rows } = await database.query<{ id: string }>({
        text: `select id from ${table} where ${condition} < $1 order by ${condition} limit ${atOnce}`,
        values: [new Date(before)],
      });
      for (const { id } of rows) await storage.remove(id);
      await database.query({
        text: `delete from ${table} where id = any($2) and ${condition} < $1`,
        values: [new Date(before), rows.map(({ id }) => id)],
      });
      taken += rows.length;
      if (rows.length < atOnce) return taken;
    }
  }

  async function lookAgain(): Promise<void> {
    const { rows } = await database.query<{ id: string; size: number; sha256: Buffer }>({
      text: `select id, size, sha256 from kept_attachments
             where status = 'missing' and verified_at < $1 order by verified_at limit ${missingAtOnce}`,
      values: [new Date(now() - lookAgainMs)],
    });
    for (const { id, size, sha256 } of rows) {
      const bytes = (await storage.sizeOf(id)) === size ? await storage.read(id) : null;
      const isBack = bytes !== null && (await sha256Of(bytes)).equals(sha256);
      await database.query({
        text: `update attachments set verified_at = $2, status = $3, version = version + ($3 <> status)::int
               where id = $1 and status = 'missing'`,
        // It may never have been checked: what came back is new.
        values: [id, new Date(now()), !isBack ? 'missing' : deps.scans ? 'scanning' : 'ready'],
      });
    }
  }

  await lookAgain();
  await database.query({
    text: 'delete from attachment_bundles where expires_at < $1',
    values: [new Date(now())],
  });
  return (
    (await takeAway('attachment_uploads', 'touched_at', now() - uploadLifetimeHours * 3_600_000)) +
    (await takeAway('attachments', 'deleted_at', now() - undoMinutes * 60_000))
  );
}

/**
 * Takes away what nobody can come back to: uploads given up, files whose deletion cannot be undone, links that ended. And
 * looks whether contents that were missing are there again, as from a backup.
 */
import { undoMinutes } from '@vestibule/contract/attachments/errors';
import { uploadLifetimeHours } from '@vestibule/contract/attachments';
import type { Database } from '../../../platform/database/database.ts';
import { sha256Of, type FileStorage } from '../../../platform/storage/storage.ts';

/** The others have their turn in the next pass. */
const atOnce = 10_000;
const missingAtOnce = 100;
/** After so many failures of one pass it is the storage itself that is away: the next pass goes on. */
const failuresAtMost = 20;
/** Contents that are missing are looked for this often. */
const lookAgainMs = 10 * 60_000;

type Contents = { id: string; size: number; sha256: Buffer };

/**
 * Bytes go before their row: what fails in between is found again by its row the next time. Several processes may do it
 * at once. Gives how many files were taken away. One that fails does not keep the others; all of them are told at the end.
 */
export async function cleanUp(deps: {
  database: Database;
  storage: FileStorage;
  /** Whether files have to be checked for viruses before others see them. */
  scans: boolean;
  now: () => number;
  stopped?: AbortSignal;
}): Promise<number> {
  const { database, storage, now } = deps;
  const failed = new Map<string, unknown>();

  async function takeAway(table: string, condition: string, before: Date): Promise<number> {
    const { rows } = await database.query<{ id: string }>({
      text: `select id from ${table} where ${condition} < $1 order by ${condition} limit ${atOnce}`,
      values: [before],
    });
    let taken = 0;
    for (const { id } of rows) {
      if (failed.size >= failuresAtMost || deps.stopped?.aborted) break;
      if (await takeOneAway(id, table, condition, before)) taken += 1;
    }
    return taken;
  }

  /** Whoever goes on with it, finishes it or brings it back waits for the end of this, or was quicker. */
  function takeOneAway(id: string, table: string, condition: string, before: Date): Promise<boolean> {
    return database.transaction(async (transaction) => {
      const { rows } = await transaction.query({
        text: `select from ${table} where id = $1 and ${condition} < $2 for update skip locked`,
        values: [id, before],
      });
      if (rows.length === 0) return false;
      try {
        await storage.remove(id);
      } catch (error) {
        failed.set(id, error);
        return false;
      }
      await transaction.query({ text: `delete from ${table} where id = $1`, values: [id] });
      return true;
    });
  }

  async function isBack({ id, size, sha256 }: Contents): Promise<boolean> {
    try {
      const bytes = (await storage.sizeOf(id)) === size ? await storage.read(id) : null;
      return bytes !== null && (await sha256Of(bytes)).equals(sha256);
    } catch (error) {
      failed.set(id, error);
      return false;
    }
  }

  async function lookAgain(): Promise<void> {
    const { rows } = await database.query<Contents>({
      text: `select id, size, sha256 from kept_attachments
             where status = 'missing' and verified_at < $1 order by verified_at limit ${missingAtOnce}`,
      values: [new Date(now() - lookAgainMs)],
    });
    for (const file of rows) {
      if (deps.stopped?.aborted) return;
      const found = await isBack(file);
      if (failed.size >= failuresAtMost) return;
      await database.query({
        text: `update attachments set verified_at = $2, status = $3, version = version + ($3 <> status)::int
               where id = $1 and status = 'missing'`,
        // It may never have been checked: what came back is new.
        values: [file.id, new Date(now()), !found ? 'missing' : deps.scans ? 'scanning' : 'ready'],
      });
    }
  }

  await lookAgain();
  await database.query({
    text: 'delete from attachment_bundles where expires_at < $1',
    values: [new Date(now())],
  });
  const ago = (milliseconds: number) => new Date(now() - milliseconds);
  const taken =
    (await takeAway('attachment_uploads', 'touched_at', ago(uploadLifetimeHours * 3_600_000))) +
    (await takeAway('attachments', 'deleted_at', ago(undoMinutes * 60_000)));
  if (failed.size > 0)
    throw new AggregateError(failed.values(), `the storage failed for ${[...failed.keys()].join(', ')}`);
  return taken;
}

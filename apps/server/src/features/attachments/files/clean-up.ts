/**
 * Takes away what nobody can come back to: uploads given up, files whose deletion cannot be undone, links that ended. And
 * looks whether contents that were missing are there again, as from a backup.
 */
import { undoMinutes } from '@vestibule/contract/attachments/errors';
import { uploadLifetimeHours } from '@vestibule/contract/attachments';
import { execute, rowsOf, type Database } from '../../../platform/database/database.ts';
import { sha256Of, type FileStorage } from '../../../platform/storage/storage.ts';

/** The others have their turn in the next pass. */
const atOnce = 10_000;
const missingAtOnce = 100;
/** After so many failures of one step it is the storage itself that is away: the next pass goes on. */
const failuresAtMost = 20;
/** Contents that are missing are looked for this often. */
const lookAgainMs = 10 * 60_000;

/** From then on nobody goes on with it, finishes it or brings it back, however long the storage takes to remove its bytes. */
const givenUp = {
  attachment_uploads: 'sealed = true, owner_id = null',
  attachments: 'deleted_by = null',
};

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

  /** One after the other. They come in any order, so that those that always fail are not before the others every time. */
  async function each<File extends { id: string }>(
    files: File[],
    work: (file: File) => Promise<void>,
  ): Promise<void> {
    let failures = 0;
    for (const file of files) {
      if (failures >= failuresAtMost || deps.stopped?.aborted) return;
      try {
        await work(file);
      } catch (error) {
        failed.set(file.id, error);
        failures += 1;
      }
    }
  }

  async function takeAway(table: keyof typeof givenUp, condition: string, before: Date): Promise<number> {
    const rows = await rowsOf<{ id: string }>(database, {
      text: `select id from ${table} where ${condition} < $1 order by random() limit ${atOnce}`,
      values: [before],
    });
    let taken = 0;
    await each(rows, async ({ id }) => {
      // Whoever goes on with it, finishes it or brings it back was quicker, or comes too late.
      const rowCount = await execute(database, {
        text: `update ${table} set ${givenUp[table]} where id in (
                 select id from ${table} where id = $1 and ${condition} < $2 for update skip locked)`,
        values: [id, before],
      });
      if (rowCount === 0) return;
      await storage.remove(id);
      const gone = await database.query({ text: `delete from ${table} where id = $1`, values: [id] });
      taken += gone.rowCount ?? 0;
    });
    return taken;
  }

  async function isBack({ id, size, sha256 }: Contents): Promise<boolean> {
    const bytes = (await storage.sizeOf(id)) === size ? await storage.read(id) : null;
    return bytes !== null && (await sha256Of(bytes)).equals(sha256);
  }

  async function lookAgain(): Promise<void> {
    const rows = await rowsOf<Contents>(database, {
      text: `select id, size, sha256 from kept_attachments
             where status = 'missing' and verified_at < $1 order by random() limit ${missingAtOnce}`,
      values: [new Date(now() - lookAgainMs)],
    });
    await each(rows, async (file) => {
      const found = await isBack(file);
      await database.query({
        text: `update attachments set verified_at = $2, status = $3, version = version + ($3 <> status)::int
               where id = $1 and status = 'missing'`,
        // It may never have been checked: what came back is new.
        values: [file.id, new Date(now()), !found ? 'missing' : deps.scans ? 'scanning' : 'ready'],
      });
    });
  }

  await lookAgain();
  await execute(database, 'delete from attachment_bundles where expires_at < $1', [new Date(now())]);
  const ago = (milliseconds: number) => new Date(now() - milliseconds);
  const taken =
    (await takeAway('attachment_uploads', 'touched_at', ago(uploadLifetimeHours * 3_600_000))) +
    (await takeAway('attachments', 'deleted_at', ago(undoMinutes * 60_000)));
  if (failed.size > 0)
    throw new AggregateError(failed.values(), `the clean-up failed for ${[...failed.keys()].join(', ')}`);
  return taken;
}

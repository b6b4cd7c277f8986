/**
 * Files of people who are removed: handed over with everybody they are shared with, or left to be deleted after a while. The
 * quota of whoever takes them over is not asked: a removal must not fail for want of space. Their next upload meets it.
 */
import { fileRetentionDays, removedErrors } from '@vestibule/contract/people/removed';
import { recordEach } from '../../../platform/audit/audit-log.ts';
import { rowOf, rowsOf, type Basics, type Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';

type Receiver = { id: string; email: string; display_name: string };

const dayMs = 24 * 60 * 60_000;
const atOnce = 500;

/** Whoever is to have the files: active, and none of those who leave. Locked, so that they do not leave meanwhile. */
export async function requireReceiver(
  transaction: Queryable,
  address: string,
  leaving: string[],
): Promise<Receiver> {
  const receiver = await rowOf<Receiver>(transaction, {
    text: `select id, email, display_name from people
           where email_canonical = $1 and status = 'active' and id <> all($2) for share`,
    values: [canonicalEmail(address), leaving],
  });
  if (!receiver) throw fail(removedErrors.receiverUnusable);
  return receiver;
}

/**
 * Gives how many files of each former owner changed hands; nobody of whom none did is among them. `$owner` is the column that
 * names them. What was deleted and can still be brought back goes with them, uncounted.
 */
async function take(
  transaction: Queryable,
  owner: 'owner_id' | 'former_owner_id',
  from: string[],
  { id, email, display_name: name }: Receiver,
): Promise<Map<string, number>> {
  // What somebody owns is not shared with them as well.
  await transaction.query({
    text: `delete from attachment_shares where person_id = $2 and attachment_id in (
             select id from attachments where ${owner} = any($1))`,
    values: [from, id],
  });
  const rows = await rowsOf<{ former: string; files: number }>(transaction, {
    text: `with mine as (
             select id, ${owner} as former from attachments where ${owner} = any($1) for update),
           taken as (
             update attachments set owner_id = $2, owner_name = $3, owner_email = $4, former_owner_id = null, delete_at = null,
               version = version + 1
             from mine where attachments.id = mine.id returning former, deleted_at)
           select former, count(*) filter (where deleted_at is null) as files from taken group by former`,
    values: [from, id, name, email],
  });
  return new Map(rows.map(({ former, files }) => [former, files]));
}

/** To be called before the people go. */
export function handOver(transaction: Queryable, from: string[], to: Receiver): Promise<Map<string, number>> {
  return take(transaction, 'owner_id', from, to);
}

/** Files that wait to be deleted, as long as they do. */
export function handOverLeft(
  transaction: Queryable,
  from: string,
  to: Receiver,
): Promise<Map<string, number>> {
  return take(transaction, 'former_owner_id', [from], to);
}

/** To be called before the people go. Gives the day, and how many files of each of them it is about: as above. */
export async function deleteLater(
  transaction: Queryable,
  from: string[],
  now: number,
): Promise<{ at: Date; files: Map<string, number> }> {
  const at = new Date(now + fileRetentionDays * dayMs);
  const rows = await rowsOf<{ former: string; files: number }>(transaction, {
    text: `with left_behind as (
             update attachments set former_owner_id = owner_id, delete_at = $2, version = version + 1
             where owner_id = any($1) returning former_owner_id, deleted_at)
           select former_owner_id as former, count(*) as files from left_behind where deleted_at is null group by 1`,
    values: [from, at],
  });
  return { at, files: new Map(rows.map(({ former, files }) => [former, files])) };
}

/** Deletes files whose day has come, each with its entry in the log. Several processes may do it at once. */
export async function deleteLeftFiles(deps: Basics): Promise<number> {
  const at = new Date(deps.now());
  for (let deleted = 0; ;) {
    const part = await deps.database.transaction(async (transaction) => {
      const { rows } = await transaction.query<{
        id: string;
        name: string;
        size: number;
        owner_email: string;
      }>({
        text: `update attachments set deletion_id = $2, deleted_at = $1, delete_at = null, version = version + 1
               where id in (
                 select id from attachments where delete_at <= $1 and deleted_at is null
                 order by delete_at limit ${atOnce} for update skip locked)
               returning id, name, size, owner_email`,
        values: [at, deps.newId()],
      });
      if (rows.length > 0)
        await recordEach(transaction, rows, ({ id, name, size, owner_email: owner }) => ({
          action: 'attachment.deleted',
          actor: null,
          target: { type: 'attachment', id, label: name },
          origin: { requestId: 'removal', address: 'local' },
          detail: { owner, size },
        }));
      return rows.length;
    });
    deleted += part;
    if (part < atOnce) return deleted;
  }
}

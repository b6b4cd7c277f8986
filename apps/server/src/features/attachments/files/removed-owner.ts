/** Files of removed people; files on records of extensions stay there. Transfers ignore the quota: a removal must not fail for lack of space. */
import { fileRetentionDays, removedErrors } from '@vestibule/contract/people/removed';
import { recordEach, serverOrigin } from '../../../platform/audit/audit-log.ts';
import { attachmentAudit } from './attachment-changes.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { dayMs } from '../../../platform/time-units.ts';

type NewOwner = { id: string; email: string; display_name: string };

const batchSize = 500;
const removal = { caller: null, origin: serverOrigin('removal') };

/** Returns the receiver, locked against removal. Throws if the receiver is not active or is among the people to remove. */
export async function requireReceiver(
  transaction: Queryable,
  address: string,
  removedIds: string[],
): Promise<NewOwner> {
  const receiver = await rowOf<NewOwner>(transaction)`
    select id, email, display_name from people
    where email_canonical = ${canonicalEmail(address)} and status = 'active' and id <> all(${removedIds}) for share`;
  if (!receiver) throw fail(removedErrors.receiverUnusable);
  return receiver;
}

/**
 * Transfers the files of people who are about to be deleted (`owner_id`), or of removed people whose files are waiting for deletion
 * (`former_owner_id`), including deleted files. Returns the number of files that are not deleted, keyed by previous owner.
 */
export async function transferFiles(
  transaction: Queryable,
  owner: 'owner_id' | 'former_owner_id',
  ownerIds: string[],
  { id, email, display_name: name }: NewOwner,
): Promise<Map<string, number>> {
  // A file is not shared with its owner.
  await execute(transaction)`
    delete from attachment_shares where person_id = ${id} and attachment_id in (
    select id from attachments where ${rawSql(owner)} = any(${ownerIds}) and record_id is null)`;
  const rows = await rowsOf<{ previous_owner: string; files: number }>(transaction)`
    with owned as (
      select id, ${rawSql(owner)} as previous_owner from attachments where ${rawSql(owner)} = any(${ownerIds})
        and record_id is null for update),
    updated as (
      update attachments set owner_id = ${id}, owner_name = ${name}, owner_email = ${email}, former_owner_id = null,
        delete_at = null,
        version = version + 1
      from owned where attachments.id = owned.id returning previous_owner, deleted_at)
    select previous_owner, count(*) filter (where deleted_at is null) as files from updated group by previous_owner`;
  return new Map(rows.map(({ previous_owner, files }) => [previous_owner, files]));
}

/** Schedules the deletion of all files of people. Call before deleting the people. */
export async function scheduleDeletion(
  transaction: Queryable,
  ownerIds: string[],
  now: number,
): Promise<{ at: Date; files: Map<string, number> }> {
  const at = new Date(now + fileRetentionDays * dayMs);
  const rows = await rowsOf<{ previous_owner: string; files: number }>(transaction)`
    with updated as (
      update attachments set former_owner_id = owner_id, delete_at = ${at}, version = version + 1
      where owner_id = any(${ownerIds}) and record_id is null returning former_owner_id, deleted_at)
    select former_owner_id as previous_owner, count(*) as files from updated where deleted_at is null group by 1`;
  return { at, files: new Map(rows.map(({ previous_owner, files }) => [previous_owner, files])) };
}

/** Deletes files that are due, with an audit entry each. Safe to run in several processes. */
export async function deleteDueFiles(deps: CoreDeps): Promise<number> {
  const at = new Date(deps.now());
  for (let deleted = 0; ;) {
    const count = await deps.database.transaction(async (transaction) => {
      const rows = await rowsOf<{
        id: string;
        name: string;
        size: number;
        owner_email: string;
      }>(transaction)`
        update attachments set deletion_id = ${deps.newId()}, deleted_at = ${at}, delete_at = null,
          version = version + 1
        where id in (
          select id from attachments where delete_at <= ${at} and deleted_at is null
          order by delete_at limit ${rawSql(batchSize)} for update skip locked)
        returning id, name, size, owner_email`;
      if (rows.length > 0)
        await recordEach(transaction, rows, ({ size, owner_email: owner, ...file }) =>
          attachmentAudit.entry(file, 'attachment.deleted', removal, { owner, size }),
        );
      return rows.length;
    });
    deleted += count;
    if (count < batchSize) return deleted;
  }
}

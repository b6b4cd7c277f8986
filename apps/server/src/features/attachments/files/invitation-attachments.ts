/** Files shared with pending invitees, who get them in the transaction that creates the person. */
import type { Attachment, ShareablePerson } from '@vestibule/contract/attachments';
import { rawSql, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { searched } from '../../../platform/lists/list-conditions.ts';

export async function shareInvitationAttachments(
  transaction: Queryable,
  redeemed: { invitationId: string; personId: string }[],
  at: Date,
): Promise<void> {
  const invitationIds = redeemed.map(({ invitationId }) => invitationId);
  await Promise.all([
    // Locks the files in id order, to avoid deadlocks between people who join with the same files.
    transaction.query({
      name: 'lock-files-of-invitees',
      text: `select from attachments
             where id in (select attachment_id from invitation_attachments where invitation_id = any($1))
             order by id for update`,
      values: [invitationIds],
    }),
    // A separate statement, to read the attachments after the locks are acquired.
    transaction.query({
      name: 'share-files-with-invitees',
      text: `with shared as (
               insert into attachment_shares (attachment_id, person_id, shared_at)
               select attachment_id, person_id, $3
               from unnest($1::uuid[], $2::uuid[]) as redeemed (invitation_id, person_id)
               join invitation_attachments using (invitation_id)
               returning attachment_id),
             counted as (select attachment_id, count(*) as times from shared group by attachment_id)
             update attachments set shared_count = shared_count + times, version = version + 1,
               sharing = case sharing when 'everyone' then sharing else 'people' end
             from counted where id = attachment_id`,
      values: [invitationIds, redeemed.map(({ personId }) => personId), at],
    }),
  ]);
}

const inviteeColumns = `invitations.id, coalesce(nullif(invitations.name, ''), email) as "displayName", email, true as invited`;

export const findInviteesOf = (database: Queryable, attachmentId: string, at: Date) =>
  rowsOf<ShareablePerson>(database)`
    select ${rawSql(inviteeColumns)} from invitation_attachments join invitations on invitations.id = invitation_id
    where attachment_id = ${attachmentId} and status = 'pending' and expires_at > ${at} order by email`;

export type PendingInvitees = Attachment['waitedFor'];

/** Returns the pending invitees by file id. Files without pending invitees are absent. */
export async function findPendingInvitees(
  database: Queryable,
  attachmentIds: string[],
  at: Date,
): Promise<Map<string, PendingInvitees>> {
  if (attachmentIds.length === 0) return new Map();
  const rows = await rowsOf<PendingInvitees & { attachment_id: string }>(database, {
    name: 'find-invitees-for',
  })`
    select attachment_id, count(*) as count, (array_agg(email order by email))[1:3] as emails,
      (array_agg(coalesce(nullif(invitations.name, ''), email) order by email))[1:3] as names
    from invitation_attachments join invitations on invitations.id = invitation_id
    where attachment_id = any(${attachmentIds}) and status = 'pending' and expires_at > ${at} group by attachment_id`;
  return new Map(rows.map(({ attachment_id, ...invitees }) => [attachment_id, invitees]));
}

/** Returns up to 5 pending invitees whose name and address contain the words. */
export async function findInvitees(
  database: Queryable,
  search: string,
  at: Date,
): Promise<ShareablePerson[]> {
  const values: unknown[] = [at];
  const condition = searched(search, (value) => `$${values.push(value)}`);
  return rowsOf<ShareablePerson>(database, {
    text: `select ${inviteeColumns} from invitations
           where ${condition} and status = 'pending' and expires_at > $1 order by email_folded collate alphabetical limit 5`,
    values,
  });
}

/** Replaces the invitations of a file. Returns null if one of them is not pending. The lock delays their redemption. */
export async function replaceInvitees(
  transaction: Queryable,
  attachmentId: string,
  invitationIds: string[],
  at: Date,
): Promise<{ added: string[]; removed: string[] } | null> {
  const pending = await rowsOf(transaction)`
    select from invitations where id = any(${invitationIds}) and status = 'pending' and expires_at > ${at}
      order by id for share`;
  if (pending.length !== invitationIds.length) return null;
  const removed = await rowsOf<{ email: string }>(transaction)`
    delete from invitation_attachments using invitations
    where attachment_id = ${attachmentId} and invitation_id = id and id <> all(${invitationIds}) and status = 'pending'
      and expires_at > ${at}
    returning email`;
  const added = await rowsOf<{ email: string }>(transaction)`
    with inserted as (
      insert into invitation_attachments (attachment_id, invitation_id)
        select ${attachmentId}, unnest(${invitationIds}::uuid[])
      on conflict do nothing returning invitation_id)
    select email from inserted join invitations on id = invitation_id order by email`;
  return { added: added.map(({ email }) => email), removed: removed.map(({ email }) => email) };
}

/** Detaches files from all pending invitations. Returns the affected addresses by file id. */
export async function detachFiles(
  transaction: Queryable,
  attachmentIds: string[],
  at: Date,
): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ id: string; emails: string[] }>(transaction)`
    with deleted as (
      delete from invitation_attachments using invitations
      where attachment_id = any(${attachmentIds}) and invitation_id = id and status = 'pending' and expires_at > ${at}
      returning attachment_id, email)
    select attachment_id as id, array_agg(email order by email) as emails from deleted group by attachment_id`;
  return new Map(rows.map(({ id, emails }) => [id, emails]));
}

/** Reads and writes attachments, their shares and storage usage. Permissions are checked in attachment-changes.ts. */
import {
  Attachment,
  type AttachmentKind,
  type AttachmentStatus,
  type Sharing,
} from '@vestibule/contract/attachments';
import { execute, rawSql, rowOf, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import {
  bigint,
  bytes,
  defineTable,
  integer,
  timestamptz,
  text,
  uuid,
} from '../../../platform/database/define-table.ts';
import { toContract } from '../../../platform/database/to-contract.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { inCommonOrganization } from './common-organization.ts';
import { findPendingInvitees, type PendingInvitees } from './invitation-attachments.ts';

export const attachmentTable = defineTable('attachments', {
  inserted: {
    id: uuid(),
    ownerId: uuid<string | null>(),
    ownerName: text(),
    ownerEmail: text(),
    name: text(),
    type: text(),
    kind: text<AttachmentKind>(),
    size: bigint(),
    sha256: bytes(),
    status: text<AttachmentStatus>(),
    createdAt: timestamptz(),
    verifiedAt: timestamptz(),
  },
  unread: {},
  defaulted: {
    sharing: text<Sharing>(),
    sharedCount: integer(),
    virus: text<string | null>(),
    version: integer(),
  },
  otherColumns: [
    'deletedAt',
    'deletedBy',
    'deletionId',
    'formerOwnerId',
    'deleteAt',
    'organizationId',
    'recordType',
    'recordId',
  ],
});
const { columns } = attachmentTable;

export type AttachmentRow = typeof attachmentTable.types.row;

/** Person who reads. Administrators see that a file exists, even if they may not open it. */
type Viewer = { id: string; isAdmin: boolean };

/** SQL condition: `$viewer` may open the file (owned or shared). */
export const readableCondition = `owner_id = $viewer or (sharing = 'everyone' and ${inCommonOrganization('owner_id')})
  or id = any(array(select attachment_id from attachment_shares where person_id = $viewer))`;

/** SQL condition: `$viewer` sees the file. Unscanned and infected files are visible to their owner only. */
export const visibleCondition = `owner_id = $viewer or (status in ('ready', 'missing') and (${readableCondition}))`;

export type VisibleRow = AttachmentRow & { isReadable: boolean };

/** Returns the visible files of people among `ids`, sorted by id, with whether the viewer may open them. */
export const findAttachments = (
  database: Queryable,
  ids: string[],
  viewer: Viewer,
  lock: '' | 'for update' = '',
) =>
  rowsOf<VisibleRow>(database, {
    name: `find-attachments ${lock} ${viewer.isAdmin}`,
    // `owner_id` is null for files of removed people.
    text: `select ${columns}, (${readableBy('$2')}) is true as "isReadable" from attachments
           where id = any($1) and deleted_at is null and record_id is null and ${viewer.isAdmin ? 'true' : `(${visibleBy('$2')})`}
           order by id ${lock}`,
    values: [ids, viewer.id],
  });

const readableBy = (viewer: string) => readableCondition.replaceAll('$viewer', `${viewer}::uuid`);
const visibleBy = (viewer: string) => visibleCondition.replaceAll('$viewer', `${viewer}::uuid`);

export async function findReadableIds(
  database: Queryable,
  ids: string[],
  viewerId: string,
): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(database, { name: 'find-open-attachments' })`
    select id from attachments where id = any(${ids}) and deleted_at is null and record_id is null
      and (${rawSql(readableBy, viewerId)})`;
  return new Set(valuesOf(rows, 'id'));
}

export async function insertAttachment(
  transaction: Queryable,
  attachment: typeof attachmentTable.types.newRow,
): Promise<void> {
  await transaction.query({
    name: 'insert-attachment',
    text: attachmentTable.insert,
    values: [attachmentTable.parameter([attachment])],
  });
}

export async function recordVerification(
  database: Queryable,
  id: string,
  { intact, at }: { intact: boolean; at: Date },
): Promise<void> {
  await database.query({
    name: `note-contents ${intact}`,
    text: intact
      ? `update attachments set verified_at = $2 where id = $1`
      : `update attachments set status = 'missing', verified_at = $2, version = version + 1 where id = $1 and status = 'ready'`,
    values: [id, at],
  });
}

/** Updates the copies of an owner's name and address in their files. */
export const updateOwner = (
  transaction: Queryable,
  { id, displayName, email }: { id: string; displayName: string; email: string },
) =>
  execute(transaction)`
    update attachments set owner_name = ${displayName}, owner_email = ${email} where owner_id = ${id}`;

/** Replaces the individual shares, skipping people who are being removed. Returns the affected addresses. */
export async function replaceShares(
  transaction: Queryable,
  attachmentId: string,
  personIds: string[],
  at: Date,
): Promise<{ added: string[]; removed: string[] }> {
  const removed = await rowsOf<{ email: string }>(transaction)`
    with deleted as (delete from attachment_shares where attachment_id = ${attachmentId} and person_id <> all(${personIds})
      returning person_id)
    select email from deleted join people on people.id = person_id order by email`;
  const added = await rowsOf<{ email: string }>(transaction)`
    with inserted as (
      insert into attachment_shares (attachment_id, person_id, shared_at)
      select ${attachmentId}, id, ${at} from people where id = any(${personIds}) for key share
      on conflict do nothing returning person_id)
    select email from inserted join people on people.id = person_id order by email`;
  return { added: added.map(({ email }) => email), removed: removed.map(({ email }) => email) };
}

/** Removes all individual shares. Returns the affected addresses by file id. */
export async function removeShares(
  transaction: Queryable,
  attachmentIds: string[],
): Promise<Map<string, string[]>> {
  const rows = await rowsOf<{ id: string; emails: string[] }>(transaction)`
    with deleted as (
      delete from attachment_shares where attachment_id = any(${attachmentIds}) returning attachment_id, person_id)
    select attachment_id as id, array_agg(email order by email) as emails
    from deleted join people on people.id = person_id group by attachment_id`;
  return new Map(rows.map(({ id, emails }) => [id, emails]));
}

/** `bytes` includes deleted files that can still be restored. */
type Usage = { bytes: number; files: number };

/** Lower bound of owner ids. Ids below it hold the sharded totals of the site. */
const firstOwnerId = '00000000-0000-0000-0000-000000000040';

export async function readUsage(database: Queryable, ownerId: string): Promise<{ mine: Usage; all: Usage }> {
  const rows = await rowsOf<Usage & { own: boolean }>(database, { name: 'read-attachment-usage' })`
    select owner_id = ${ownerId} as own, sum(bytes)::bigint as bytes, sum(files)::bigint as files
    from attachment_usage where owner_id = ${ownerId} or owner_id < ${firstOwnerId} group by own`;
  const usageOf = (own: boolean) => rows.find((row) => row.own === own) ?? { bytes: 0, files: 0 };
  return { mine: usageOf(true), all: usageOf(false) };
}

/** Returns the bytes of deleted files that can still be restored. */
export async function readDeletedBytes(database: Queryable, ownerId: string): Promise<number> {
  const found = await rowOf<{ bytes: number }>(database, { name: 'read-deleted-bytes' })`
    select coalesce(sum(size), 0)::bigint as bytes from attachments
    where owner_id = ${ownerId} and deleted_at is not null`;
  return found?.bytes ?? 0;
}

/** Converts rows to the API format. `at` decides which invitations have expired. */
export async function toAttachments(
  database: Queryable,
  rows: VisibleRow[],
  viewer: Viewer,
  at: Date,
): Promise<Attachment[]> {
  const reportable = rows.filter(({ owner_id }) => viewer.isAdmin || owner_id === viewer.id);
  const pictures = rows.filter((row) => row.kind === 'picture' && canOpen(row));
  const [waitedFor, thumbnails] = await Promise.all([
    findPendingInvitees(database, idsOf(reportable), at),
    findThumbnails(database, idsOf(pictures)),
  ]);
  return rows.map((row) => combine(row, viewer, thumbnails.has(row.id), waitedFor.get(row.id)));
}

const idsOf = (rows: AttachmentRow[]) => rows.map(({ id }) => id);
const canOpen = ({ isReadable, status }: VisibleRow) => isReadable && status === 'ready';

async function findThumbnails(database: Queryable, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await rowsOf<{ attachment_id: string }>(database, { name: 'find-thumbnails' })`
    select attachment_id from attachment_thumbnails where attachment_id = any(${ids})`;
  return new Set(valuesOf(rows, 'attachment_id'));
}

export async function toAttachment(
  database: Queryable,
  row: VisibleRow,
  viewer: Viewer,
  at: Date,
): Promise<Attachment> {
  const [attachment] = await toAttachments(database, [row], viewer, at);
  return attachment as Attachment;
}

const toStoredFields = toContract(Attachment);

function combine(
  row: VisibleRow,
  viewer: Viewer,
  thumbnail: boolean,
  waitedFor?: PendingInvitees,
): Attachment {
  const isOwner = row.owner_id === viewer.id;
  return {
    ...toStoredFields(row),
    waitedFor: waitedFor ?? { count: 0, emails: [], names: [] },
    thumbnail,
    may: { open: canOpen(row), rename: isOwner, share: isOwner, delete: isOwner || viewer.isAdmin },
  };
}

/** Files on records of extensions: an attachment with an organization, whose permissions decide instead of its owner. */
import { AttachmentKind, sharingModes } from '@vestibule/contract/attachments';
import { attachmentErrors, uploadErrors } from '@vestibule/contract/attachments/errors';
import { recordFileErrors, recordFileRoutes, type RecordFile } from '@vestibule/contract/record-files';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import {
  rawSql,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { TypeOfRecord } from '../../../platform/extensions/extension.ts';
import {
  implement,
  type Caller,
  type CallerOrganization,
  type Implementation,
} from '../../../platform/http/implement.ts';
import type { AuthorizeInOrganization } from '../../../platform/http/organization-access.ts';
import type { CreateLink } from '../contents/file-ticket.ts';
import { attachmentAudit, type ActionContext } from './attachment-changes.ts';
import { attachmentTable, type AttachmentRow, type VisibleRow } from './attachment-store.ts';
import type { FileLimits } from './file-limits.ts';

const { columns } = attachmentTable;
const defaultMaximum = 20;

type Deps = CoreDeps & { limits: { fileBytes: number }; fileLimits: FileLimits; createLink: CreateLink };

export function recordFileImplementations(deps: Deps, ofType: TypeOfRecord): Implementation[] {
  const { database, fileLimits, now, newId } = deps;
  const { type, table } = ofType;
  const routes = recordFileRoutes(type, ofType);
  const limits = {
    maximum: ofType.maximum ?? defaultMaximum,
    maximumBytes: Math.min(deps.limits.fileBytes, (ofType.maximumMB ?? Infinity) * 1_000_000),
    kinds: [...(ofType.kinds ?? AttachmentKind.options)],
  };

  /** Locks the record, so that files are added one after the other. */
  async function holdRecord(transaction: Queryable, recordId: string, organizationId: string): Promise<void> {
    const found = await rowsOf(transaction)`
      select from ${rawSql(table)} where id = ${recordId} and organization_id = ${organizationId} for no key update`;
    if (found.length === 0) throw fail(recordFileErrors.recordNotFound);
  }

  /** Returns a private file of the caller that may be added. */
  async function holdOwnFile(transaction: Queryable, id: string, caller: Caller): Promise<AttachmentRow> {
    const file = await rowOf<AttachmentRow & { isOffered: boolean }>(transaction)`
      select ${rawSql(columns)}, exists (select from invitation_attachments where attachment_id = id) as "isOffered"
      from attachments where id = ${id} and owner_id = ${caller.id} and record_id is null and deleted_at is null
        for update`;
    if (!file) throw fail(attachmentErrors.notFound);
    if (file.status === 'quarantined' || file.status === 'missing') throw fail(attachmentErrors[file.status]);
    if (file.sharing !== sharingModes.private || file.isOffered) throw fail(recordFileErrors.shared);
    const { kinds, maximumBytes: sizeLimit } = limits;
    if (!kinds.includes(file.kind)) throw fail(recordFileErrors.kindNotAllowed);
    if (file.size > sizeLimit)
      throw fail(uploadErrors.fileTooLarge, { values: { size: file.size, sizeLimit } });
    return file;
  }

  const findFile = (from: Queryable, recordId: string, fileId: string, organizationId: string) =>
    rowOf<AttachmentRow>(from)`
      select ${rawSql(columns)} from attachments
      where id = ${fileId} and organization_id = ${organizationId} and record_type = ${type} and record_id = ${recordId}
        and deleted_at is null`;

  const entry = (action: string, file: AttachmentRow, recordId: string, call: CallInOrganization) =>
    attachmentAudit.entry(file, action, call, { record: { type, id: recordId }, size: file.size });

  return [
    implement(routes.list, async ({ params: { recordId }, organization }) => {
      const rows = await rowsOf<AttachmentRow | { id: null }>(database)`
        select files.* from ${rawSql(table)} as record left join lateral (
          select ${rawSql(columns)} from attachments
          where organization_id = record.organization_id and record_type = ${type} and record_id = record.id
            and deleted_at is null) as files on true
        where record.id = ${recordId} and record.organization_id = ${organization.id}
          order by files.created_at, files.id`;
      if (rows.length === 0) throw fail(recordFileErrors.recordNotFound);
      return {
        rows: rows.flatMap((row) => (row.id === null ? [] : toRecordFile(row))),
        mayChange: organization.permissions.has(ofType.write),
        ...limits,
      };
    }),

    implement(routes.add, async (call) => {
      const { caller, organization, params, body } = call;
      await fileLimits.changes(caller);
      return retryOnDeadlock(database, async (transaction) => {
        await holdRecord(transaction, params.recordId, organization.id);
        const present = await findFile(transaction, params.recordId, body.attachmentId, organization.id);
        // The response to an earlier call was lost.
        if (present?.owner_id === caller.id) return toRecordFile(present);
        const file = await holdOwnFile(transaction, body.attachmentId, caller);
        const { maximum } = limits;
        const added = await rowsOf(transaction)`
          update attachments set organization_id = ${organization.id}, record_type = ${type},
            record_id = ${params.recordId}, version = version + 1
          where id = ${file.id} and ${maximum} > (select count(*) from attachments as other
            where other.organization_id = ${organization.id}
            and other.record_type = ${type} and other.record_id = ${params.recordId} and other.deleted_at is null)
              returning id`;
        if (added.length === 0) throw fail(recordFileErrors.tooMany, { values: { maximum } });
        await recordChange(transaction, entry('attachment.added_to_record', file, params.recordId, call));
        return toRecordFile(file);
      });
    }),

    implement(routes.link, async (call) => {
      const { recordId, fileId } = call.params;
      await fileLimits.links(call.caller);
      const file = await findFile(database, recordId, fileId, call.organization.id);
      if (!file) throw fail(attachmentErrors.notFound);
      return deps.createLink(file, call.body.purpose, call);
    }),

    implement(routes.remove, async (call) => {
      const { recordId, fileId } = call.params;
      await fileLimits.changes(call.caller);
      await database.transaction(async (transaction) => {
        const file = await rowOf<AttachmentRow>(transaction)`
          update attachments set organization_id = null, deleted_at = ${new Date(now())}, deletion_id = ${newId()},
            deleted_by = ${call.caller.id}
          where id = ${fileId} and organization_id = ${call.organization.id} and record_type = ${type}
            and record_id = ${recordId} and deleted_at is null
          returning ${rawSql(columns)}`;
        if (!file) throw fail(attachmentErrors.notFound);
        await recordChange(transaction, entry('attachment.deleted', file, recordId, call));
      });
      return {};
    }),
  ];
}

type CallInOrganization = ActionContext & { organization: CallerOrganization };

function toRecordFile(row: AttachmentRow): RecordFile {
  const { id, name, type, kind, size, owner_name: addedBy, created_at, status } = row;
  return { id, name, type, kind, size, addedBy, createdAt: created_at.toISOString(), status };
}

/** Returns a file on a record for a link. Throws if the holder of the link lacks the permission now. */
export type FindRecordFile = (
  id: string,
  holder: Parameters<AuthorizeInOrganization>[0],
) => Promise<VisibleRow | null>;

export const createFindRecordFile =
  (
    database: Queryable,
    types: readonly TypeOfRecord[],
    authorizeInOrganization: AuthorizeInOrganization,
  ): FindRecordFile =>
  async (id, holder) => {
    const file = await rowOf<VisibleRow & { organization_id: string; record_type: string }>(database)`
      select ${rawSql(columns)}, organization_id, record_type, true as "isReadable" from attachments
      where id = ${id} and organization_id is not null and deleted_at is null`;
    const ofType = types.find(({ type }) => type === file?.record_type);
    if (!file || !ofType) return null;
    await authorizeInOrganization(holder, file.organization_id, ofType.read);
    return file;
  };

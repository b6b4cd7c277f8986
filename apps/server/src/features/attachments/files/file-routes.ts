/** Routes of files and of their sharing. */
import { attachmentErrors, undoMinutes } from '@vestibule/contract/attachments/errors';
import {
  actOnAttachments,
  deleteAttachment,
  getAttachment,
  listAttachments,
  renameAttachment,
  undoDeletion,
  type AttachmentColumn,
  findPeopleToShareWith,
  listShares,
  shareAttachment,
  sharingModes,
  type ShareablePerson,
} from '@vestibule/contract/attachments';
import { type Selection } from '@vestibule/contract/values';
import { recordEach } from '../../../platform/audit/audit-log.ts';
import { runBulkAction } from '../../../platform/lists/bulk-action.ts';
import { execute, rowsOf, type CoreDeps, type DatabaseDeps } from '../../../platform/database/database.ts';
import { createListReader } from '../../../platform/lists/list-page.ts';
import { type ListSource } from '../../../platform/lists/list-source.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { createAttachmentChanges, attachmentAudit, requireFile, denialReason } from './attachment-changes.ts';
import {
  findReadableIds,
  readableCondition,
  toAttachment,
  toAttachments,
  visibleCondition,
  type AttachmentRow,
  type VisibleRow,
} from './attachment-store.ts';
import { type FileLimits } from './file-limits.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { searched } from '../../../platform/lists/list-conditions.ts';
import { inCommonOrganization } from './common-organization.ts';
import { findInvitees, findInviteesOf } from './invitation-attachments.ts';

const viewerOf = (caller: Caller) => ({ id: caller.id, seesAll: caller.isAdmin });

const attachmentList: ListSource<AttachmentColumn> = {
  table: 'kept_attachments',
  visible: visibleCondition,
  columns: {
    name: { kind: 'text', searched: true, folded: true },
    type: { kind: 'text' },
    kind: { kind: 'set' },
    size: { kind: 'number' },
    ownerName: { kind: 'text', searched: true, folded: true },
    ownerEmail: { kind: 'text', searched: true, folded: true },
    sharing: { kind: 'set' },
    createdAt: { kind: 'date' },
    status: { kind: 'set' },
    ownerId: { kind: 'id' },
    owner: {
      sql: 'owner_id',
      kind: 'set',
      values: {
        mine: 'owner_id = $viewer',
        shared: `owner_id is distinct from $viewer and (${readableCondition})`,
        others: `owner_id is distinct from $viewer and (${readableCondition}) is not true`,
      },
    },
  },
  newestFirst: 'created_at',
};

export function fileRoutes(deps: CoreDeps & { fileLimits: FileLimits }): Implementation[] {
  const { database, fileLimits, now } = deps;
  const list = createListReader<AttachmentRow, typeof attachmentList>(database, attachmentList, now).in(
    'site',
  );
  const { change, deleteFiles, changeFiles } = createAttachmentChanges(deps);
  const toResponse = (file: VisibleRow, caller: Caller) =>
    toAttachment(database, file, caller, new Date(now()));
  const undoUntil = () => new Date(now() + undoMinutes * 60_000).toISOString();

  return [
    implement(listAttachments, async ({ query, caller }) => {
      const { rows, total } = await list.page({ ...query, viewer: viewerOf(caller) });
      const readableIds = caller.isAdmin
        ? await findReadableIds(database, valuesOf(rows, 'id'), caller.id)
        : null;
      return {
        rows: await toAttachments(
          database,
          rows.map((row) => ({ ...row, isReadable: readableIds?.has(row.id) ?? true })),
          caller,
          new Date(now()),
        ),
        total,
      };
    }),

    implement(getAttachment, async ({ params, caller }) =>
      toResponse(await requireFile(database, params.attachmentId, caller), caller),
    ),

    implement(renameAttachment, async (call) => {
      const { name } = call.body;
      await fileLimits.changes(call.caller);
      const file = await change(call, 'owner', async (transaction, before) => {
        if (name === before.name) return;
        await execute(transaction)`
          update attachments set name = ${name}, version = version + 1 where id = ${before.id}`;
        await attachmentAudit.record(transaction, before, 'attachment.renamed', call, {
          before: { name: before.name },
          after: { name },
        });
      });
      return toResponse(file, call.caller);
    }),

    implement(deleteAttachment, async (call) => {
      const deletionId = deps.newId();
      await fileLimits.changes(call.caller);
      await change(call, 'owner or administrator', (transaction, file) =>
        deleteFiles(transaction, [file], deletionId, call),
      );
      return { deletionId, undoUntil: undoUntil() };
    }),

    // Not rate limited: it restores at most what was deleted, and a late undo would lose files.
    implement(undoDeletion, (call) =>
      database.transaction(async (transaction) => {
        const rows = await rowsOf<AttachmentRow>(transaction)`
          update attachments set deletion_id = null, deleted_at = null, deleted_by = null, version = version + 1
          where deletion_id = ${call.params.deletionId} and deleted_by = ${call.caller.id}
            and deleted_at > ${new Date(now() - undoMinutes * 60_000)} returning *`;
        if (rows.length === 0) throw fail(attachmentErrors.undoTooLate);
        await recordEach(transaction, rows, (file) =>
          attachmentAudit.entry(file, 'attachment.restored', call),
        );
        return { restored: rows.length };
      }),
    ),

    implement(actOnAttachments, async (call) => {
      const { action, selection } = call.body;
      const deletionId = deps.newId();
      const source = { select: (chosen: Selection) => list.select(chosen, viewerOf(call.caller)) };
      const result = await runBulkAction(
        source,
        selection,
        async (ids) => {
          await fileLimits.changes(call.caller, ids.length);
          return changeFiles(ids, action, deletionId, call);
        },
        now,
      );
      const isDeletion = action === 'delete' && result.done > 0;
      return { ...result, deletion: isDeletion ? { deletionId, undoUntil: undoUntil() } : null };
    }),
  ];
}

export function sharingRoutes(deps: DatabaseDeps & { fileLimits: FileLimits }): Implementation[] {
  const { database, fileLimits } = deps;
  const { change, share } = createAttachmentChanges(deps);
  const lookUps = createRateLimit(deps, { name: 'people to share with', maximum: 60, windowSeconds: 60 });

  return [
    implement(shareAttachment, async (call) => {
      const { personIds, invitationIds = [] } = call.body;
      await fileLimits.changes(call.caller, 1 + personIds.length + invitationIds.length);
      const file = await change(call, 'owner', (transaction, before) =>
        share(transaction, before, call.body, call),
      );
      return toAttachment(database, file, call.caller, new Date(deps.now()));
    }),

    implement(listShares, async ({ params, caller }) => {
      const file = await requireFile(database, params.attachmentId, caller);
      if (denialReason(file, caller, 'owner or administrator') !== null)
        throw fail(attachmentErrors.ownerOnly);
      const rows = await rowsOf<ShareablePerson>(database)`
        select id, display_name as "displayName", email, false as invited
        from attachment_shares join people on id = person_id
        where attachment_id = ${file.id} order by display_name_folded collate alphabetical, id`;
      const invited = caller.isAdmin ? await findInviteesOf(database, file.id, new Date(deps.now())) : [];
      return {
        version: file.version,
        sharing:
          file.sharing === sharingModes.private && invited.length > 0 ? sharingModes.people : file.sharing,
        people: [...rows, ...invited],
      };
    }),

    implement(findPeopleToShareWith, async ({ query: { search }, caller }) => {
      assertWithinRateLimit(await lookUps.take(caller.id));
      const values: unknown[] = [caller.id];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const condition = caller.isAdmin
        ? searched(search, parameter)
        : `email_canonical = ${parameter(canonicalEmail(search))} and ${inCommonOrganization('id').replaceAll('$viewer', '$1')}`;
      const rows = await rowsOf<ShareablePerson>(database, {
        text: `select id, display_name as "displayName", email, false as invited from people
               where ${condition} and status = 'active' and id <> $1 order by display_name_folded collate alphabetical, id limit 10`,
        values,
      });
      const invited = caller.isAdmin ? await findInvitees(database, search, new Date(deps.now())) : [];
      return { people: [...rows, ...invited] };
    }),
  ];
}

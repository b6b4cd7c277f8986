/** Routes to list, rename, delete and restore files. */
import { attachmentErrors, undoMinutes } from '@vestibule/contract/attachments/errors';
import {
  actOnAttachments,
  deleteAttachment,
  getAttachment,
  listAttachments,
  renameAttachment,
  undoDeletion,
  type AttachmentColumn,
} from '@vestibule/contract/attachments';
import type { Selection } from '@vestibule/contract/values';
import { recordChange, recordEach } from '../../../platform/audit/audit-log.ts';
import { runBulkAction } from '../../../platform/lists/bulk-action.ts';
import { rowsOf, type Basics } from '../../../platform/database/database.ts';
import { createListReader } from '../../../platform/lists/list-page.ts';
import type { ListSource } from '../../../platform/lists/list-source.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { attachmentChanges, entryOf, requireFile } from './attachment-changes.ts';
import {
  findOpen,
  openTo,
  toAttachment,
  toAttachments,
  visibleTo,
  type AttachmentRow,
  type SeenRow,
} from './attachment-store.ts';
import type { FileLimits } from './file-limits.ts';

const viewerOf = (caller: Caller) => ({ id: caller.id, seesAll: caller.isAdmin });

const attachmentList: ListSource<AttachmentColumn> = {
  table: 'kept_attachments',
  visible: visibleTo,
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
        shared: `owner_id is distinct from $viewer and (${openTo})`,
        others: `owner_id is distinct from $viewer and (${openTo}) is not true`,
      },
    },
  },
  newestFirst: 'created_at',
};

export function fileRoutes(deps: Basics & { counting: FileLimits }): Implementation[] {
  const { database, counting, now } = deps;
  const list = createListReader<AttachmentRow, typeof attachmentList>(database, attachmentList, now);
  const { change, takeAway, changeMany } = attachmentChanges(deps);
  const one = (file: SeenRow, caller: Caller) => toAttachment(database, file, caller, new Date(now()));
  const undoUntil = () => new Date(now() + undoMinutes * 60_000).toISOString();

  return [
    implement(listAttachments, async ({ query, caller }) => {
      const { rows, total } = await list.page({ ...query, viewer: viewerOf(caller) });
      const open = caller.isAdmin ? await findOpen(database, valuesOf(rows, 'id'), caller.id) : null;
      return {
        rows: await toAttachments(
          database,
          rows.map((row) => ({ ...row, opens: open?.has(row.id) ?? true })),
          caller,
          new Date(now()),
        ),
        total,
      };
    }),

    implement(getAttachment, async ({ params, caller }) =>
      one(await requireFile(database, params.attachmentId, caller), caller),
    ),

    implement(renameAttachment, async (call) => {
      const { name } = call.body;
      await counting.changes(call.caller);
      const file = await change(call, 'owner', async (transaction, before) => {
        if (name === before.name) return;
        await transaction.query({
          text: 'update attachments set name = $2, version = version + 1 where id = $1',
          values: [before.id, name],
        });
        await recordChange(
          transaction,
          entryOf('attachment.renamed', before, call, { before: { name: before.name }, after: { name } }),
        );
      });
      return one(file, call.caller);
    }),

    implement(deleteAttachment, async (call) => {
      const deletionId = deps.newId();
      await counting.changes(call.caller);
      await change(call, 'owner or administrator', (transaction, file) =>
        takeAway(transaction, [file], deletionId, call),
      );
      return { deletionId, undoUntil: undoUntil() };
    }),

    // Not rate limited: it restores at most what was deleted, and a late undo would lose files.
    implement(undoDeletion, (call) =>
      database.transaction(async (transaction) => {
        const rows = await rowsOf<AttachmentRow>(transaction, {
          text: `update attachments set deletion_id = null, deleted_at = null, deleted_by = null, version = version + 1
                 where deletion_id = $1 and deleted_by = $2 and deleted_at > $3 returning *`,
          values: [call.params.deletionId, call.caller.id, new Date(now() - undoMinutes * 60_000)],
        });
        if (rows.length === 0) throw fail(attachmentErrors.undoTooLate);
        await recordEach(transaction, rows, (file) => entryOf('attachment.restored', file, call));
        return { restored: rows.length };
      }),
    ),

    implement(actOnAttachments, async (call) => {
      const { action, selection } = call.body;
      const deletionId = deps.newId();
      const seen = { select: (chosen: Selection) => list.select(chosen, viewerOf(call.caller)) };
      const answer = await runBulkAction(
        seen,
        selection,
        async (ids) => {
          await counting.changes(call.caller, ids.length);
          return changeMany(ids, action, deletionId, call);
        },
        now,
      );
      const isDeletion = action === 'delete' && answer.done > 0;
      return { ...answer, deletion: isDeletion ? { deletionId, undoUntil: undoUntil() } : null };
    }),
  ];
}

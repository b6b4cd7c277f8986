/** Who sees, renames, shares and deletes which file. */
import { attachmentErrors, undoMinutes } from '@vestibule/contract/attachments/errors';
import {
  actOnAttachments,
  deleteAttachment,
  filesPath,
  findPeopleToShareWith,
  getAttachment,
  getUsage,
  linkMinutes,
  linkToAttachments,
  listAttachments,
  listShares,
  listUploads,
  renameAttachment,
  shareAttachment,
  undoDeletion,
  uploadLifetimeHours,
  type AttachmentColumn,
  type ShareablePerson,
} from '@vestibule/contract/attachments';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { Selection } from '@vestibule/contract/values';
import { recordChange, recordChanges } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { actInParts } from '../../platform/database/act-in-parts.ts';
import { createListReader, type ListSource } from '../../platform/database/list-page.ts';
import { createRateLimit } from '../../platform/database/rate-limit.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../platform/http/implement.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { attachmentChanges, entryOf, refusal, requireFile, type Act } from './files/attachment-changes.ts';
import {
  findAttachments,
  findOpen,
  openTo,
  readDeletedBytes,
  readUsage,
  toAttachment,
  visibleTo,
  type AttachmentRow,
} from './files/attachment-store.ts';
import type { FileLimits } from './files/file-limits.ts';
import type { FileTickets } from './contents/file-ticket.ts';
import type { AttachmentLimits } from './uploads/limits.ts';
import { refuseUnready } from './contents/serve-files.ts';
import type { UploadRow } from './uploads/upload-rows.ts';

const skippedShown = 100;
/** Of the names of a bundle's files, in the activity log's line; all of them are in its details. */
const labelLength = 300;
/** The archive's format counts in 32 bits; names and the like need a little. */
const zipMaximum = 4 * 1024 ** 3 - 1024 ** 2;

/** What files are listed, searched and filtered by. */
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

export function attachmentRoutes(deps: {
  database: Database;
  counting: FileLimits;
  tickets: FileTickets;
  limits: AttachmentLimits;
  scans: boolean;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, counting, now } = deps;
  const list = createListReader<AttachmentRow, typeof attachmentList>(database, attachmentList, now);
  const { change, share, takeAway, changeMany } = attachmentChanges(deps);
  const viewerOf = (caller: Caller) => ({ id: caller.id, seesAll: caller.isAdmin });
  const lookUps = createRateLimit(deps, { name: 'people to share with', maximum: 60, windowSeconds: 60 });
  const looks = createRateLimit(deps, { name: 'look at a file', maximum: 1, windowSeconds: 24 * 3_600 });

  const undoUntil = () => new Date(now() + undoMinutes * 60_000).toISOString();

  /** What of the chosen files can go into a ZIP, remembered until its link ends. */
  async function bundle(ids: string[], call: Act, until: Date) {
    const found = await findAttachments(database, ids, call.caller);
    const byId = new Map(found.filter(({ opens }) => opens).map((file) => [file.id, file]));
    const files = [...byId.values()].filter(({ status }) => status === 'ready');
    if (files.length === 0) throw fail(attachmentErrors.notFound);
    if (files.reduce((sum, { size }) => sum + size, 0) > zipMaximum) throw fail(attachmentErrors.zipTooLarge);
    const bundleId = deps.newId();
    await database.transaction(async (transaction) => {
      await transaction.query({
        text: 'insert into attachment_bundles (id, attachment_ids, expires_at) values ($1, $2, $3)',
        values: [bundleId, files.map(({ id }) => id), until],
      });
      await recordChange(transaction, {
        action: 'attachment.downloaded',
        actor: call.caller,
        target: { type: 'attachment_bundle', id: bundleId, label: labelOf(files) },
        origin: call.origin,
        detail: { files: files.map(({ id, name }) => ({ id, name })) },
      });
    });
    const skipped = ids.flatMap((id) => {
      const file = byId.get(id);
      if (file?.status === 'ready') return [];
      return [
        {
          id,
          label: file?.name ?? 'A file',
          reason: file ? attachmentErrors[file.status as 'missing'].message : 'Cannot be opened by you.',
        },
      ];
    });
    return { bundleId, skipped: skipped.slice(0, skippedShown) };
  }

  /** That somebody has seen a file is written down once a day: pictures are seen often, and also small. */
  function noteLook(file: AttachmentRow, call: Act): Promise<void> {
    return database.transaction(async (transaction) => {
      if ((await looks.take(`${call.caller.id} ${file.id}`, 1, transaction)) > 0) return;
      await recordChange(transaction, entryOf('attachment.viewed', file, call));
    });
  }

  return [
    implement(listAttachments, async ({ query, caller }) => {
      const { rows, total } = await list.page({ ...query, viewer: viewerOf(caller) });
      const open = caller.isAdmin
        ? await findOpen(
            database,
            rows.map(({ id }) => id),
            caller.id,
          )
        : null;
      return {
        rows: rows.map((row) => toAttachment({ ...row, opens: open?.has(row.id) ?? true }, caller)),
        total,
      };
    }),

    implement(getAttachment, async ({ params, caller }) =>
      toAttachment(await requireFile(database, params.attachmentId, caller), caller),
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
      return toAttachment(file, call.caller);
    }),

    implement(shareAttachment, async (call) => {
      await counting.changes(call.caller, 1 + call.body.personIds.length);
      return toAttachment(
        await change(call, 'owner', (transaction, file) => share(transaction, file, call.body, call)),
        call.caller,
      );
    }),

    implement(listShares, async ({ params, caller }) => {
      const file = await requireFile(database, params.attachmentId, caller);
      if (refusal(file, caller, 'owner or administrator') !== null) throw fail(attachmentErrors.ownerOnly);
      const { rows } = await database.query<ShareablePerson>({
        text: `select id, display_name as "displayName", email from attachment_shares join people on id = person_id
               where attachment_id = $1 order by display_name, id`,
        values: [file.id],
      });
      return { sharing: file.sharing, people: rows };
    }),

    implement(findPeopleToShareWith, async ({ query: { search }, caller }) => {
      const seconds = await lookUps.take(caller.id);
      if (seconds > 0) throw fail(requestErrors.tooMany, { retryAfterSeconds: seconds });
      const found = caller.isAdmin
        ? {
            condition: 'search like $1',
            value: `%${search.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
          }
        : { condition: 'email_canonical = $1', value: canonicalEmail(search) };
      const { rows } = await database.query<ShareablePerson>({
        text: `select id, display_name as "displayName", email from people
               where ${found.condition} and status = 'active' and id <> $2 order by display_name, id limit 10`,
        values: [found.value, caller.id],
      });
      return { people: rows };
    }),

    implement(deleteAttachment, async (call) => {
      const deletionId = deps.newId();
      await counting.changes(call.caller);
      await change(call, 'owner or administrator', (transaction, file) =>
        takeAway(transaction, [file], deletionId, call),
      );
      return { deletionId, undoUntil: undoUntil() };
    }),

    // Never limited: it brings back no more than was deleted, and what could not be undone in time would be lost.
    implement(undoDeletion, (call) =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.query<AttachmentRow>({
          text: `update attachments set deletion_id = null, deleted_at = null, deleted_by = null, version = version + 1
                 where deletion_id = $1 and deleted_by = $2 and deleted_at > $3 returning *`,
          values: [call.params.deletionId, call.caller.id, new Date(now() - undoMinutes * 60_000)],
        });
        if (rows.length === 0) throw fail(attachmentErrors.undoTooLate);
        await recordChanges(
          transaction,
          rows.map((file) => entryOf('attachment.restored', file, call)),
        );
        return { restored: rows.length };
      }),
    ),

    implement(actOnAttachments, async (call) => {
      const { action, selection } = call.body;
      const deletionId = deps.newId();
      const seen = { select: (chosen: Selection) => list.select(chosen, viewerOf(call.caller)) };
      const answer = await actInParts(
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

    implement(linkToAttachments, async (call) => {
      const { attachmentIds, purpose } = call.body;
      const { caller } = call;
      const until = now() + linkMinutes * 60_000;
      const ticketFor = (targetId: string, kind: 'download' | 'preview' | 'zip') =>
        `${filesPath}/${deps.tickets.write({
          purpose: kind,
          until,
          personId: caller.id,
          signedInAt: caller.signedInAt ?? 0,
          targetId,
        })}`;
      const answer = { until: new Date(until).toISOString(), skipped: [] };
      const ids = [...new Set(attachmentIds)];
      const [id] = ids;
      await counting.links(caller, ids.length);
      if (id === undefined || ids.length > 1) {
        const { bundleId, skipped } = await bundle(ids, call, new Date(until));
        return { ...answer, path: ticketFor(bundleId, 'zip'), skipped };
      }
      const file = await requireFile(database, id, caller);
      if (!file.opens) throw fail(attachmentErrors.notFound);
      refuseUnready(file);
      // What no browser shows is a download, whatever it is called.
      if (purpose === 'preview' && file.kind !== 'other') {
        await noteLook(file, call);
        return { ...answer, path: ticketFor(id, 'preview') };
      }
      await recordChange(database, entryOf('attachment.downloaded', file, call));
      return { ...answer, path: ticketFor(id, 'download') };
    }),

    implement(listUploads, async ({ caller }) => {
      const { rows } = await database.query<UploadRow>({
        text: 'select * from attachment_uploads where owner_id = $1 order by created_at desc limit 100',
        values: [caller.id],
      });
      return {
        rows: rows.map(({ id, name, size, received, created_at: createdAt, touched_at: touchedAt }) => ({
          id,
          name,
          size,
          received,
          createdAt: createdAt.toISOString(),
          expiresAt: new Date(touchedAt.getTime() + uploadLifetimeHours * 3_600_000).toISOString(),
        })),
      };
    }),

    implement(getUsage, async ({ caller }) => {
      const [{ mine, all }, deleted] = await Promise.all([
        readUsage(database, caller.id),
        readDeletedBytes(database, caller.id),
      ]);
      const { fileBytes, personBytes, siteBytes } = deps.limits;
      return {
        mine: { used: mine.bytes, deleted, files: mine.files, quota: personBytes },
        all: { used: all.bytes, quota: siteBytes },
        fileMaximum: fileBytes,
        scanned: deps.scans,
      };
    }),
  ];
}

function labelOf(files: { name: string }[]): string {
  const names = files.map(({ name }) => name).join(', ');
  return names.length > labelLength ? `${names.slice(0, labelLength)}…` : names;
}

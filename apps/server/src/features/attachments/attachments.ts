/** Attachments: who sees, renames, shares and deletes which file. Bytes come in by uploads.ts and go out by serve-files.ts. */
import {
  actOnAttachments,
  attachmentErrors,
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
  undoMinutes,
  uploadLifetimeHours,
  type ShareablePerson,
  type Sharing,
} from '@vestibule/contract/attachments';
import { requestErrors } from '@vestibule/contract/request-errors';
import { recordChange, recordChanges, type AuditEntry } from '../../platform/audit/audit-log.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import { createAttemptLimit } from '../../platform/http/attempt-limit.ts';
import { implement, type Caller, type Implementation, type Origin } from '../../platform/http/implement.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import {
  findAttachments,
  findOpen,
  openTo,
  readUsage,
  replaceShares,
  toAttachment,
  visibleTo,
  type AttachmentRow,
  type SeenRow,
} from './attachment-store.ts';
import type { FileTickets } from './file-ticket.ts';
import type { AttachmentLimits } from './limits.ts';
import { refuseUnready } from './serve-files.ts';
import type { UploadRow } from './upload-store.ts';

const skippedShown = 100;
/** Files changed in one transaction; more are done in several. */
const filesAtOnce = 5_000;
/** The archive's format counts in 32 bits; names and the like need a little. */
const zipMaximum = 4 * 1024 ** 3 - 1024 ** 2;

type Act = { caller: Caller; origin: Origin };
type Skipped = { id: string; label: string; reason: string };

export function attachments(deps: {
  database: Database;
  tickets: FileTickets;
  limits: AttachmentLimits;
  scans: boolean;
  now: () => number;
  newId: () => string;
}): Implementation[] {
  const { database, now } = deps;
  const list = createListReader<AttachmentRow>(
    database,
    {
      table: 'kept_attachments',
      visible: visibleTo,
      columns: {
        name: { sql: 'name', kind: 'text', searched: true },
        type: { sql: 'type', kind: 'text' },
        kind: { sql: 'kind', kind: 'set' },
        size: { sql: 'size', kind: 'number' },
        ownerName: { sql: 'owner_name', kind: 'text', searched: true },
        ownerEmail: { sql: 'owner_email', kind: 'text', searched: true },
        sharing: { sql: 'sharing', kind: 'set' },
        createdAt: { sql: 'created_at', kind: 'date' },
        status: { sql: 'status', kind: 'set' },
        ownerId: { sql: 'owner_id', kind: 'id' },
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
    },
    now,
  );
  const viewerOf = (caller: Caller) => ({ id: caller.id, seesAll: caller.isAdmin });
  const lookUps = createAttemptLimit({ maximum: 60, windowSeconds: 60, now });

  async function requireFile(
    from: Queryable,
    id: string,
    caller: Caller,
    lock?: 'for update',
  ): Promise<SeenRow> {
    const [file] = await findAttachments(from, [id], caller, lock);
    if (!file) throw fail(attachmentErrors.notFound);
    return file;
  }

  /** Changes one file, with its audit row. `may` says whether administrators may do it to others' files. */
  function change(
    call: Act & { params: { attachmentId: string }; query: { version?: number | undefined } },
    may: 'owner' | 'owner or administrator',
    work: (transaction: Queryable, file: SeenRow) => Promise<void>,
  ): Promise<SeenRow> {
    const { caller, params } = call;
    return database.transaction(async (transaction) => {
      const file = await requireFile(transaction, params.attachmentId, caller, 'for update');
      if (refusal(file, caller, may) !== null) throw fail(attachmentErrors.ownerOnly);
      if (call.query.version !== undefined && call.query.version !== file.version)
        throw fail(attachmentErrors.changed);
      await work(transaction, file);
      const [after] = await findAttachments(transaction, [file.id], caller);
      return after ?? file;
    });
  }

  async function share(
    transaction: Queryable,
    file: AttachmentRow,
    wanted: { sharing: Sharing; personIds: string[] },
    call: Act,
  ): Promise<void> {
    const personIds = wanted.sharing === 'people' ? [...new Set(wanted.personIds)] : [];
    await requirePeople(transaction, personIds);
    const { added, removed } = await replaceShares(transaction, file.id, personIds, new Date(now()));
    const sharing = wanted.sharing === 'people' && personIds.length === 0 ? 'nobody' : wanted.sharing;
    if (sharing === file.sharing && added.length === 0 && removed.length === 0) return;
    await transaction.query({
      text: 'update attachments set sharing = $2, shared_count = $3, version = version + 1 where id = $1',
      values: [file.id, sharing, personIds.length],
    });
    const entry = (action: string, detail: object) =>
      entryOf(action, file, call, { before: { sharing: file.sharing }, after: { sharing }, ...detail });
    const widened = added.length > 0 || (sharing === 'everyone' && file.sharing !== 'everyone');
    const narrowed = removed.length > 0 || (sharing !== 'everyone' && file.sharing === 'everyone');
    await recordChanges(transaction, [
      ...(widened ? [entry('attachment.shared', { people: added })] : []),
      ...(narrowed ? [entry('attachment.unshared', { people: removed })] : []),
    ]);
  }

  async function requirePeople(transaction: Queryable, ids: string[]): Promise<void> {
    const { rows } = await transaction.query<{ known: number }>({
      text: 'select count(*) as known from people where id = any($1)',
      values: [ids],
    });
    if (rows[0]?.known !== ids.length) throw fail(attachmentErrors.unknownPeople);
  }

  async function takeAway(
    transaction: Queryable,
    files: AttachmentRow[],
    deletionId: string,
    call: Act,
  ): Promise<void> {
    await transaction.query({
      text: `update attachments set deletion_id = $2, deleted_at = $3, deleted_by = $4, version = version + 1 where id = any($1)`,
      values: [files.map(({ id }) => id), deletionId, new Date(now()), call.caller.id],
    });
    await recordChanges(
      transaction,
      files.map((file) =>
        entryOf('attachment.deleted', file, call, { owner: file.owner_email, size: file.size }),
      ),
    );
  }

  const undoUntil = () => new Date(now() + undoMinutes * 60_000).toISOString();

  /** Does the same to some files in one transaction; gives those that it left out. */
  function changeMany(
    ids: string[],
    action: 'delete' | 'shareWithEveryone' | 'stopSharing',
    deletionId: string,
    call: Act,
  ): Promise<Skipped[]> {
    return database.transaction(async (transaction) => {
      const found = await findAttachments(transaction, ids, call.caller, 'for update');
      const byId = new Map(found.map((file) => [file.id, file]));
      const may = action === 'delete' ? 'owner or administrator' : 'owner';
      const skipped = ids.flatMap((id) => {
        const file = byId.get(id);
        const reason = file ? refusal(file, call.caller, may) : 'Is no longer there.';
        return reason === null ? [] : [{ id, label: file?.name ?? 'A file', reason }];
      });
      const wanted = found.filter((file) => refusal(file, call.caller, may) === null);
      if (action === 'delete') await takeAway(transaction, wanted, deletionId, call);
      else
        for (const file of wanted)
          await share(
            transaction,
            file,
            { sharing: action === 'stopSharing' ? 'nobody' : 'everyone', personIds: [] },
            call,
          );
      return skipped;
    });
  }

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
      await recordChanges(
        transaction,
        files.map((file) => entryOf('attachment.downloaded', file, call, { zip: bundleId })),
      );
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

    implement(shareAttachment, async (call) =>
      toAttachment(
        await change(call, 'owner', (transaction, file) => share(transaction, file, call.body, call)),
        call.caller,
      ),
    ),

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
      const seconds = lookUps.take(caller.id);
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
      await change(call, 'owner or administrator', (transaction, file) =>
        takeAway(transaction, [file], deletionId, call),
      );
      return { deletionId, undoUntil: undoUntil() };
    }),

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
      const ids = await list.select(selection, viewerOf(call.caller));
      const deletionId = deps.newId();
      const skipped: Skipped[] = [];
      for (let start = 0; start < ids.length; start += filesAtOnce)
        skipped.push(...(await changeMany(ids.slice(start, start + filesAtOnce), action, deletionId, call)));
      const done = ids.length - skipped.length;
      return {
        done,
        skipped: skipped.slice(0, skippedShown),
        skippedCount: skipped.length,
        deletion: action === 'delete' && done > 0 ? { deletionId, undoUntil: undoUntil() } : null,
      };
    }),

    implement(linkToAttachments, async (call) => {
      const { attachmentIds, purpose } = call.body;
      const { caller } = call;
      const until = now() + linkMinutes * 60_000;
      const ticketFor = (targetId: string, kind: 'download' | 'preview' | 'zip') =>
        `${filesPath}/${deps.tickets.write({ purpose: kind, until, personId: caller.id, targetId })}`;
      const answer = { until: new Date(until).toISOString(), skipped: [] };
      const ids = [...new Set(attachmentIds)];
      const [id] = ids;
      if (id === undefined || ids.length > 1) {
        const { bundleId, skipped } = await bundle(ids, call, new Date(until));
        return { ...answer, path: ticketFor(bundleId, 'zip'), skipped };
      }
      const file = await requireFile(database, id, caller);
      if (!file.opens) throw fail(attachmentErrors.notFound);
      refuseUnready(file);
      if (purpose === 'download') await recordChange(database, entryOf('attachment.downloaded', file, call));
      return { ...answer, path: ticketFor(id, purpose) };
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
      const { mine, all } = await readUsage(database, caller.id);
      const { fileBytes, personBytes, siteBytes } = deps.limits;
      return {
        mine: { used: mine.bytes, files: mine.files, quota: personBytes },
        all: { used: all.bytes, quota: siteBytes },
        fileMaximum: fileBytes,
        scanned: deps.scans,
      };
    }),
  ];
}

/** Why somebody may not change a file; null when they may. */
function refusal(
  file: AttachmentRow,
  caller: Caller,
  may: 'owner' | 'owner or administrator',
): string | null {
  if (file.owner_id === caller.id || (may === 'owner or administrator' && caller.isAdmin)) return null;
  return 'Belongs to somebody else.';
}

function entryOf(
  action: string,
  file: AttachmentRow,
  { caller, origin }: Act,
  detail?: Record<string, unknown>,
): AuditEntry {
  return {
    action,
    actor: caller,
    target: { type: 'attachment', id: file.id, label: file.name },
    origin,
    ...(detail && { detail }),
  };
}

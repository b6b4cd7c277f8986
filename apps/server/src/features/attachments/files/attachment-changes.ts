import { attachmentErrors, attachmentSkipped } from '@vestibule/contract/attachments/errors';
import { sharingModes, type Sharing } from '@vestibule/contract/attachments';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { auditOf, recordChanges, recordEach, type AuditEntry } from '../../../platform/audit/audit-log.ts';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { inCommonOrganization } from './common-organization.ts';
import {
  execute,
  retryOnDeadlock,
  rowOf,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Actor, Caller, CallerOrganization } from '../../../platform/http/implement.ts';
import {
  findAttachments,
  removeShares,
  replaceShares,
  type AttachmentRow,
  type VisibleRow,
} from './attachment-store.ts';
import { replaceInvitees, detachFiles } from './invitation-attachments.ts';

type Permission = 'owner' | 'owner or administrator';

/** The organization is that of a file on a record. */
export type ActionContext = Actor & { organization?: CallerOrganization | null };

/** Returns the file if the caller may see it; throws `notFound` otherwise. */
export async function requireFile(
  from: Queryable,
  id: string,
  caller: Caller,
  lock?: 'for update',
): Promise<VisibleRow> {
  const [file] = await findAttachments(from, [id], caller, lock);
  if (!file) throw fail(attachmentErrors.notFound);
  return file;
}

export function createAttachmentChanges({ database, now }: DatabaseDeps) {
  /** Changes one file. `permission`: who may make the change. */
  function change(
    call: ActionContext & { params: { attachmentId: string }; query: { version?: number | undefined } },
    permission: Permission,
    work: (transaction: Queryable, file: VisibleRow) => Promise<void>,
  ): Promise<VisibleRow> {
    const { caller, params } = call;
    return retryOnDeadlock(database, async (transaction) => {
      const file = await requireFile(transaction, params.attachmentId, caller, 'for update');
      if (denialReason(file, caller, permission) !== null) throw fail(attachmentErrors.ownerOnly);
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
    requested: { sharing: Sharing; personIds: string[]; invitationIds?: string[] | undefined },
    call: ActionContext,
  ): Promise<void> {
    const personIds = requested.sharing === sharingModes.people ? [...new Set(requested.personIds)] : [];
    await requirePeople(transaction, file.id, personIds, call.caller);
    const members = await replaceShares(transaction, file.id, personIds, new Date(now()));
    const invited = await shareWithInvited(transaction, file.id, requested.invitationIds, call);
    const added = [...members.added, ...invited.added];
    const removed = [...members.removed, ...invited.removed];
    const sharing =
      requested.sharing === sharingModes.people && personIds.length === 0
        ? sharingModes.private
        : requested.sharing;
    if (sharing === file.sharing && added.length === 0 && removed.length === 0) return;
    await execute(transaction)`
      update attachments set sharing = ${sharing}, shared_count = ${personIds.length}, version = version + 1
        where id = ${file.id}`;
    await recordChanges(transaction, sharingEntries(file, { sharing, added, removed }, call));
  }

  /** Shares with invitees. Administrators only: members must not learn who is invited. */
  async function shareWithInvited(
    transaction: Queryable,
    attachmentId: string,
    invitationIds: string[] | undefined,
    { caller }: ActionContext,
  ): Promise<{ added: string[]; removed: string[] }> {
    if (invitationIds === undefined) return { added: [], removed: [] };
    const changed = caller.isAdmin
      ? await replaceInvitees(transaction, attachmentId, [...new Set(invitationIds)], new Date(now()))
      : null;
    if (changed === null) throw fail(attachmentErrors.unknownPeople);
    return changed;
  }

  async function deleteFiles(
    transaction: Queryable,
    files: AttachmentRow[],
    deletionId: string,
    call: ActionContext,
  ): Promise<void> {
    await execute(transaction)`
      update attachments set deletion_id = ${deletionId}, deleted_at = ${new Date(now())},
        deleted_by = ${call.caller.id}, version = version + 1 where id = any(${files.map(({ id }) => id)})`;
    await recordEach(transaction, files, (file) =>
      attachmentAudit.entry(file, 'attachment.deleted', call, { owner: file.owner_email, size: file.size }),
    );
  }

  /** Changes files in one transaction. Returns the skipped ones. */
  const changeFiles = (
    ids: string[],
    action: 'delete' | 'shareWithEveryone' | 'stopSharing',
    deletionId: string,
    call: ActionContext,
  ): Promise<Skipped[]> =>
    retryOnDeadlock(database, async (transaction) => {
      const found = await findAttachments(transaction, ids, call.caller, 'for update');
      const byId = new Map(found.map((file) => [file.id, file]));
      const permission: Permission = action === 'delete' ? 'owner or administrator' : 'owner';
      const skipped = ids.flatMap((id) => {
        const file = byId.get(id);
        const reason = file ? denialReason(file, call.caller, permission) : attachmentSkipped.gone;
        return reason === null ? [] : [describeSkipped(id, file?.name, reason)];
      });
      const allowed = found.filter((file) => denialReason(file, call.caller, permission) === null);
      if (action === 'delete') await deleteFiles(transaction, allowed, deletionId, call);
      else {
        const sharing = action === 'stopSharing' ? sharingModes.private : sharingModes.everyone;
        await shareFiles(transaction, allowed, sharing, { ...call, at: new Date(now()) });
      }
      return skipped;
    });

  return { change, share, deleteFiles, changeFiles };
}

/** Returns the reason why the caller may not change the file, or null. */
export function denialReason(
  file: AttachmentRow,
  caller: Caller,
  permission: Permission,
): MessageDefinition | null {
  if (file.owner_id === caller.id || (permission === 'owner or administrator' && caller.isAdmin)) return null;
  return attachmentSkipped.notYours;
}

/** Replaces individual shares. Ending the sharing detaches the files from pending invitations as well. */
async function shareFiles(
  transaction: Queryable,
  files: AttachmentRow[],
  sharing: Exclude<Sharing, 'people'>,
  call: ActionContext & { at: Date },
): Promise<void> {
  const ids = files.map(({ id }) => id);
  const removed = await removeShares(transaction, ids);
  if (sharing === sharingModes.private)
    for (const [id, emails] of await detachFiles(transaction, ids, call.at))
      removed.set(id, [...(removed.get(id) ?? []), ...emails]);
  const changed = files.filter((file) => file.sharing !== sharing || removed.has(file.id));
  await execute(transaction)`
    update attachments set sharing = ${sharing}, shared_count = 0, version = version + 1
      where id = any(${changed.map(({ id }) => id)})`;
  await recordChanges(
    transaction,
    changed.flatMap((file) =>
      sharingEntries(file, { sharing, added: [], removed: removed.get(file.id) ?? [] }, call),
    ),
  );
}

/** Throws if a person does not exist. Members can only add people of their organizations; those who have the file may keep it. */
async function requirePeople(
  transaction: Queryable,
  attachmentId: string | null,
  ids: string[],
  caller: Pick<Caller, 'id' | 'isAdmin'>,
): Promise<void> {
  const found = await rowOf<{ count: number }>(transaction, {
    text: `select count(*) as count from people where id = any($1)
             and ($3 or ${inCommonOrganization('id').replaceAll('$viewer', '$2::uuid')}
               or exists (select from attachment_shares where attachment_id = $4 and person_id = people.id))`,
    values: [ids, caller.id, caller.isAdmin, attachmentId],
  });
  if (found?.count !== ids.length) throw fail(attachmentErrors.unknownPeople);
}

function sharingEntries(
  file: AttachmentRow,
  { sharing, added, removed }: { sharing: Sharing; added: string[]; removed: string[] },
  call: ActionContext,
): AuditEntry[] {
  const entry = (action: string, people: string[]) =>
    attachmentAudit.entry(file, action, call, {
      before: { sharing: file.sharing },
      after: { sharing },
      people,
    });
  const widened =
    added.length > 0 || (sharing === sharingModes.everyone && file.sharing !== sharingModes.everyone);
  const narrowed =
    removed.length > 0 || (sharing !== sharingModes.everyone && file.sharing === sharingModes.everyone);
  return [
    ...(widened ? [entry('attachment.shared', added)] : []),
    ...(narrowed ? [entry('attachment.unshared', removed)] : []),
  ];
}

export const attachmentAudit = auditOf('attachment', 'name');

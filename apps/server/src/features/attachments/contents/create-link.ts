/** Links to the contents of files. */
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import { filesPath, linkMinutes } from '@vestibule/contract/attachments';
import { recordChange } from '../../../platform/audit/audit-log.ts';
import type { CoreDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller } from '../../../platform/http/implement.ts';
import { aboutAttachment, type ActionContext } from '../files/attachment-changes.ts';
import type { AttachmentRow } from '../files/attachment-store.ts';
import type { FileTickets } from './file-ticket.ts';

export function assertFileReady({ status }: AttachmentRow): void {
  if (status !== 'ready') throw fail(attachmentErrors[status]);
}

/** Returns a link to one file, and records the download, or the view once a day per person and file. */
export type CreateLink = (
  file: AttachmentRow,
  purpose: 'download' | 'preview',
  call: ActionContext,
) => Promise<{ path: string; until: string }>;

/** Returns the path of a link that ends at `until`. */
export function linkPath(
  tickets: FileTickets,
  purpose: 'download' | 'preview' | 'zip',
  { targetId, caller, until }: { targetId: string; caller: Caller; until: number },
): string {
  const { signedInAt = 0, session: sessionId = null } = caller;
  const ticket = { purpose, expiresAtMs: until, personId: caller.id, signedInAt, sessionId, targetId };
  return `${filesPath}/${tickets.write(ticket)}`;
}

export function createLinks(deps: CoreDeps & { tickets: FileTickets }): CreateLink {
  const { database, tickets, now } = deps;
  const viewLimit = createRateLimit(deps, { name: 'look at a file', maximum: 1, windowSeconds: 24 * 3_600 });

  function recordView(file: AttachmentRow, call: ActionContext): Promise<void> {
    return database.transaction(async (transaction) => {
      if ((await viewLimit.take(`${call.caller.id} ${file.id}`, 1, transaction)) > 0) return;
      await recordChange(transaction, aboutAttachment(file, 'attachment.viewed', call));
    });
  }

  return async (file, purpose, call) => {
    assertFileReady(file);
    const isPreview = purpose === 'preview' && file.kind !== 'other';
    if (isPreview) await recordView(file, call);
    else await recordChange(database, aboutAttachment(file, 'attachment.downloaded', call));
    const until = now() + linkMinutes * 60_000;
    const target = { targetId: file.id, caller: call.caller, until };
    return {
      path: linkPath(tickets, isPreview ? 'preview' : 'download', target),
      until: new Date(until).toISOString(),
    };
  };
}

import { cutText } from '@vestibule/contract/rules/cut-text';
import { attachmentErrors, attachmentSkipped } from '@vestibule/contract/attachments/errors';
import { linkMinutes, linkToAttachments } from '@vestibule/contract/attachments';
import { auditOf } from '../../../platform/audit/audit-log.ts';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import type { CoreDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { requireFile, type ActionContext } from '../files/attachment-changes.ts';
import { findAttachments } from '../files/attachment-store.ts';
import type { FileLimits } from '../files/file-limits.ts';
import { assertFileReady, linkPath, type CreateLink, type FileTickets } from './file-ticket.ts';

const maxSkippedReported = 100;
/** Maximum length of the file names in the label of the audit entry; the entry's details contain all names. */
const maxLabelLength = 300;
/**
 * Maximum total size of the files. A ZIP without the ZIP64 extension has at most 4 GB; 1 MB of these are left for file names and headers.
 */
const maxZipBytes = 4 * 1024 ** 3 - 1024 ** 2;

export function linkRoutes(
  deps: CoreDeps & { fileLimits: FileLimits; tickets: FileTickets; createLink: CreateLink },
): Implementation[] {
  const { database, fileLimits, now } = deps;

  /** Stores the downloadable files as a bundle until the link expires. */
  async function createBundle(ids: string[], call: ActionContext, until: Date) {
    const found = await findAttachments(database, ids, call.caller);
    const byId = new Map(found.filter(({ isReadable }) => isReadable).map((file) => [file.id, file]));
    const files = [...byId.values()].filter(({ status }) => status === 'ready');
    if (files.length === 0) {
      for (const file of byId.values()) assertFileReady(file);
      throw fail(attachmentErrors.notFound);
    }
    if (files.reduce((sum, { size }) => sum + size, 0) > maxZipBytes)
      throw fail(attachmentErrors.zipTooLarge);
    const bundleId = deps.newId();
    await database.transaction(async (transaction) => {
      await transaction.query({
        text: 'insert into attachment_bundles (id, attachment_ids, expires_at) values ($1, $2, $3)',
        values: [bundleId, files.map(({ id }) => id), until],
      });
      const bundle = { id: bundleId, label: labelOf(files) };
      const detail = { files: files.map(({ id, name }) => ({ id, name })) };
      await bundleAudit.record(transaction, bundle, 'attachment.downloaded', call, detail);
    });
    const skipped = ids.flatMap((id) => {
      const file = byId.get(id);
      if (file?.status === 'ready') return [];
      return [
        describeSkipped(
          id,
          file?.name,
          file ? attachmentErrors[file.status as 'missing'] : attachmentSkipped.notReadable,
        ),
      ];
    });
    return { bundleId, skipped: skipped.slice(0, maxSkippedReported) };
  }

  return [
    implement(linkToAttachments, async (call) => {
      const { attachmentIds, purpose } = call.body;
      const { caller } = call;
      const ids = [...new Set(attachmentIds)];
      const [id] = ids;
      await fileLimits.links(caller, ids.length);
      if (id === undefined || ids.length > 1) {
        const until = now() + linkMinutes * 60_000;
        const { bundleId, skipped } = await createBundle(ids, call, new Date(until));
        const path = linkPath(deps.tickets, 'zip', { targetId: bundleId, caller, until });
        return { path, until: new Date(until).toISOString(), skipped };
      }
      const file = await requireFile(database, id, caller);
      if (!file.isReadable) throw fail(attachmentErrors.notFound);
      return { ...(await deps.createLink(file, purpose, call)), skipped: [] };
    }),
  ];
}

const bundleAudit = auditOf('attachment_bundle', 'label');

function labelOf(files: { name: string }[]): string {
  const names = files.map(({ name }) => name).join(', ');
  return names.length > maxLabelLength ? `${cutText(names, maxLabelLength)}…` : names;
}

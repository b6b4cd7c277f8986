/** Actions on existing files: requests, confirmations and undo. */
import { plural, t } from '@lingui/core/macro';
import {
  actOnAttachments,
  deleteAttachment,
  linkToAttachments,
  listAttachments,
  sharingModes,
  undoDeletion,
  type Attachment,
  type AttachmentsAction,
} from '@vestibule/contract/attachments';
import type { RouteRequest } from '@vestibule/contract/route';
import { listedIdsMaximum, pageMaximum } from '@vestibule/contract/rules/limits';
import { nameSkipped, skippedText, type BulkChange } from '../../ui/dialog/bulk-action.ts';
import { call } from '../../lib/call.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { copyText, toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import type { CountText } from '../../ui/grid/skipped.ts';
import type { GridSelection, SelectedRows } from '../../ui/grid/grid-selection.ts';

/** The version prevents overwriting concurrent changes. */
export const versionedRequest = ({ id, version }: Attachment) => ({
  params: { attachmentId: id },
  query: { version },
});

/** Copies the URL of a file, or shows it if copying is not allowed. */
export const copyLink = (file: Attachment): Promise<void> =>
  copyText(
    `${window.location.origin}/attachment?file=${file.id}`,
    file.sharing === sharingModes.private
      ? t`The link to ${file.name} is on your clipboard. Only you can open the file until you share it.`
      : t`The link to ${file.name} is on your clipboard. The people it is shared with can open the file.`,
    t`The link to ${file.name}:`,
  );

export function startDownload(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}

/** Downloads one file, or several as a ZIP. `known` contains rows of the list, which provide the names of files that no longer exist. */
export const download = (ids: readonly string[], known: readonly Attachment[] = []): Promise<boolean> =>
  runWithErrorToast(async () => {
    const body = { attachmentIds: [...ids], purpose: 'download' as const };
    const { path, skipped } = await call(linkToAttachments, { body });
    startDownload(path);
    if (skipped.length === 0) return;
    const remaining = { skipped, skippedCount: skipped.length };
    const names = skippedText(nameSkipped(remaining, known, { nameOf: ({ name }) => name }));
    toast.failure(t`Not in the ZIP: ${names}`);
  });

/** Downloads the selected files of a grid, including "all matching". */
export async function downloadSelected({ selection, count, rows }: SelectedRows<Attachment>): Promise<void> {
  if (count > listedIdsMaximum) {
    toast.failure(
      t`A ZIP can hold at most ${listedIdsMaximum} files. Narrow the search and download in parts.`,
    );
    return;
  }
  await runWithErrorToast(async () => {
    await download(await idsOf(selection), rows);
  });
}

const fetchPage = fetchPageFrom(listAttachments);

async function idsOf(selection: GridSelection): Promise<string[]> {
  if ('ids' in selection) return selection.ids;
  const { search, filters, except = [], total } = selection.all;
  const { signal } = new AbortController();
  const filterState = { ...(search && { search }), ...(filters && { filters }) };
  const ids: string[] = [];
  for (let offset = 0; offset < total; offset += pageMaximum) {
    const { rows } = await fetchPage({ offset, limit: pageMaximum, ...filterState }, signal);
    ids.push(...rows.map(({ id }) => id));
  }
  return ids.filter((id) => !except.includes(id)).slice(0, listedIdsMaximum);
}

/** Deletes a file and offers undo. Calls `onChanged` after both. */
export const deleteOne = (file: Attachment, onChanged: () => void): Promise<boolean> =>
  runWithErrorToast(async () => {
    const { deletionId } = await call(deleteAttachment, versionedRequest(file));
    onChanged();
    showDeleted(t`${file.name} is deleted.`, [deletionId], onChanged);
  });

const belongToOthers: CountText = (count) =>
  plural(count, { one: '# belongs to someone else', other: '# belong to someone else' });
const unreadable: CountText = (count) =>
  plural(count, { one: '# cannot be opened', other: '# cannot be opened' });

export const sharingSkipReason = ({ may }: Attachment) => (may.share ? null : belongToOthers);
export const downloadSkipReason = ({ may, status }: Attachment) =>
  may.open && status === 'ready' ? null : unreadable;

type Selection = RouteRequest<typeof actOnAttachments>['body']['selection'];

type AttachmentChange = BulkChange<Attachment, Selection> & { action: AttachmentsAction };

const changeTexts = (): readonly (Omit<AttachmentChange, 'act' | 'onChanged'> & {
  done: (count: number) => string;
})[] => [
  {
    action: 'shareWithEveryone',
    skipReason: sharingSkipReason,
    label: t`Share with everyone`,
    danger: false,
    consequence: t`Everyone here can open them, including people who join later.`,
    done: (count) =>
      plural(count, { one: '# file shared with everyone.', other: '# files shared with everyone.' }),
  },
  {
    action: 'stopSharing',
    skipReason: sharingSkipReason,
    label: t`Stop sharing`,
    danger: false,
    consequence: t`Only their owners can still open them. Links to them say so.`,
    done: (count) =>
      plural(count, { one: '# file is no longer shared.', other: '# files are no longer shared.' }),
  },
  {
    action: 'delete',
    skipReason: ({ may }) => (may.delete ? null : belongToOthers),
    canUndo: true,
    label: t`Delete`,
    danger: true,
    consequence: t`They will be gone for everyone. You can undo this for a few minutes.`,
    done: (count) => plural(count, { one: '# file deleted.', other: '# files deleted.' }),
  },
];

/** Returns the changes of selected files. `onUndone` is called after an undo. */
export const bulkChanges = (onUndone: () => void): readonly AttachmentChange[] =>
  changeTexts().map(({ done, ...change }) => {
    const deletions: string[] = [];
    return {
      ...change,
      act: async (selection) => {
        const result = await call(actOnAttachments, { body: { action: change.action, selection } });
        if (result.deletion) deletions.push(result.deletion.deletionId);
        return result;
      },
      onChanged: (count) =>
        deletions.length > 0
          ? showDeleted(done(count), deletions.splice(0), onUndone)
          : toast.success(done(count)),
    };
  });

/** Removes the undone deletions from `remaining`, so that a retry after a failure skips them. */
function showDeleted(text: string, remaining: string[], onChanged: () => void): void {
  let count = 0;
  const undo = () =>
    runWithErrorToast(async () => {
      while (remaining[0] !== undefined) {
        count += (await call(undoDeletion, { params: { deletionId: remaining[0] } })).restored;
        remaining.shift();
      }
      onChanged();
      toast.success(plural(count, { one: '# file restored.', other: '# files restored.' }));
    });
  toast.success(text, { undo });
}

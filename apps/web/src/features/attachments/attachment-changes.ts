/** What somebody does with files that are there: the calls, what is told afterwards, and how it is taken back. */
import { plural, t } from '@lingui/core/macro';
import {
  actOnAttachments,
  deleteAttachment,
  linkToAttachments,
  listAttachments,
  undoDeletion,
  type Attachment,
  type AttachmentsAction,
} from '@vestibule/contract/attachments';
import type { RouteRequest } from '@vestibule/contract/route';
import { listedIdsMaximum, pageMaximum } from '@vestibule/contract/rules/limits';
import { callUntilDone } from '../../ui/dialog/bulk-calls.ts';
import { countOf } from './attachment-texts.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { copyText } from '../../ui/toast/copy-text.ts';
import type { CountText } from '../../ui/grid/selection/skipped.ts';
import type { GridSelection, SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { BulkProgress } from '../../ui/dialog/bulk-action-dialog.tsx';
import { nameSkipped, skippedText, type SkippedRows } from '../../ui/dialog/skipped-rows.ts';
import { runBulkAction } from '../../ui/dialog/bulk-action.ts';
import { toast } from '../../ui/toast/toast.tsx';
import { runWithErrorToast } from '../../ui/toast/run-with-error-toast.ts';

/** The version tells the server what was on the screen, so that nobody overwrites what another has just changed. */
export const ofAttachment = ({ id, version }: Attachment) => ({
  params: { attachmentId: id },
  query: { version },
});

/** Puts a file's address, which leads to it whoever may see it, on the clipboard; or shows it. */
export function copyLink(file: Attachment): Promise<void> {
  return copyText(
    `${window.location.origin}/attachment?file=${file.id}`,
    file.sharing === 'nobody'
      ? t`The link to ${file.name} is on your clipboard. Only you can open the file until you share it.`
      : t`The link to ${file.name} is on your clipboard. The people it is shared with can open the file.`,
    t`The link to ${file.name}:`,
  );
}

/** Saves one file as it is, or several as a ZIP. */
export function download(ids: readonly string[], known: readonly Attachment[] = []): Promise<boolean> {
  return runWithErrorToast(async () => {
    const body = { attachmentIds: [...ids], purpose: 'download' as const };
    const { path, skipped } = await call(linkToAttachments, { body });
    const link = document.createElement('a');
    link.href = path;
    link.download = '';
    link.click();
    if (skipped.length === 0) return;
    const left = { skipped, skippedCount: skipped.length };
    const names = skippedText(nameSkipped(left, known, { nameOf: ({ name }) => name }));
    toast.failure(t`Not in the ZIP: ${names}`);
  });
}

/** The same for what is selected in a grid, also when that is "all that match". */
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
  const question = { ...(search && { search }), ...(filters && { filters }) };
  const ids: string[] = [];
  for (let offset = 0; offset < total; offset += pageMaximum) {
    const { rows } = await fetchPage({ offset, limit: pageMaximum, ...question }, signal);
    ids.push(...rows.map(({ id }) => id));
  }
  return ids.filter((id) => !except.includes(id)).slice(0, listedIdsMaximum);
}

/** Deletes a file; the toast takes it back. `onChanged` after either. */
export function deleteOne(file: Attachment, onChanged: () => void): Promise<boolean> {
  return runWithErrorToast(async () => {
    const { deletionId } = await call(deleteAttachment, ofAttachment(file));
    onChanged();
    tellDeleted(t`${file.name} is deleted.`, [deletionId], onChanged);
  });
}

/** What can be done to many: its button, what the dialog says, and what is told afterwards. */
export type ManyChange = {
  action: AttachmentsAction;
  label: string;
  danger: boolean;
  /** The message about it takes it back. */
  canUndo?: true;
  /** Of which files it cannot be done. */
  skipReason: (file: Attachment) => CountText | null;
  consequence: string;
  done: (count: number) => string;
};

const ofOthers: CountText = (count) =>
  plural(count, { one: '# belongs to someone else', other: '# belong to someone else' });
const unreadable: CountText = (count) =>
  plural(count, { one: '# cannot be opened', other: '# cannot be opened' });

export const sharingLeavesOut = ({ may }: Attachment) => (may.share ? null : ofOthers);
export const downloadLeavesOut = ({ may, status }: Attachment) =>
  may.open && status === 'ready' ? null : unreadable;

export const manyChanges = (): readonly ManyChange[] => [
  {
    action: 'shareWithEveryone',
    skipReason: sharingLeavesOut,
    label: t`Share with everyone`,
    danger: false,
    consequence: t`Everyone here can open them, including people who join later.`,
    done: (count) =>
      plural(count, { one: '# file shared with everyone.', other: '# files shared with everyone.' }),
  },
  {
    action: 'stopSharing',
    skipReason: sharingLeavesOut,
    label: t`Stop sharing`,
    danger: false,
    consequence: t`Only their owners can still open them. Links to them say so.`,
    done: (count) =>
      plural(count, { one: '# file is no longer shared.', other: '# files are no longer shared.' }),
  },
  {
    action: 'delete',
    skipReason: ({ may }) => (may.delete ? null : ofOthers),
    canUndo: true,
    label: t`Delete`,
    danger: true,
    consequence: t`They will be gone for everyone. You can undo this for a few minutes.`,
    done: (count) => plural(count, { one: '# file deleted.', other: '# files deleted.' }),
  },
];

type Selection = RouteRequest<typeof actOnAttachments>['body']['selection'];

/** Those that it was not done to, null after a failure; toasts tell how many it was done to, and what failed. */
export async function changeMany(
  { action, done: doneText }: ManyChange,
  selection: GridSelection,
  progress: BulkProgress,
  onChanged: () => void,
): Promise<SkippedRows | null> {
  const deletions: string[] = [];
  const act = async (part: Selection) => {
    const answer = await call(actOnAttachments, { body: { action, selection: part } });
    if (answer.deletion) deletions.push(answer.deletion.deletionId);
    return answer;
  };
  // The grid's columns carry the names that the route filters by.
  const { done, failure, ...left } = await callUntilDone(act, selection as Selection, progress);
  if (deletions.length > 0) tellDeleted(doneText(done), deletions, onChanged);
  else if (done > 0) toast.success(doneText(done));
  if (failure === undefined) return left;
  toast.failure(describeFailure(failure));
  return null;
}

/** To chosen files, without a question. */
export function changeAtOnce(
  change: ManyChange,
  selected: SelectedRows<Attachment>,
  onChanged: () => void,
): Promise<void> {
  return runBulkAction(selected, {
    act: (progress) => changeMany(change, selected.selection, progress, onChanged),
    nameOf: ({ name }) => name,
    countOf,
    onDone: onChanged,
  });
}

function tellDeleted(text: string, deletionIds: readonly string[], onChanged: () => void): void {
  // What is brought back before a failure is not asked for again.
  const left = [...deletionIds];
  let count = 0;
  const undo = () =>
    runWithErrorToast(async () => {
      while (left[0] !== undefined) {
        count += (await call(undoDeletion, { params: { deletionId: left[0] } })).restored;
        left.shift();
      }
      onChanged();
      toast.success(plural(count, { one: '# file restored.', other: '# files restored.' }));
    });
  toast.success(text, { undo });
}

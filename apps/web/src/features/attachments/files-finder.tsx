/** Command palette search for files. */
import { t } from '@lingui/core/macro';
import { IconFile } from '@tabler/icons-react';
import { listAttachments } from '@vestibule/contract/attachments';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder, FinderContext } from '../../lib/finder.ts';
import { FileDialogs, fileMenu, type OpenFileDialog } from './file-dialogs.tsx';
import { deleteOne } from './attachment-changes.ts';

const fetchPage = fetchPageFrom(listAttachments);

export default function filesFinder({ user, show, announceChange }: FinderContext): Finder {
  const onChanged = () => announceChange('attachments');
  const openDialog = (dialog: OpenFileDialog) =>
    show((onClose) => (
      <FileDialogs dialog={dialog} isAdmin={user.IsAdmin} onChanged={onChanged} onClose={onClose} />
    ));
  return {
    title: t`Files`,
    icon: IconFile,
    order: 3,
    // Permissions are part of each file, so the verbs need no filter.
    verbs: [t`Copy link`, t`Share`, t`Rename`, t`Delete`].map((label) => ({ label, filters: [] })),
    async search(question, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, ...question }, signal);
      return rows.map((file) => ({
        id: `file-${file.id}`,
        label: file.name,
        detail: file.ownerName || undefined,
        target: { to: '/attachment', search: { file: file.id } },
        actions: fileMenu(file, { onAsk: openDialog, onDelete: () => void deleteOne(file, onChanged) }),
      }));
    },
  };
}

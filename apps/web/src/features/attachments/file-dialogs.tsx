/** Dialogs of files, and the menu of a file. */
import { t } from '@lingui/core/macro';
import type { Attachment } from '@vestibule/contract/attachments';
import { lazy } from 'react';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { copyLink } from './attachment-changes.ts';

const RenameDialog = lazy(() => import('./rename-dialog.tsx'));
const ShareDialog = lazy(() => import('./share-dialog.tsx'));

export function useFileDialogs(isAdmin: boolean, onChanged: () => void) {
  const { dialog, open, close } = useDialog();
  const onDone = () => {
    close();
    onChanged();
  };
  return {
    dialog,
    rename: (file: Attachment) => open(() => <RenameDialog file={file} onDone={onDone} onClose={close} />),
    share: (files: readonly [Attachment, ...Attachment[]], clear?: () => void) =>
      open(() => (
        <ShareDialog
          files={files}
          isAdmin={isAdmin}
          onDone={() => {
            clear?.();
            onDone();
          }}
          onClose={close}
        />
      )),
    open,
  };
}

/** Returns the actions that the user may perform on a file. */
export function fileMenu(
  file: Attachment,
  { rename, share }: Pick<ReturnType<typeof useFileDialogs>, 'rename' | 'share'>,
  onDelete: () => void,
): MenuItem[] {
  const { may } = file;
  return [
    { label: t`Copy link`, onSelect: () => void copyLink(file) },
    ...(may.share ? [{ label: t`Share`, onSelect: () => share([file]) }] : []),
    ...(may.rename ? [{ label: t`Rename`, onSelect: () => rename(file) }] : []),
    ...(may.delete ? [{ label: t`Delete`, danger: true, onSelect: onDelete }] : []),
  ];
}

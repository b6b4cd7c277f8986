/** Dialogs of files, and the menu of a file. */
import { t } from '@lingui/core/macro';
import type { Attachment } from '@vestibule/contract/attachments';
import { lazy } from 'react';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { runBulkChange, copyLink, type BulkChange } from './attachment-changes.ts';
import { countOf } from './attachment-texts.ts';

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
    confirm: (change: BulkChange, selected: SelectedRows<Attachment>) =>
      open(() => (
        <BulkActionDialog
          title={change.label}
          danger={change.danger}
          selected={selected}
          nameOf={({ name }) => name}
          countOf={countOf}
          onConfirm={(progress) => runBulkChange(change, selected.selection, progress, onChanged)}
          onDone={onChanged}
          onClose={close}
        >
          <p>{change.consequence}</p>
        </BulkActionDialog>
      )),
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

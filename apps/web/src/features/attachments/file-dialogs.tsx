/** Dialogs of files, and the menu of a file. */
import { t } from '@lingui/core/macro';
import type { Attachment } from '@vestibule/contract/attachments';
import { lazy } from 'react';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { runBulkChange, copyLink, type BulkChange } from './attachment-changes.ts';
import { countOf } from './attachment-texts.ts';

const RenameDialog = lazy(() => import('./rename-dialog.tsx'));
const ShareDialog = lazy(() => import('./share-dialog.tsx'));

export type OpenFileDialog =
  | { kind: 'rename'; file: Attachment }
  | { kind: 'share'; files: readonly [Attachment, ...Attachment[]]; clear?: () => void }
  | { kind: 'many'; change: BulkChange; selected: SelectedRows<Attachment> };

/** Returns the actions that the user may perform on a file. */
export function fileMenu(
  file: Attachment,
  { onOpenDialog, onDelete }: { onOpenDialog: (dialog: OpenFileDialog) => void; onDelete: () => void },
): MenuItem[] {
  const { share, rename, delete: remove } = file.may;
  return [
    { label: t`Copy link`, onSelect: () => void copyLink(file) },
    ...(share ? [{ label: t`Share`, onSelect: () => onOpenDialog({ kind: 'share', files: [file] }) }] : []),
    ...(rename ? [{ label: t`Rename`, onSelect: () => onOpenDialog({ kind: 'rename', file }) }] : []),
    ...(remove ? [{ label: t`Delete`, danger: true, onSelect: onDelete }] : []),
  ];
}

export function FileDialogs({
  dialog,
  isAdmin,
  onChanged,
  onClose,
}: {
  dialog: OpenFileDialog;
  isAdmin: boolean;
  onChanged: () => void;
  onClose: () => void;
}) {
  const onDone = () => {
    onClose();
    onChanged();
  };
  switch (dialog.kind) {
    case 'rename':
      return <RenameDialog file={dialog.file} onDone={onDone} onClose={onClose} />;
    case 'share': {
      const onShared = () => {
        dialog.clear?.();
        onDone();
      };
      return <ShareDialog files={dialog.files} isAdmin={isAdmin} onDone={onShared} onClose={onClose} />;
    }
    case 'many': {
      const { change, selected } = dialog;
      return (
        <BulkActionDialog
          title={change.label}
          danger={change.danger}
          selected={selected}
          nameOf={({ name }) => name}
          countOf={countOf}
          onConfirm={(progress) => runBulkChange(change, selected.selection, progress, onChanged)}
          onDone={onChanged}
          onClose={onClose}
        >
          <p>{change.consequence}</p>
        </BulkActionDialog>
      );
    }
  }
}

/** What is asked over the files before something is done to one of them or to many, and what is offered for one. */
import { t } from '@lingui/core/macro';
import type { Attachment } from '@vestibule/contract/attachments';
import { lazy } from 'react';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { changeMany, copyLink, type ManyChange } from './attachment-changes.ts';
import { countOf } from './attachment-texts.ts';

const RenameDialog = lazy(() => import('./rename-dialog.tsx'));
const ShareDialog = lazy(() => import('./share-dialog.tsx'));

export type Asked =
  | { what: 'rename'; file: Attachment }
  | { what: 'share'; files: readonly [Attachment, ...Attachment[]]; clear?: () => void }
  | { what: 'many'; change: ManyChange; selected: SelectedRows<Attachment> };

/** What somebody may do with a file besides looking at it. */
export function fileMenu(
  file: Attachment,
  { onAsk, onDelete }: { onAsk: (asked: Asked) => void; onDelete: () => void },
): MenuItem[] {
  const { share, rename, delete: remove } = file.may;
  return [
    { label: t`Copy link`, onSelect: () => void copyLink(file) },
    ...(share ? [{ label: t`Share`, onSelect: () => onAsk({ what: 'share', files: [file] }) }] : []),
    ...(rename ? [{ label: t`Rename`, onSelect: () => onAsk({ what: 'rename', file }) }] : []),
    ...(remove ? [{ label: t`Delete`, danger: true, onSelect: onDelete }] : []),
  ];
}

export function FileDialogs({
  asked,
  isAdmin,
  onChanged,
  onClose,
}: {
  asked: Asked;
  isAdmin: boolean;
  onChanged: () => void;
  onClose: () => void;
}) {
  const onDone = () => {
    onClose();
    onChanged();
  };
  switch (asked.what) {
    case 'rename':
      return <RenameDialog file={asked.file} onDone={onDone} onClose={onClose} />;
    case 'share': {
      const onShared = () => {
        asked.clear?.();
        onDone();
      };
      return <ShareDialog files={asked.files} isAdmin={isAdmin} onDone={onShared} onClose={onClose} />;
    }
    case 'many': {
      const { change, selected } = asked;
      return (
        <BulkActionDialog
          title={change.label}
          danger={change.danger}
          selected={selected}
          nameOf={({ name }) => name}
          countOf={countOf}
          onConfirm={(progress) => changeMany(change, selected.selection, progress, onChanged)}
          onDone={onChanged}
          onClose={onClose}
        >
          <p>{change.consequence}</p>
        </BulkActionDialog>
      );
    }
  }
}

/** Grid of files. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconPaperclip } from '@tabler/icons-react';
import type { Attachment } from '@vestibule/contract/attachments';
import { useState, type Ref } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { AddressOfGrid, DataGridProps, GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import {
  download,
  downloadSkipReason,
  downloadSelected,
  bulkChanges,
  sharingSkipReason,
  type BulkChange,
} from './attachment-changes.ts';
import { attachmentColumns } from './attachment-columns.ts';
import { countOf } from './attachment-texts.ts';

export function FilesGrid({
  ref,
  user,
  source,
  address,
  actions,
  onOpen,
  preview,
  onConfirmMany,
  onShare,
  onChoose,
}: {
  ref: Ref<GridHandle>;
  user: { Id: string; IsAdmin: boolean };
  source: GridSource<Attachment>;
  address: AddressOfGrid;
  actions: (file: Attachment) => MenuItem[];
  onOpen: (file: Attachment) => void;
  /** The open file. */
  preview: DataGridProps<Attachment>['detailPanel'];
  onConfirmMany: (change: BulkChange, selected: SelectedRows<Attachment>) => unknown;
  onShare: (files: readonly [Attachment, ...Attachment[]], clear: () => void) => void;
  onChoose: () => void;
}) {
  const [columns] = useState(() => attachmentColumns(user));
  return (
    <DataGrid
      ref={ref}
      label={t`Attachments`}
      countOf={countOf}
      columns={columns}
      source={source}
      address={address}
      onRowOpen={onOpen}
      detailPanel={preview}
      rowActions={(row) => [
        { label: t`Open`, onSelect: () => onOpen(row) },
        ...(row.may.open && row.status === 'ready'
          ? [{ label: t`Download`, onSelect: () => void download([row.id]) }]
          : []),
        ...actions(row),
      ]}
      bulkActions={[
        { label: t`Download`, skipReason: downloadSkipReason, onSelect: downloadSelected },
        {
          label: t`Share`,
          skipReason: sharingSkipReason,
          onSelect: ({ rows: [first, ...more], clear }) =>
            first
              ? onShare([first, ...more], clear)
              : toast.failure(t`Select files one by one to share them with people.`),
        },
        ...bulkChanges().map((change) => ({
          ...change,
          onSelect: (selected: SelectedRows<Attachment>) => onConfirmMany(change, selected),
        })),
      ]}
      emptyState={
        <EmptyState
          icon={<IconPaperclip size={32} stroke={1.5} />}
          title={t`There are no files here yet`}
          action={<Button onClick={onChoose}>{t`Choose files`}</Button>}
        >
          <Trans>
            Drop files anywhere on this page, paste them, or choose them. Only you can see them until you
            share them.
          </Trans>
        </EmptyState>
      }
    />
  );
}

/** `/attachment`: own and shared files (A5, K7). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconPaperclip } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAttachments, type Attachment } from '@vestibule/contract/attachments';
import { lazy, useState } from 'react';
import { useChanges } from '../../lib/live-changes.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { bulkAction } from '../../ui/dialog/bulk-action-dialog.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { GridAddress, GridFilter } from '../../ui/grid/grid-query.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import {
  bulkChanges,
  deleteOne,
  download,
  downloadSelected,
  downloadSkipReason,
  sharingSkipReason,
  copyLink,
} from './attachment-changes.ts';
import { attachmentColumns } from './attachment-columns.ts';
import { countOf, ownerFilterLabels, type OwnerFilter } from './attachment-texts.ts';
import { Quota, useStorageUsage } from './quota.tsx';
import { useFinishedUploads } from './uploads/uploads.ts';
import { useUploading } from './uploads/use-uploading.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import type { MenuItem } from '../../ui/menu/menu.tsx';

const route = getRouteApi('/_signed-in/attachment');

/** `file` opens a preview; `upload` opens the file picker. */
export type AttachmentsAddress = GridAddress & { file?: string | undefined; upload?: true | undefined };

const PreviewDialog = lazy(() => import('./preview/preview-dialog.tsx'));

const source: GridSource<Attachment> = {
  name: 'attachments',
  fetchPage: fetchPageFrom(listAttachments),
  sort: { column: 'createdAt', direction: 'desc' },
};

export function AttachmentsScreen() {
  const { user } = route.useRouteContext();
  const address = useListAddress<AttachmentsAddress>();
  const { file, upload: asksForFiles, filters = [] } = address.current;
  const client = useQueryClient();
  const usage = useStorageUsage();
  const [grid, setGrid] = useState<GridHandle | null>(null);
  const [columns] = useState(() => attachmentColumns(user));
  const owner = selectedOwner(filters);

  const refresh = () => {
    grid?.refresh();
    void client.invalidateQueries({ queryKey: ['attachment'] });
    void usage.refetch();
  };
  const dialogs = useFileDialogs(user.IsAdmin, refresh);
  useFinishedUploads(refresh);
  useChanges('attachments', refresh);

  const { choose, button, area } = useUploading({
    usage,
    opensChooser: asksForFiles === true,
    onChooserOpened: () => address.change({ upload: undefined }),
  });
  const open = (id: string | undefined, replace = false) => address.change({ file: id }, replace);
  const actionsFor = (row: Attachment) =>
    fileMenu(row, dialogs, () => {
      if (file === row.id) open(undefined);
      void deleteOne(row, refresh);
    });

  return (
    <Page
      title={t`Attachments`}
      fill
      // The placeholder line prevents a layout shift.
      description={usage.data ? <Quota usage={usage.data} /> : '\u00A0'}
      actions={button}
    >
      {area}
      <div className="files-bar">
        <Choice
          label={t`Whose files`}
          value={owner ?? 'all'}
          onChange={(chosen) => address.change({ filters: withOwnerFilter(filters, chosen) })}
          options={[
            { value: 'all', label: t`All` },
            { value: 'mine', label: ownerFilterLabels().mine },
            { value: 'shared', label: ownerFilterLabels().shared },
          ]}
        />
      </div>
      <DataGrid
        ref={setGrid}
        label={t`Attachments`}
        countOf={countOf}
        columns={columns}
        source={source}
        address={address}
        onRowOpen={({ id }) => open(id)}
        detailPanel={
          file === undefined
            ? undefined
            : {
                id: file,
                isDialog: true,
                panel: (
                  <PreviewDialog
                    id={file}
                    actions={actionsFor}
                    onShow={(id) => open(id, true)}
                    onClose={() => open(undefined)}
                  />
                ),
              }
        }
        rowActions={(row) => [
          { label: t`Open`, onSelect: () => open(row.id) },
          ...(row.may.open && row.status === 'ready'
            ? [{ label: t`Download`, onSelect: () => void download([row.id]) }]
            : []),
          ...actionsFor(row),
        ]}
        bulkActions={[
          { label: t`Download`, skipReason: downloadSkipReason, onSelect: downloadSelected },
          {
            label: t`Share`,
            skipReason: sharingSkipReason,
            onSelect: ({ rows: [first, ...more], clear }) =>
              first
                ? dialogs.share([first, ...more], clear)
                : toast.failure(t`Select files one by one to share them with people.`),
          },
          ...bulkChanges(refresh).map((change) =>
            bulkAction(change, {
              open: dialogs.open,
              onDone: refresh,
              names: { nameOf: ({ name }) => name, countOf },
            }),
          ),
        ]}
        emptyState={
          <EmptyState
            icon={<IconPaperclip size={32} stroke={1.5} />}
            title={t`There are no files here yet`}
            action={<Button onClick={choose}>{t`Choose files`}</Button>}
          >
            <Trans>
              Drop files anywhere on this page, paste them, or choose them. Only you can see them until you
              share them.
            </Trans>
          </EmptyState>
        }
      />
      {dialogs.dialog}
    </Page>
  );
}

function withOwnerFilter(
  filters: readonly GridFilter[],
  chosen: OwnerFilter | 'all',
): GridFilter[] | undefined {
  const rest = filters.filter(({ column }) => column !== 'owner');
  if (chosen !== 'all') return [...rest, { column: 'owner', is: 'oneOf', values: [chosen] }];
  return rest.length > 0 ? rest : undefined;
}

function selectedOwner(filters: readonly GridFilter[]): OwnerFilter | null {
  const filter = filters.find(({ column }) => column === 'owner');
  const [only, ...others] = filter?.is === 'oneOf' ? filter.values : [];
  return others.length === 0 && (only === 'mine' || only === 'shared' || only === 'others') ? only : null;
}

const RenameDialog = lazy(() => import('./rename-dialog.tsx'));
const ShareDialog = lazy(() => import('./share-dialog.tsx'));

function useFileDialogs(isAdmin: boolean, onChanged: () => void) {
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
function fileMenu(
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

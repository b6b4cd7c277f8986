/** `/attachment`: own and shared files (A5, K7). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconPaperclip } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  listAttachments,
  type Attachment,
  sharingModes,
  type AttachmentColumn,
  type AttachmentKind,
} from '@vestibule/contract/attachments';
import { lazy, useState } from 'react';
import { useChanges } from '../../lib/live-changes.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { useListAddress } from '../../lib/lists/list-address.ts';
import { Button } from '../../ui/button.tsx';
import { bulkAction } from '../../ui/dialog/bulk-action-dialog.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { GridAddress } from '../../ui/grid/grid-address.ts';
import type { GridFilter } from '../../ui/grid/grid-query.ts';
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
import {
  countOf,
  ownerFilterLabels,
  type OwnerFilter,
  kindLabels,
  sharedWith,
  sharingLabels,
  statusLabels,
} from './attachment-texts.ts';
import { Quota, useStorageUsage } from './quota.tsx';
import { useFinishedUploads } from './uploads/uploads.ts';
import { useUploading } from './uploads/use-uploading.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { formatSize } from '../../language/formats.ts';
import { columnsByName, valuesOf, type GridColumn } from '../../ui/grid/grid-column.ts';
import { thumbnailOf } from './preview/thumbnails.ts';

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
  const closePreview = () => open(undefined);
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
          file !== undefined && {
            id: file,
            isDialog: true,
            onClose: closePreview,
            panel: (
              <PreviewDialog
                id={file}
                actions={actionsFor}
                onShow={(id) => open(id, true)}
                onClose={closePreview}
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

const pagePath = 'M6 3h8l4 4v14H6zM14 3v4h4';

/** Icon path data of 24 by 24. */
const kindIcons: Record<AttachmentKind, string> = {
  picture: 'M4 5h16v14H4zM9 10a1.5 1.5 0 1 1-3 0a1.5 1.5 0 0 1 3 0zM5 18l5-5 3 3 2-2 4 4',
  pdf: `${pagePath}M10 17v-6h2.5a1.8 1.8 0 0 1 0 3.6H10`,
  text: `${pagePath}M9 12h6M9 16h6`,
  audio: 'M9 17V6l10-2v11M9 17a3 3 0 1 1-6 0a3 3 0 0 1 6 0zM19 15a3 3 0 1 1-6 0a3 3 0 0 1 6 0z',
  video: 'M3 6h12v12H3zM15 11l6-3v8l-6-3z',
  other: pagePath,
};

/** Administrators also see files that are not shared with them, so only administrators can filter by such files. */
function attachmentColumns(user: { Id: string; IsAdmin: boolean }): GridColumn<Attachment>[] {
  const { mine, shared, others } = ownerFilterLabels();
  const ownerFilters = { mine, shared, ...(user.IsAdmin && { others }) };
  const statuses = statusLabels();
  return columnsByName<Attachment, Exclude<AttachmentColumn, 'ownerEmail' | 'ownerId'>>({
    name: {
      title: t`Name`,
      kind: 'text',
      icon: ({ kind }) => kindIcons[kind],
      picture: thumbnailOf,
      filter: { kind: 'text' },
      flex: 3,
      minWidth: 208,
    },
    kind: {
      title: t`Type`,
      kind: 'text',
      text: ({ kind }) => kindLabels()[kind],
      filter: { kind: 'set', values: valuesOf(kindLabels()) },
      minWidth: 82,
    },
    size: { title: t`Size`, kind: 'number', format: formatSize, minWidth: 102, narrow: 'detail' },
    ownerName: {
      title: t`Owner`,
      kind: 'person',
      person: ({ id, ownerId, ownerName, ownerEmail }) => ({
        id: ownerId ?? id,
        name: ownerName,
        email: ownerEmail,
      }),
      filter: { kind: 'text' },
      flex: 2.5,
      minWidth: 212,
      narrow: 'detail',
    },
    owner: {
      title: t`Whose`,
      kind: 'text',
      text: (file) => ownerFilterLabels()[ownerFilterOf(file, user.Id)],
      sortable: false,
      filter: { kind: 'set', values: valuesOf(ownerFilters) },
      minWidth: 150,
      hidden: true,
    },
    sharing: {
      title: t`Shared with`,
      kind: 'badge',
      badge: (file) => ({
        ...sharedWith(file),
        tone: file.sharing === sharingModes.private && file.waitedFor.count === 0 ? 'neutral' : 'accent',
      }),
      filter: { kind: 'set', values: valuesOf(sharingLabels()) },
      minWidth: 136,
      narrow: 'hidden',
    },
    createdAt: {
      title: t`Uploaded`,
      kind: 'date-time',
      filter: { kind: 'date' },
      // Space for the title and the arrow of the default sort column.
      minWidth: 168,
      narrow: 'detail',
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status, virus }) =>
        status === 'ready' ? null : { ...statuses[status], ...(virus !== null && { hint: virus }) },
      filter: { kind: 'set', values: valuesOf(statuses) },
      minWidth: 120,
    },
    type: { title: t`Media type`, kind: 'text', filter: { kind: 'text' }, minWidth: 160, hidden: true },
  });
}

function ownerFilterOf({ ownerId, may }: Attachment, userId: string): OwnerFilter {
  if (ownerId === userId) return 'mine';
  return may.open ? 'shared' : 'others';
}

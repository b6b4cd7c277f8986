/** `/attachment`: own and shared files (A5, K7). */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAttachments, type Attachment } from '@vestibule/contract/attachments';
import { lazy, Suspense, useEffectEvent, useRef, useState } from 'react';
import { useChanges } from '../../lib/live-changes.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { Choice } from '../../ui/fields/choice.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { GridAddress, GridFilter } from '../../ui/grid/grid-query.ts';
import { Page } from '../../ui/shell/page.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';
import { FileDialogs, fileMenu, type OpenFileDialog } from './file-dialogs.tsx';
import { runBulkChangeWithUndo, deleteOne } from './attachment-changes.ts';
import { ownerFilterLabels, type OwnerFilter } from './attachment-texts.ts';
import { FilesGrid } from './files-grid.tsx';
import { FileSequence } from './preview/file-sequence.ts';
import { Quota, useStorageUsage } from './quota.tsx';
import { useFinishedUploads } from './uploads/uploads.ts';
import { useUploading } from './uploads/use-uploading.tsx';

const route = getRouteApi('/_signed-in/attachment');

const PreviewDialog = lazy(() => import('./preview/preview-dialog.tsx'));

const sequence = new FileSequence(fetchPageFrom(listAttachments));
const source: GridSource<Attachment> = {
  name: 'attachments',
  fetchPage: sequence.fetchPage,
  sort: { column: 'createdAt', direction: 'desc' },
};

export function AttachmentsScreen() {
  const { user } = route.useRouteContext();
  const address = route.useSearch();
  const { file, upload: asksForFiles, filters = [] } = address;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const usage = useStorageUsage();
  const grid = useRef<GridHandle>(null);
  const [openDialog, setOpenDialog] = useState<OpenFileDialog | null>(null);
  const owner = selectedOwner(filters);

  const refresh = () => {
    grid.current?.refresh();
    void client.invalidateQueries({ queryKey: ['attachment'] });
    void usage.refetch();
  };
  useFinishedUploads(refresh);
  useChanges('attachments', refresh);

  const { choose, button, area } = useUploading({
    usage,
    opensChooser: asksForFiles === true,
    onChooserOpened: () =>
      void navigate({ search: (previous) => ({ ...previous, upload: undefined }), replace: true }),
  });
  const change = (search: Partial<typeof address>, replace = false) =>
    void navigate({ search: (previous) => ({ ...previous, ...search }), replace, resetScroll: false });
  const open = (id: string | undefined, replace = false) => change({ file: id }, replace);
  const showNext = useEffectEvent((from: string, to: string) => {
    // The preview may have been closed, or show another file by now.
    if (file === from) open(to, true);
  });
  const step = (offset: 1 | -1) =>
    runWithErrorToast(async () => {
      const next = file === undefined ? undefined : await sequence.neighbor(file, offset);
      if (next && file !== undefined) showNext(file, next.id);
    });
  const actionsFor = (row: Attachment) =>
    fileMenu(row, {
      onOpenDialog: setOpenDialog,
      onDelete() {
        if (file === row.id) open(undefined);
        void deleteOne(row, refresh);
      },
    });

  const changeAddress = (next: GridAddress) => change(next, true);
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
          onChange={(chosen) => changeAddress({ filters: withOwnerFilter(filters, chosen) })}
          options={[
            { value: 'all', label: t`All` },
            { value: 'mine', label: ownerFilterLabels().mine },
            { value: 'shared', label: ownerFilterLabels().shared },
          ]}
        />
      </div>
      <FilesGrid
        ref={grid}
        user={user}
        source={source}
        address={{ current: address, onChange: changeAddress }}
        actions={actionsFor}
        onOpen={({ id }) => open(id)}
        onConfirmMany={(bulkChange, selected) =>
          bulkChange.canUndo && 'ids' in selected.selection
            ? runBulkChangeWithUndo(bulkChange, selected, refresh)
            : setOpenDialog({ kind: 'many', change: bulkChange, selected })
        }
        onShare={(files, clear) => setOpenDialog({ kind: 'share', files, clear })}
        onChoose={choose}
      />
      <Suspense>
        {file !== undefined && (
          <PreviewDialog
            id={file}
            sequence={sequence}
            actions={actionsFor}
            onStep={step}
            onClose={() => open(undefined)}
          />
        )}
        {openDialog && (
          <FileDialogs
            dialog={openDialog}
            isAdmin={user.IsAdmin}
            onChanged={refresh}
            onClose={() => setOpenDialog(null)}
          />
        )}
      </Suspense>
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

/** `/attachment`: the files that somebody keeps here and those shared with them, in a chunk of its own (A5, K7). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconPaperclip, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAttachments, type Attachment, type AttachmentsAction } from '@vestibule/contract/attachments';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { changeMany, copyLink, deleteOne, download, downloadSelected } from './attachment-changes.ts';
import { attachmentColumns } from './attachment-columns.ts';
import { countOf, whoseWords, type Whose } from './attachment-words.ts';
import { DropZone } from './uploads/drop-zone.tsx';
import { FileSequence } from './preview/file-sequence.ts';
import { fit, Room, useUsage } from './room.tsx';
import { UnfinishedUploads } from './uploads/unfinished-uploads.tsx';
import { startUploads } from './uploads/upload-dock.tsx';
import { useUploads } from './uploads/uploads.ts';
import { useChanges } from '../../lib/changes.ts';
import { fetchPageFrom } from '../../lib/fetch-page.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { GridFilter } from '../../ui/grid/rows/grid-query.ts';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import type { GridHandle } from '../../ui/grid/grid-props.ts';
import { DataGrid } from '../../ui/grid/grid.tsx';
import { ManyDialog } from '../../ui/dialog/many-dialog.tsx';
import type { MenuItem } from '../../ui/menu/menu.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast/toast.tsx';

const route = getRouteApi('/_signed-in/attachment');

// Fetched when they are opened.
const Gallery = lazy(() => import('./preview/gallery.tsx'));
const PreviewDialog = lazy(() => import('./preview/preview-dialog.tsx'));
const RenameDialog = lazy(() => import('./rename-dialog.tsx'));
const ShareDialog = lazy(() => import('./share-dialog.tsx'));

type ManyChange = { action: AttachmentsAction; label: string; danger: boolean; follows: string };

const manyChanges = (): ManyChange[] => [
  {
    action: 'shareWithEveryone',
    label: t`Share with everyone`,
    danger: false,
    follows: t`Everyone inside can open them, also those who come in later.`,
  },
  {
    action: 'stopSharing',
    label: t`Stop sharing`,
    danger: false,
    follows: t`Nobody but their owners can open them any more. Links to them say so.`,
  },
  {
    action: 'delete',
    label: t`Delete`,
    danger: true,
    follows: t`They are gone for everybody. It can be undone for a few minutes.`,
  },
];

const sequence = new FileSequence(fetchPageFrom(listAttachments));
const source = { name: 'attachments', fetchPage: sequence.fetchPage };

type Asked =
  | { what: 'rename' | 'share'; file: Attachment }
  | { what: ManyChange; selected: SelectedRows<Attachment> };

export function AttachmentsScreen() {
  const { user } = route.useRouteContext();
  const { file, view, upload: asksForFiles } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const usage = useUsage();
  const grid = useRef<GridHandle>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const uploadButton = useRef<HTMLButtonElement>(null);
  const [columns] = useState(() => attachmentColumns(user));
  const [filters, setFilters] = useState<{ given: readonly GridFilter[]; now: readonly GridFilter[] }>({
    given: [],
    now: [],
  });
  const [asked, setAsked] = useState<Asked | null>(null);
  const [round, setRound] = useState(0);
  const whose = whoseOf(filters.now);

  const refresh = () => {
    grid.current?.refresh();
    setRound((before) => before + 1);
    void client.invalidateQueries({ queryKey: ['attachment'] });
    void usage.refetch();
  };
  useArrivals(refresh);
  useChanges('attachments', refresh);

  const upload = (files: readonly File[]) => {
    const { files: fitting, problem } = fit(files, usage.data);
    if (problem) toast.failure(problem);
    if (fitting.length > 0) startUploads(fitting);
  };
  const choose = () => chooser.current?.click();
  const chooseAsAsked = useEffectEvent(() => {
    // Where the browser opens no dialog without a press on this page, the next press does.
    uploadButton.current?.focus();
    choose();
    void navigate({ search: (kept) => ({ ...kept, upload: undefined }), replace: true });
  });
  useEffect(() => {
    if (asksForFiles) chooseAsAsked();
  }, [asksForFiles]);
  const open = (id: string | undefined, replace = false) =>
    void navigate({
      search: { ...(view && { view }), ...(id && { file: id }) },
      replace,
      resetScroll: false,
    });
  const step = async (by: 1 | -1) => {
    const next = file === undefined ? undefined : await sequence.beside(file, by);
    if (next) open(next.id, true);
  };
  const close = () => {
    setAsked(null);
    refresh();
  };

  const actionsFor = (row: Attachment): MenuItem[] => [
    { label: t`Copy link`, onSelect: () => void copyLink(row) },
    ...(row.may.share ? [{ label: t`Share`, onSelect: () => setAsked({ what: 'share', file: row }) }] : []),
    ...(row.may.rename
      ? [{ label: t`Rename`, onSelect: () => setAsked({ what: 'rename', file: row }) }]
      : []),
    ...(row.may.delete
      ? [
          {
            label: t`Delete`,
            danger: true,
            onSelect: () => {
              if (file === row.id) open(undefined);
              void deleteOne(row, refresh);
            },
          },
        ]
      : []),
  ];

  const show = (chosen: Whose | 'all') => {
    const rest = filters.now.filter(({ column }) => column !== 'owner');
    const next: readonly GridFilter[] =
      chosen === 'all' ? rest : [...rest, { column: 'owner', is: 'oneOf', values: [chosen] }];
    setFilters({ given: next, now: next });
  };

  return (
    <Page
      title={t`Attachments`}
      fill={view !== 'gallery'}
      // The line is there from the start, so that nothing jumps when it is filled.
      description={usage.data ? <Room usage={usage.data} /> : '\u00A0'}
      actions={
        <Button
          ref={uploadButton}
          variant="primary"
          icon={<IconUpload size={18} stroke={1.75} />}
          onClick={choose}
        >
          <Trans>Upload files</Trans>
        </Button>
      }
    >
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        onChange={({ currentTarget }) => {
          upload([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <DropZone onFiles={upload} />
      <UnfinishedUploads onChoose={choose} onChanged={() => void usage.refetch()} />
      <div className="files-bar">
        <Choice
          label={t`Whose files`}
          value={whose ?? 'all'}
          onChange={show}
          options={[
            { value: 'all', label: t`All` },
            { value: 'mine', ...whoseWords().mine },
            { value: 'shared', ...whoseWords().shared },
          ]}
        />
        <Choice
          label={t`How they are shown`}
          value={view ?? 'list'}
          onChange={(next) =>
            void navigate({ search: next === 'gallery' ? { view: 'gallery' } : {}, resetScroll: false })
          }
          options={[
            { value: 'list', label: t`List` },
            { value: 'gallery', label: t`Pictures` },
          ]}
        />
      </div>
      {view === 'gallery' ? (
        <Suspense fallback={<Skeleton lines={8} />}>
          <Gallery
            whose={whose}
            fetchPage={sequence.fetchPage}
            refreshKey={round}
            onOpen={({ id }) => open(id)}
          />
        </Suspense>
      ) : (
        <DataGrid
          // The filters to begin with are read once.
          key={JSON.stringify(filters.given)}
          ref={grid}
          label={t`Attachments`}
          countOf={countOf}
          columns={columns}
          source={source}
          sort={{ column: 'createdAt', direction: 'desc' }}
          filters={filters.given}
          onFiltersChange={(now) => setFilters((before) => ({ ...before, now }))}
          onRowOpen={({ id }) => open(id)}
          rowActions={(row) => [
            { label: t`Open`, onSelect: () => open(row.id) },
            ...(row.may.open && row.status === 'ready'
              ? [{ label: t`Download`, onSelect: () => void download([row.id]) }]
              : []),
            ...actionsFor(row),
          ]}
          bulkActions={[
            { label: t`Download`, onSelect: downloadSelected },
            ...manyChanges().map((change) => ({
              label: change.label,
              danger: change.danger,
              onSelect: (selected: SelectedRows<Attachment>) => setAsked({ what: change, selected }),
            })),
          ]}
          emptyState={
            <EmptyState
              icon={<IconPaperclip size={32} stroke={1.5} />}
              title={t`There are no files here yet`}
              action={<Button onClick={choose}>{t`Choose files`}</Button>}
            >
              <Trans>
                Drop files anywhere on this page, paste them, or choose them. Nobody but you sees them until
                you share them.
              </Trans>
            </EmptyState>
          }
        />
      )}
      <Suspense>
        {file !== undefined && (
          <PreviewDialog
            id={file}
            known={sequence.find(file)}
            actions={actionsFor}
            canStep={(by) => sequence.has(file, by)}
            onStep={step}
            onClose={() => open(undefined)}
          />
        )}
        {asked && 'file' in asked && asked.what === 'rename' && (
          <RenameDialog file={asked.file} onDone={close} onClose={() => setAsked(null)} />
        )}
        {asked && 'file' in asked && asked.what === 'share' && (
          <ShareDialog
            file={asked.file}
            isAdmin={user.IsAdmin}
            onDone={close}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
      {asked && 'selected' in asked && (
        <ManyDialog
          title={asked.what.label}
          danger={asked.what.danger}
          selected={asked.selected}
          nameOf={({ name }) => name}
          countOf={countOf}
          onConfirm={(progress) => changeMany(asked.what.action, asked.selected.selection, progress, refresh)}
          onDone={refresh}
          onClose={() => setAsked(null)}
        >
          <p>{asked.what.follows}</p>
        </ManyDialog>
      )}
    </Page>
  );
}

function whoseOf(filters: readonly GridFilter[]): Whose | null {
  const filter = filters.find(({ column }) => column === 'owner');
  const [only, ...others] = filter?.is === 'oneOf' ? filter.values : [];
  return others.length === 0 && (only === 'mine' || only === 'shared' || only === 'others') ? only : null;
}

/** Milliseconds. */
const gatherArrivals = 1_000;

/** Tells that uploads of this tab have arrived, once for many. */
function useArrivals(tell: () => void): void {
  const { done, active } = useUploads();
  const told = useRef(done);
  const latest = useRef(tell);
  useEffect(() => {
    latest.current = tell;
  });
  useEffect(() => {
    if (done === told.current) return undefined;
    const timer = setTimeout(
      () => {
        told.current = done;
        latest.current();
      },
      active === 0 ? 0 : gatherArrivals,
    );
    return () => clearTimeout(timer);
  }, [done, active]);
}

/** `/attachment`: the files that somebody keeps here and those shared with them, in a chunk of its own (A5, K7). */
import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAttachments, type Attachment } from '@vestibule/contract/attachments';
import { lazy, Suspense, useEffectEvent, useRef, useState } from 'react';
import { useChanges } from '../../lib/live-changes.ts';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import { Choice } from '../../ui/fields/choice.tsx';
import type { GridHandle, GridSource } from '../../ui/grid/grid-props.ts';
import type { GridAddress } from '../../ui/grid/rows/grid-address.ts';
import type { GridFilter } from '../../ui/grid/rows/grid-query.ts';
import { Page } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { runWithErrorToast } from '../../ui/toast/run-with-error-toast.ts';
import { FileDialogs, fileMenu, type Asked } from './file-dialogs.tsx';
import { changeAtOnce, deleteOne } from './attachment-changes.ts';
import { whoseWords, type Whose } from './attachment-texts.ts';
import { FilesGrid } from './files-grid.tsx';
import { FileSequence } from './preview/file-sequence.ts';
import { Quota, useUsage } from './quota.tsx';
import { useArrivals } from './uploads/use-finished-uploads.ts';
import { useUploading } from './uploads/use-uploading.tsx';

const route = getRouteApi('/_signed-in/attachment');

// Fetched when they are opened.
const Gallery = lazy(() => import('./preview/gallery.tsx'));
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
  const { file, view, upload: asksForFiles, filters = [] } = address;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const usage = useUsage();
  const grid = useRef<GridHandle>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const whose = whoseOf(filters);

  const refresh = () => {
    grid.current?.refresh();
    void client.invalidateQueries({ queryKey: ['attachments', 'gallery'] });
    void client.invalidateQueries({ queryKey: ['attachment'] });
    void usage.refetch();
  };
  useArrivals(refresh);
  useChanges('attachments', refresh);

  const { choose, button, area } = useUploading({
    usage,
    asked: asksForFiles === true,
    onAsked: () => void navigate({ search: (kept) => ({ ...kept, upload: undefined }), replace: true }),
  });
  const change = (search: Partial<typeof address>, replace = false) =>
    void navigate({ search: (kept) => ({ ...kept, ...search }), replace, resetScroll: false });
  const open = (id: string | undefined, replace = false) => change({ file: id }, replace);
  const goOn = useEffectEvent((from: string, to: string) => {
    // Meanwhile it may have been closed, or left for another.
    if (file === from) open(to, true);
  });
  const step = (by: 1 | -1) =>
    runWithErrorToast(async () => {
      const next = file === undefined ? undefined : await sequence.beside(file, by);
      if (next && file !== undefined) goOn(file, next.id);
    });
  const actionsFor = (row: Attachment) =>
    fileMenu(row, {
      onAsk: setAsked,
      onDelete() {
        if (file === row.id) open(undefined);
        void deleteOne(row, refresh);
      },
    });

  const ask = (next: GridAddress) => change(next, true);
  return (
    <Page
      title={t`Attachments`}
      fill={view !== 'gallery'}
      // The line is there from the start, so that nothing jumps when it is filled.
      description={usage.data ? <Quota usage={usage.data} /> : '\u00A0'}
      actions={button}
    >
      {area}
      <FilesBar
        whose={whose}
        onWhose={(chosen) => ask({ filters: withWhose(filters, chosen) })}
        view={view}
        onView={(next) => change({ view: next === 'gallery' ? next : undefined })}
      />
      {view === 'gallery' ? (
        <Suspense fallback={<Skeleton lines={8} />}>
          <Gallery
            whose={whose}
            search={address.q ?? ''}
            onSearch={(text) => ask({ q: text.trim() || undefined })}
            fetchPage={sequence.fetchPage}
            onOpen={({ id }) => open(id)}
          />
        </Suspense>
      ) : (
        <FilesGrid
          ref={grid}
          user={user}
          source={source}
          address={{ current: address, onChange: ask }}
          actions={actionsFor}
          onOpen={({ id }) => open(id)}
          onAskMany={(many, selected) =>
            many.canUndo && 'ids' in selected.selection
              ? changeAtOnce(many, selected, refresh)
              : setAsked({ what: 'many', change: many, selected })
          }
          onShare={(files, clear) => setAsked({ what: 'share', files, clear })}
          onChoose={choose}
        />
      )}
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
        {asked && (
          <FileDialogs
            asked={asked}
            isAdmin={user.IsAdmin}
            onChanged={refresh}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** Whose files are shown, and how. */
function FilesBar({
  whose,
  onWhose,
  view,
  onView,
}: {
  whose: Whose | null;
  onWhose: (whose: Whose | 'all') => void;
  view: 'gallery' | undefined;
  onView: (view: 'list' | 'gallery') => void;
}) {
  return (
    <div className="files-bar">
      <Choice
        label={t`Whose files`}
        value={whose ?? 'all'}
        onChange={onWhose}
        options={[
          { value: 'all', label: t`All` },
          { value: 'mine', label: whoseWords().mine },
          { value: 'shared', label: whoseWords().shared },
        ]}
      />
      <Choice
        label={t`How they are shown`}
        value={view ?? 'list'}
        onChange={onView}
        options={[
          { value: 'list', label: t`List` },
          { value: 'gallery', label: t`Pictures` },
        ]}
      />
    </div>
  );
}

function withWhose(filters: readonly GridFilter[], chosen: Whose | 'all'): GridFilter[] | undefined {
  const rest = filters.filter(({ column }) => column !== 'owner');
  if (chosen !== 'all') return [...rest, { column: 'owner', is: 'oneOf', values: [chosen] }];
  return rest.length > 0 ? rest : undefined;
}

function whoseOf(filters: readonly GridFilter[]): Whose | null {
  const filter = filters.find(({ column }) => column === 'owner');
  const [only, ...others] = filter?.is === 'oneOf' ? filter.values : [];
  return others.length === 0 && (only === 'mine' || only === 'shared' || only === 'others') ? only : null;
}

/** Preview of a file, with buttons for the adjacent files of the list. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import {
  getAttachment,
  type Attachment,
  linkMinutes,
  linkToAttachments,
} from '@vestibule/contract/attachments';
import { formatSize } from '../../../language/formats.ts';
import { CallFailure, describeFailure } from '../../../language/call-failure.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { Button } from '../../../ui/button.tsx';
import { CloseAction, Dialog } from '../../../ui/dialog/dialog.tsx';
import { useDetailPanelPosition } from '../../../ui/grid/detail-panel.ts';
import { Loading, EmptyState, Failure, Skeleton } from '../../../ui/states.tsx';
import { Menu, type MenuItem } from '../../../ui/menu/menu.tsx';
import { Moment } from '../../../ui/time/moment.tsx';
import { DotSeparated } from '../../../ui/record-list.tsx';
import { download } from '../attachment-changes.ts';
import { kindLabels, describeAudience, cannotOpenReason } from '../attachment-texts.ts';
import { useWindowEvent } from '../../../ui/events/use-window-event.ts';
import './preview.css';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { createUnreachableFailure } from '../../../lib/call.ts';
import { decodeBytes } from '../../../lib/tables/file-text.ts';
import { LazyPart } from '../../../ui/shell/lazy-part.tsx';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';

export default function PreviewDialog({
  id,
  actions,
  onShow,
  onClose,
}: {
  id: string;
  actions: (file: Attachment) => readonly MenuItem[];
  onShow: (id: string) => void;
  onClose: () => void;
}) {
  const { row, adjacentId } = useDetailPanelPosition();
  const known = row() as Attachment | undefined;
  const neighbor = (step: 1 | -1) => known && adjacentId(step);
  const canStep = (step: 1 | -1) => neighbor(step) !== undefined;
  const show = (step: 1 | -1) => {
    const next = neighbor(step);
    if (next !== undefined) onShow(next);
  };
  const query = useApiQuery(getAttachment, {
    key: ['attachment', id],
    params: { attachmentId: id },
    ...(known && { placeholderData: known }),
  });
  const file = query.data;

  useWindowEvent('keydown', (event) => {
    const { target } = event;
    // The key press belongs to another dialog above the preview.
    if (document.querySelectorAll('dialog[open]').length > 1) return;
    // These elements handle arrow keys.
    if (target instanceof Element && target.closest('input, audio, video, pre, [role="menu"]')) return;
    const step = ({ ArrowRight: 1, ArrowLeft: -1 } as const)[event.key];
    if (step && !event.altKey) show(step);
  });

  if (query.isError && isUnavailable(query.error))
    return (
      <Dialog
        title={t`You cannot open this file`}
        onClose={onClose}
        actions={<CloseAction label={t`Go to my files`} onClose={onClose} />}
      >
        <p>
          <Trans>
            It was deleted, or it is not shared with you. Ask the person who sent you the link to share it;
            then the link works.
          </Trans>
        </p>
      </Dialog>
    );

  const stepButtons = (
    <div className="preview-leaf">
      {([-1, 1] as const).map((step) => (
        <Button
          key={step}
          variant="quiet"
          aria-label={step === 1 ? t`Next file` : t`Previous file`}
          // A `disabled` button would lose the focus.
          aria-disabled={!canStep(step)}
          icon={step === 1 ? <IconChevronRight size={18} /> : <IconChevronLeft size={18} />}
          onClick={() => show(step)}
        />
      ))}
    </div>
  );
  return (
    <Dialog
      title={file?.name ?? t`File`}
      width={1080}
      onClose={onClose}
      actions={
        <>
          {(canStep(1) || canStep(-1)) && stepButtons}
          {file && actions(file).length > 0 && (
            <Menu items={actions(file)}>
              <Button>{t`More`}</Button>
            </Menu>
          )}
          {file?.may.open && file.status === 'ready' && (
            <Button variant="primary" onClick={() => download([file.id])}>
              {t`Download`}
            </Button>
          )}
        </>
      }
    >
      {file && (
        <>
          <p className="preview-facts small-print">
            <DotSeparated
              facts={[
                kindLabels()[file.kind],
                formatSize(file.size),
                file.ownerName,
                <Moment key="at" at={file.createdAt} />,
                describeAudience(file),
              ]}
            />
          </p>
          <FileView key={file.id} file={file} />
          <output className="visually-hidden">{file.name}</output>
        </>
      )}
      <Loading query={query} title={t`This file could not be loaded`} lines={6} />
    </Dialog>
  );
}

/** An id with an invalid format (status 400) is treated like an unknown file. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof CallFailure && (error.code === attachmentErrors.notFound.code || error.status === 400);

const PdfPages = lazy(() => import('./pdf-pages.tsx'));

/** Maximum size of a text in bytes. Longer texts are truncated. */
const textMaximum = 256_000;

/** Preview of a file's contents by its kind, without running any of it. */
function FileView({ file }: { file: Attachment }) {
  const obstacle = cannotOpenReason(file);
  if (obstacle) return <EmptyState title={t`This file cannot be opened`}>{obstacle}</EmptyState>;
  if (file.kind === 'other')
    return (
      <EmptyState title={t`No preview for this kind of file`}>
        {t`Download it and open it in the program it was made for.`}
      </EmptyState>
    );
  return <Contents file={file} />;
}

function Contents({ file }: { file: Attachment }) {
  const [broken, setBroken] = useState(false);
  const link = useApiQuery(linkToAttachments, {
    // Not part of the `attachment` queries: a change of the file must not fetch a new link, which would restart playback.
    key: ['preview-link', file.id],
    body: { attachmentIds: [file.id], purpose: 'preview' },
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Half of the link's lifetime, so that a recording can be played to its end.
    staleTime: (linkMinutes / 2) * 60_000,
    gcTime: (linkMinutes / 2) * 60_000,
  });
  const retry = async () => {
    await link.refetch();
    setBroken(false);
  };
  const onError = () => setBroken(true);

  // Waits for the new link, because a changed link restarts playback.
  if (link.isPending || (link.isFetching && !broken)) return <Skeleton lines={6} />;
  if (link.isError || broken) {
    const error = link.isError
      ? describeFailure(link.error)
      : { message: t`The browser cannot display it. Try again, or download it.` };
    return <Failure title={t`This file could not be shown`} {...error} onRetry={retry} />;
  }
  const { path } = link.data;
  switch (file.kind) {
    case 'picture':
      return <img className="preview-picture" src={path} alt={file.name} onError={onError} />;
    case 'pdf':
      return (
        <LazyPart isCard={false} fallback={<Skeleton lines={6} />}>
          <PdfPages address={path} name={file.name} onError={onError} />
        </LazyPart>
      );
    case 'text':
      return <TextLines address={path} file={file} />;
    case 'audio':
    case 'video':
      return <Recording address={path} file={file} onError={onError} />;
    case 'other':
      return null;
  }
}

function Recording({ address, file, onError }: { address: string; file: Attachment; onError: () => void }) {
  const attributes = { src: address, controls: true, 'aria-label': file.name, onError };
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- uploaded files have no captions
  if (file.kind === 'audio') return <audio className="preview-audio" {...attributes} />;
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- as above
  return <video className="preview-picture" {...attributes} />;
}

function TextLines({ address, file }: { address: string; file: Attachment }) {
  const text = useQuery({
    queryKey: ['preview-text', file.id],
    queryFn: ({ signal }) => readBeginning(address, signal),
    // Reads the text only once each time the preview opens, because the link expires later.
    staleTime: Infinity,
    gcTime: 0,
  });
  const beginning = formatSize(textMaximum);
  if (!text.data) return <Loading query={text} title={t`This file could not be shown`} lines={8} />;
  return (
    <>
      <ScrollRegion className="preview-text" label={file.name}>
        <pre>{text.data}</pre>
      </ScrollRegion>
      {file.size > textMaximum && (
        <p className="preview-facts small-print">
          {t`Only the beginning is shown (${beginning}). Download the file to see all of it.`}
        </p>
      )}
    </>
  );
}

async function readBeginning(address: string, signal: AbortSignal): Promise<string> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { range: `bytes=0-${textMaximum - 1}` }, signal });
  } catch (cause) {
    throw createUnreachableFailure(cause);
  }
  // The server responds with 416 to a range of an empty file.
  if (response.status === 416) return '';
  if (!response.ok) throw createUnreachableFailure(response.status);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return decodeBytes(bytes, bytes.length === textMaximum).text;
}

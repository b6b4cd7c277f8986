/** Preview of a file's contents by its kind, without running any of it. */
import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { linkMinutes, linkToAttachments, type Attachment } from '@vestibule/contract/attachments';
import { lazy, Suspense, useState } from 'react';
import { formatSize } from '../../../language/formats.ts';
import { describeFailure } from '../../../language/call-failure.ts';
import { createUnreachableFailure } from '../../../lib/call.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { EmptyState, Failure, Loading, Skeleton } from '../../../ui/states.tsx';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';
import { cannotOpenReason } from '../attachment-texts.ts';

const PdfPages = lazy(() => import('./pdf-pages.tsx'));

/** Maximum size of a text in bytes. Longer texts are truncated. */
const textMaximum = 256_000;

export function FileView({ file }: { file: Attachment }) {
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
        <Suspense fallback={<Skeleton lines={6} />}>
          <PdfPages address={path} name={file.name} onError={onError} />
        </Suspense>
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
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** Detects UTF-16 by its byte order mark. Other files are read as UTF-8. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

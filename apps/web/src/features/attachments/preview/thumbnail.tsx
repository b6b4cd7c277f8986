/**
 * A picture made small. It is read once it is looked at, a few at a time, and only the small one is kept in memory. Until it is
 * drawn, the one that came with the upload stands there.
 */
import { IconPhoto } from '@tabler/icons-react';
import { linkToAttachments, type Attachment } from '@vestibule/contract/attachments';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { drawSmall } from './scale-image.ts';
import { createTurns } from './limit-concurrency.ts';
import { thumbnailOf } from './thumbnails.ts';

/** Larger pictures stay as they came with the upload, or a sign: nobody waits for them, nor pays for them, to see them small. Bytes. */
const largest = 20_000_000;
/** Sharp enough on any screen, in pixels. */
const side = 480;
const inTurn = createTurns(4);

export function Thumbnail({ file }: { file: Attachment }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  const picture = thumbnailOf(file);
  const [small, setSmall] = useState(picture?.cachedUrl ?? null);
  const isDrawable = file.size <= largest;
  const isShown = file.may.open && file.status === 'ready' && (isDrawable || picture !== null);

  const begin = useEffectEvent((signal: AbortSignal) => {
    if (!small) void picture?.load(() => !signal.aborted).then(setSmall);
  });
  useEffect(() => {
    const { current } = canvas;
    if (!current || !isShown) return undefined;
    const leaving = new AbortController();
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        begin(leaving.signal);
        if (!isDrawable) return;
        void inTurn(async () => {
          if (leaving.signal.aborted) return;
          try {
            await draw(file.id, current, leaving.signal);
            setDrawn(true);
          } catch {
            // The sign stays; the preview says what is wrong.
          }
        });
      },
      { rootMargin: '200px' },
    );
    watch.observe(current);
    return () => {
      watch.disconnect();
      leaving.abort();
    };
  }, [file.id, isShown, isDrawable]);

  return (
    <span className={isDrawn ? 'thumbnail thumbnail-drawn' : 'thumbnail'}>
      <canvas ref={canvas} aria-hidden="true" />
      {!isDrawn && small !== null && <img src={small} alt="" />}
      {!isDrawn && small === null && <IconPhoto size={32} stroke={1.25} aria-hidden="true" />}
    </span>
  );
}

async function draw(id: string, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<void> {
  const body = { attachmentIds: [id], purpose: 'preview' as const };
  const { path } = await call(linkToAttachments, { body, signal });
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${response.status}`);
  await drawSmall(await response.blob(), canvas, (width, height) => side / Math.min(width, height));
}

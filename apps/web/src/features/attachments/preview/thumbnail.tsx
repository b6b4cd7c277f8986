/**
 * Thumbnail of a picture. When it becomes visible, it shows the thumbnail of the upload and then replaces it with a larger one drawn from
 * the file.
 */
import { IconPhoto } from '@tabler/icons-react';
import { linkToAttachments, type Attachment } from '@vestibule/contract/attachments';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { drawScaled } from './scale-image.ts';
import { thumbnailOf } from './thumbnails.ts';

/** Maximum size in bytes. Larger pictures are not downloaded to draw a thumbnail. */
const maximumBytes = 20_000_000;
/** Length of the shorter side in pixels. */
const sideLength = 480;
const limit = limitConcurrency(4);

export function Thumbnail({ file }: { file: Attachment }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  const picture = thumbnailOf(file);
  const [small, setSmall] = useState(picture?.cachedUrl ?? null);
  const isDrawable = file.size <= maximumBytes;
  const isShown = file.may.open && file.status === 'ready' && (isDrawable || picture !== null);

  const loadSmall = useEffectEvent((signal: AbortSignal) => {
    if (!small) void picture?.load(signal).then(setSmall);
  });
  useEffect(() => {
    const { current } = canvas;
    if (!current || !isShown) return undefined;
    const controller = new AbortController();
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        loadSmall(controller.signal);
        if (!isDrawable) return;
        void limit(async () => {
          if (controller.signal.aborted) return;
          try {
            await draw(file.id, current, controller.signal);
            setDrawn(true);
          } catch {
            // The icon remains; the preview shows the error.
          }
        });
      },
      { rootMargin: '200px' },
    );
    watch.observe(current);
    return () => {
      watch.disconnect();
      controller.abort();
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
  await drawScaled(await response.blob(), canvas, (width, height) => sideLength / Math.min(width, height));
}

/** Returns a function that runs at most `concurrency` tasks at a time, in order. */
function limitConcurrency(concurrency: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const queued: (() => void)[] = [];
  return async (task) => {
    if (running >= concurrency) await new Promise<void>((resolve) => queued.push(resolve));
    running += 1;
    try {
      return await task();
    } finally {
      running -= 1;
      queued.shift()?.();
    }
  };
}

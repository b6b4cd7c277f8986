/** A picture made small. It is read once it is looked at, a few at a time, and only the small one is kept in memory. */
import { IconPhoto } from '@tabler/icons-react';
import { linkToAttachments, type Attachment } from '@vestibule/contract/attachments';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../../lib/call.ts';

/** Larger pictures stay a sign: nobody waits for them, nor pays for them, to see them small. Bytes. */
const largest = 20_000_000;
/** Sharp enough on any screen, in pixels. */
const side = 480;
const atOnce = 4;

export function Thumbnail({ file }: { file: Attachment }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  const isShown = file.may.open && file.status === 'ready' && file.size <= largest;

  useEffect(() => {
    const { current } = canvas;
    if (!current || !isShown) return undefined;
    const leaving = new AbortController();
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
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
  }, [file.id, isShown]);

  return (
    <span className={isDrawn ? 'thumbnail thumbnail-drawn' : 'thumbnail'}>
      <canvas ref={canvas} aria-hidden="true" />
      {!isDrawn && <IconPhoto size={32} stroke={1.25} aria-hidden="true" />}
    </span>
  );
}

async function draw(id: string, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<void> {
  const body = { attachmentIds: [id], purpose: 'preview' as const };
  const { path } = await call(linkToAttachments, { body, signal });
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${response.status}`);
  const whole = await createImageBitmap(await response.blob());
  const scale = Math.min(1, side / Math.min(whole.width, whole.height));
  canvas.width = Math.max(1, Math.round(whole.width * scale));
  canvas.height = Math.max(1, Math.round(whole.height * scale));
  const context = canvas.getContext('2d');
  if (context) context.imageSmoothingQuality = 'high';
  context?.drawImage(whole, 0, 0, canvas.width, canvas.height);
  whole.close();
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/**
 * Makes the small picture of a picture that was uploaded, and gives it to the server, which itself draws nothing. A picture that is
 * broken, huge, or of a kind that this browser does not draw has none; nobody is told, and nothing waits for it.
 */
import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import { setThumbnail } from '@vestibule/contract/attachments';
import { call } from '../../../lib/call.ts';
import { drawSmall } from '../preview/scale-image.ts';
import { createTurns } from '../preview/limit-concurrency.ts';

/** Fits into so many pixels either way: sharp in a list on any screen. */
const side = 96;
/** Whole pictures are drawn for it; what is larger would cost more memory than a phone has to spare. */
const largest = { bytes: 20_000_000, pixels: 64_000_000 };
const quality = 0.8;
const inTurn = createTurns(1);

/** Rejects where there is none. */
export async function giveThumbnail(file: File, attachmentId: string): Promise<void> {
  const picture = await inTurn(() => thumbnailFor(file));
  if (picture === null || picture.size > thumbnailMaximum.bytes) return;
  const bytes = new Uint8Array(await picture.arrayBuffer());
  await call(setThumbnail, {
    params: { attachmentId },
    body: { picture: btoa(String.fromCharCode(...bytes)) },
  });
}

async function thumbnailFor(file: File): Promise<Blob | null> {
  if (file.size > largest.bytes || (await pixelsOf(file)) > largest.pixels) return null;
  const canvas = document.createElement('canvas');
  const context = await drawSmall(file, canvas, (width, height) => side / Math.max(width, height));
  const webp = await encode(canvas, 'image/webp');
  // Safari writes PNG instead, which of a photo is too long. A JPEG is nowhere transparent.
  if (webp?.type === 'image/webp' || !context) return webp;
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return encode(canvas, 'image/jpeg');
}

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}

/** How many pixels a picture has, by its beginning: nothing is drawn for it. */
async function pixelsOf(file: File): Promise<number> {
  const address = URL.createObjectURL(file);
  const image = new Image();
  try {
    await new Promise((resolve, reject) => {
      image.addEventListener('load', resolve);
      image.addEventListener('error', () => reject(new Error('no picture')));
      image.src = address;
    });
    return image.naturalWidth * image.naturalHeight;
  } finally {
    URL.revokeObjectURL(address);
  }
}

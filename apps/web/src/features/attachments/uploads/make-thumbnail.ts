/** Creates a thumbnail of an uploaded picture and sends it to the server, which cannot decode pictures. Failures are ignored. */
import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import { setThumbnail } from '@vestibule/contract/attachments';
import { call } from '../../../lib/call.ts';
import { drawScaled } from '../preview/scale-image.ts';
import { limitConcurrency } from '../preview/limit-concurrency.ts';

/** Maximum width and height in pixels. */
const maximumSide = 96;
/** Larger pictures would need too much memory on phones. */
const maximum = { bytes: 20_000_000, pixels: 64_000_000 };
const quality = 0.8;
const limit = limitConcurrency(1);

/** Rejects if the picture cannot be decoded or sent. */
export async function uploadThumbnail(file: File, attachmentId: string): Promise<void> {
  const picture = await limit(() => thumbnailFor(file));
  if (picture === null || picture.size > thumbnailMaximum.bytes) return;
  const bytes = new Uint8Array(await picture.arrayBuffer());
  await call(setThumbnail, {
    params: { attachmentId },
    body: { picture: btoa(String.fromCharCode(...bytes)) },
  });
}

async function thumbnailFor(file: File): Promise<Blob | null> {
  if (file.size > maximum.bytes || (await pixelsOf(file)) > maximum.pixels) return null;
  const canvas = document.createElement('canvas');
  const context = await drawScaled(file, canvas, (width, height) => maximumSide / Math.max(width, height));
  const webp = await encode(canvas, 'image/webp');
  // Safari encodes PNG instead, which is too large for photos. JPEG needs a background for transparency.
  if (webp?.type === 'image/webp' || !context) return webp;
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return encode(canvas, 'image/jpeg');
}

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}

/** Returns the number of pixels without drawing the picture. */
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

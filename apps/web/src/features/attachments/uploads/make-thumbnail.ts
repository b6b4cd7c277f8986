/** Creates a thumbnail of an uploaded picture and sends it to the server, which cannot decode pictures. */
import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import { setThumbnail } from '@vestibule/contract/attachments';
import { call } from '../../../lib/call.ts';
import { drawScaled } from '../preview/scale-image.ts';

/** Maximum width and height in pixels. */
const maximumSide = 96;
/** Larger pictures would need too much memory on phones. */
const maximumBytes = 20_000_000;
const quality = 0.8;

/** Rejects if the picture cannot be decoded or sent. */
export async function uploadThumbnail(file: File, attachmentId: string): Promise<void> {
  if (file.size > maximumBytes) return;
  const picture = await drawThumbnail(file);
  if (picture === null || picture.size > thumbnailMaximum.bytes) return;
  const bytes = new Uint8Array(await picture.arrayBuffer());
  await call(setThumbnail, {
    params: { attachmentId },
    body: { picture: btoa(String.fromCharCode(...bytes)) },
  });
}

async function drawThumbnail(file: File): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const context = await drawScaled(file, canvas, (width, height) => maximumSide / Math.max(width, height));
  if (!context) return null;
  // JPEG has no transparency, and unlike WebP all browsers can write it.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
}

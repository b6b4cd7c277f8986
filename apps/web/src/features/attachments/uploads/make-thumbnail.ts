/** Creates a thumbnail of an uploaded picture and sends it to the server, which cannot decode pictures. */
import { thumbnailMaximum } from '@vestibule/contract/attachments/errors';
import { setThumbnail } from '@vestibule/contract/attachments';
import { call } from '../../../lib/call.ts';

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

/** Draws the picture rotated as in its metadata and never enlarged. */
async function drawThumbnail(file: File): Promise<Blob | null> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, maximumSide / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.imageSmoothingQuality = 'high';
  // JPEG has no transparency, and unlike WebP all browsers can write it.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
}

/** Thumbnails from the server, fetched when a row stops scrolling and cached in memory. */
import { setThumbnail, type Attachment } from '@vestibule/contract/attachments';
import { backgroundHeaders } from '../../../lib/user-activity.ts';
import { authHeaders } from '../../../lib/call.ts';
import type { CellThumbnail } from '../../../ui/grid/grid-column.ts';

/** Delay in milliseconds before a row fetches its thumbnail. Rows that are scrolled past sooner fetch nothing. */
const fetchDelayMs = 120;
/** Maximum number of cached thumbnails of a few kB each. */
const cacheMaximum = 500;
/** Object URLs by file id, oldest first. */
const cachedUrls = new Map<string, string>();

/** Returns null for a file without a thumbnail or without permission. */
export function thumbnailOf({ id, thumbnail }: Attachment): CellThumbnail | null {
  if (!thumbnail) return null;
  return {
    cachedUrl: cachedUrls.get(id) ?? null,
    async load(signal) {
      await new Promise((resolve) => setTimeout(resolve, fetchDelayMs));
      return cachedUrls.get(id) ?? (signal.aborted ? null : fetchThumbnail(id));
    },
  };
}

async function fetchThumbnail(id: string): Promise<string | null> {
  try {
    const path = setThumbnail.path.replace(':attachmentId', id);
    const response = await fetch(path, {
      headers: { ...(await authHeaders({ renew: false })), ...backgroundHeaders() },
    });
    return response.ok ? await cacheThumbnail(id, await response.blob()) : null;
  } catch {
    return null;
  }
}

async function cacheThumbnail(id: string, picture: Blob): Promise<string> {
  const address = URL.createObjectURL(picture);
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch (error) {
    URL.revokeObjectURL(address);
    throw error;
  }
  cachedUrls.set(id, address);
  const [oldest] = cachedUrls;
  if (oldest && cachedUrls.size > cacheMaximum) {
    cachedUrls.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return address;
}

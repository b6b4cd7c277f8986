/** The small pictures of files, as the server has them: each is fetched when a row that shows it stands still, and kept in memory. */
import { setThumbnail, type Attachment } from '@vestibule/contract/attachments';
import { backgroundHeaders } from '../../../lib/user-activity.ts';
import { authHeaders } from '../../../lib/call.ts';
import type { CellThumbnail } from '../../../ui/grid/cells/mark-element.ts';
import { createTurns } from './limit-concurrency.ts';

/** A row that is only passed by is gone by then. Milliseconds. */
const stillness = 120;
/** A few kB each. */
const keptMaximum = 500;
const inTurn = createTurns(6);
/** Addresses in this page's memory, by the id of the file; the oldest first. */
const kept = new Map<string, string>();

/** Null for a file without one, and for whoever may not see it. */
export function thumbnailOf({ id, thumbnail }: Attachment): CellThumbnail | null {
  if (!thumbnail) return null;
  return {
    cachedUrl: kept.get(id) ?? null,
    async load(isWanted) {
      await new Promise((resolve) => setTimeout(resolve, stillness));
      return inTurn(async () => kept.get(id) ?? (isWanted() ? fetchThumbnail(id) : null));
    },
  };
}

async function fetchThumbnail(id: string): Promise<string | null> {
  try {
    const path = setThumbnail.path.replace(':attachmentId', id);
    const response = await fetch(path, {
      headers: { ...(await authHeaders({ renew: false })), ...backgroundHeaders() },
    });
    return response.ok ? await keep(id, await response.blob()) : null;
  } catch {
    // The icon stays.
    return null;
  }
}

async function keep(id: string, picture: Blob): Promise<string> {
  const address = URL.createObjectURL(picture);
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch (error) {
    URL.revokeObjectURL(address);
    throw error;
  }
  kept.set(id, address);
  const [oldest] = kept;
  if (oldest && kept.size > keptMaximum) {
    kept.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return address;
}

/** The mark before the text of a cell: an icon, replaced by a thumbnail once that is loaded. */
import { makeElement } from '../../make-element.ts';
import { iconElement } from './icon-element.ts';

/** A thumbnail that is loaded after the cell is drawn. */
export type CellThumbnail = {
  /** URL of the thumbnail, if it has been loaded before. */
  cachedUrl: string | null;
  /** Loads the thumbnail and returns its URL, or null. Skips loading if `isWanted` returns false when the queued request would start. */
  load: (isWanted: () => boolean) => Promise<string | null>;
};

export function markElement(icon: string, thumbnail: CellThumbnail | null): HTMLElement {
  const mark = makeElement('span', 'grid-mark');
  if (thumbnail?.cachedUrl) showImage(mark, thumbnail.cachedUrl);
  else mark.append(iconElement(icon));
  if (thumbnail && !thumbnail.cachedUrl) void loadThumbnail(mark, thumbnail);
  return mark;
}

async function loadThumbnail(mark: HTMLElement, { load }: CellThumbnail): Promise<void> {
  // A row that was scrolled away is no longer in the document.
  const url = await load(() => mark.isConnected);
  if (url !== null) showImage(mark, url);
}

function showImage(mark: HTMLElement, url: string): void {
  const image = document.createElement('img');
  image.alt = '';
  image.src = url;
  mark.replaceChildren(image);
}

/** What stands before the text of a cell: an icon in a place of its own size and, once it is there, a small picture instead of it. */
import { makeElement } from '../../make-element.ts';
import { iconElement } from './icon-element.ts';

/** A picture that comes later, or not at all. */
export type SmallPicture = {
  /** Its address, where it was loaded before. */
  known: string | null;
  /** Gives its address, or null. Nothing is loaded for whom it is not `wanted` any more when its turn comes. */
  load: (isWanted: () => boolean) => Promise<string | null>;
};

export function markElement(icon: string, picture: SmallPicture | null): HTMLElement {
  const mark = makeElement('span', 'grid-mark');
  if (picture?.known) show(mark, picture.known);
  else mark.append(iconElement(icon));
  if (picture && !picture.known) void showLater(mark, picture);
  return mark;
}

async function showLater(mark: HTMLElement, { load }: SmallPicture): Promise<void> {
  // A row that has been scrolled past meanwhile is in no document.
  const address = await load(() => mark.isConnected);
  if (address !== null) show(mark, address);
}

function show(mark: HTMLElement, address: string): void {
  const image = document.createElement('img');
  // Decoration: the name stands beside it.
  image.alt = '';
  image.src = address;
  mark.replaceChildren(image);
}

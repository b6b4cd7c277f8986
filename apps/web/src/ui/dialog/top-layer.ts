import { Listeners } from '../listeners.ts';

const dialogs: HTMLElement[] = [];
const listeners = new Listeners();

/**
 * The element that messages for the whole application must be in now: the topmost modal dialog, because everything
 * outside it is inert and silent to screen readers, else the body.
 */
export function topLayer(): HTMLElement {
  return dialogs.at(-1) ?? document.body;
}

/** Tells that a modal dialog has opened; the answer tells that it has closed. */
export function enterTopLayer(dialog: HTMLElement): () => void {
  dialogs.push(dialog);
  listeners.notify();
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1);
    listeners.notify();
  };
}

/** Calls `listener` whenever `topLayer()` may have changed; the answer stops that. */
export const watchTopLayer = listeners.watch;

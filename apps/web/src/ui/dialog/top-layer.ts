import { Listeners } from '../listeners.ts';

const dialogs: HTMLElement[] = [];
const listeners = new Listeners();

/** Returns the topmost modal dialog, or the body. Global messages must be inside this element: everything outside of it is inert. */
export const topLayer = (): HTMLElement => dialogs.at(-1) ?? document.body;

/** Registers an open modal dialog. Returns the function that removes it. */
export function enterTopLayer(dialog: HTMLElement): () => void {
  dialogs.push(dialog);
  listeners.notify();
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1);
    listeners.notify();
  };
}

/** Calls `listener` when `topLayer()` may have changed. Returns the function that removes the listener. */
export const watchTopLayer = listeners.watch;

/**
 * What runs on while somebody moves between screens, such as uploads: a panel at the foot of the shell. Not for what is
 * over in a moment (toast.tsx).
 */
import { useSyncExternalStore, type ReactNode } from 'react';
import { Listeners } from '../listeners.ts';

let content: ReactNode = null;
let folded = false;
const listeners = new Listeners();

/** Puts something into the dock; null empties it. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  listeners.notify();
}

/** Folds the dock to its head, where it covers nothing at the foot of a screen; `false` opens it again. */
export function foldDock(fold = true): void {
  if (fold === folded) return;
  folded = fold;
  listeners.notify();
}

/** Whether the dock is folded, on whichever screen. */
export function useFoldedDock(): boolean {
  return useSyncExternalStore(listeners.watch, () => folded);
}

/** Where the dock is: once, in the shell. */
export function DockRegion() {
  const shown = useSyncExternalStore(listeners.watch, () => content);
  return shown ? <div className="shell-dock">{shown}</div> : null;
}

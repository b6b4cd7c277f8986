/** Panel for tasks that continue across screens, such as uploads. */
import { useSyncExternalStore, type ReactNode } from 'react';
import { Listeners } from '../listeners.ts';

let content: ReactNode = null;
let folded = false;
const listeners = new Listeners();

/** Replaces the contents; null removes them. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  listeners.notify();
}

/** Collapses the dock to its header. With `false`, expands it. */
export function setDockFolded(fold = true): void {
  if (fold === folded) return;
  folded = fold;
  listeners.notify();
}

export function useDockFolded(): boolean {
  return useSyncExternalStore(listeners.watch, () => folded);
}

/** Renders the dock. Used once, in the shell. */
export function DockRegion() {
  const shown = useSyncExternalStore(listeners.watch, () => content);
  return shown ? <div className="shell-dock">{shown}</div> : null;
}

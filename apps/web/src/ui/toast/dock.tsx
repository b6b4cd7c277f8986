/**
 * What runs on while somebody moves between screens, such as uploads: a panel at the foot of the shell. Not for what is
 * over in a moment (toast.tsx).
 */
import { useSyncExternalStore, type ReactNode } from 'react';
import { Listeners } from '../listeners.ts';

let content: ReactNode = null;
const listeners = new Listeners();

/** Puts something into the dock; null empties it. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  listeners.tell();
}

/** Where the dock is: once, in the shell. */
export function DockRegion() {
  const shown = useSyncExternalStore(listeners.watch, () => content);
  return shown ? <div className="shell-dock">{shown}</div> : null;
}

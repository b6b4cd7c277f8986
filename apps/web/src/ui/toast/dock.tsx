/**
 * What runs on while somebody moves between screens, such as uploads: a panel at the foot of the shell. Not for what is
 * over in a moment (toast.tsx).
 */
import { useSyncExternalStore, type ReactNode } from 'react';

let content: ReactNode = null;
const listeners = new Set<() => void>();

/** Puts something into the dock; null empties it. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  tell();
}

/** Where the dock is: once, in the shell. */
export function DockRegion() {
  const shown = useSyncExternalStore(watch, () => content);
  return shown ? <div className="shell-dock">{shown}</div> : null;
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

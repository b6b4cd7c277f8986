/** Panel for tasks that continue across screens, such as uploads. */
import { useSyncExternalStore, type ReactNode } from 'react';
import { Listeners } from '../listeners.ts';

let content: ReactNode = null;
let folded = false;
let hasSelection = false;
const listeners = new Listeners();

/** Replaces the contents; null removes them. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  listeners.notify();
}

/** Collapses the dock and keeps new tasks collapsed while a grid has a selection, because an expanded dock would cover its actions. */
export function setSelectionShown(shown: boolean): void {
  hasSelection = shown;
  if (shown) setDockFolded(true);
}

/** Collapses the dock to its header, or expands it. The default expands it unless a grid has a selection. */
export function setDockFolded(fold = hasSelection): void {
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
  return (
    shown && (
      <div ref={publishHeight} className="shell-dock">
        {shown}
      </div>
    )
  );
}

/** Sets `--dock-height`. */
function publishHeight(dock: HTMLElement | null): (() => void) | undefined {
  if (!dock) return undefined;
  const observer = new ResizeObserver(() =>
    document.documentElement.style.setProperty('--dock-height', `${dock.offsetHeight}px`),
  );
  observer.observe(dock);
  return () => observer.disconnect();
}

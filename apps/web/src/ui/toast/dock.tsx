/** Panel for tasks that continue across screens, such as uploads. */
import { useSyncExternalStore, type ReactNode } from 'react';
import { Listeners } from '../listeners.ts';

let content: ReactNode = null;
const listeners = new Listeners();

/** Replaces the contents; null removes them. */
export function showDock(next: ReactNode): void {
  if (next === content) return;
  content = next;
  listeners.notify();
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

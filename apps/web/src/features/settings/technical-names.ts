/** Whether the settings show environment variables. Stored in this browser until the user signs out; off by default. */
import { useSyncExternalStore } from 'react';
import { Listeners } from '../../ui/listeners.ts';

const key = 'technicalNames';
const listeners = new Listeners();
let shown: boolean | null = null;

function read(): boolean {
  try {
    shown ??= localStorage.getItem(key) !== null;
  } catch {
    // Without storage the choice applies to this page only.
    shown ??= false;
  }
  return shown;
}

export function useTechnicalNames(): boolean {
  return useSyncExternalStore(listeners.watch, read);
}

export function showTechnicalNames(wanted: boolean): void {
  shown = wanted;
  try {
    if (wanted) localStorage.setItem(key, 'shown');
    else localStorage.removeItem(key);
  } catch {
    // Storage is unavailable.
  }
  listeners.notify();
}

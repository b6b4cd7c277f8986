/** Whether Settings name the server's variables: off until somebody asks for it, in this browser until they sign out. */
import { useSyncExternalStore } from 'react';
import { Listeners } from '../../ui/listeners.ts';

const key = 'technicalNames';
const listeners = new Listeners();
let shown: boolean | null = null;

function read(): boolean {
  try {
    shown ??= localStorage.getItem(key) !== null;
  } catch {
    // Storage may be forbidden: they are shown on this page alone.
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
    // As above.
  }
  listeners.tell();
}

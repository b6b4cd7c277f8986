/** Migration link of a pending redirect, in this tab's session storage, for returning to it after a problem. */
import { takeStored } from '../storage/storage.ts';

const storageKey = 'moveUnderWay';

export function storePendingMigration(code: string): void {
  window.sessionStorage.setItem(storageKey, code);
}

export function takePendingMigration(): string | null {
  return takeStored(storageKey);
}

export function migrationPath(code: string): string {
  return `/move?m=${encodeURIComponent(code)}`;
}

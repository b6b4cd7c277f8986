/** Code of a migration link, stored in this tab while the browser is at the provider. After a problem, the user can return to the link. */
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

/** The link of a move that somebody is at the provider's page with, so that a problem can lead back to it. In this tab until then. */
import { takeKept } from '../storage/storage.ts';

const key = 'moveUnderWay';

export function keepMove(code: string): void {
  window.sessionStorage.setItem(key, code);
}

export function takeMove(): string | null {
  return takeKept(key);
}

export function addressOfMove(code: string): string {
  return `/move?m=${encodeURIComponent(code)}`;
}

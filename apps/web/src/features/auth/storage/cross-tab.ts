/** Messages about the session between tabs, and the last sign-in method of this browser. */
import { storeChoice, readChoice } from '../../../lib/choice-cookie.ts';
import { storedKeys } from './storage.ts';

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

/**
 * Prefix of the key that names the session's user. It is stored, so that a page restored from the back/forward cache detects a change of
 * user.
 */
const ownerKeyPrefix = 'session.of';

/** Announces the session's user to other tabs. They share the cookie, so tabs that show another user must reload. */
export function announceSession(personId: string): void {
  const key = `${ownerKeyPrefix}.${personId}`;
  if (storedKeys().includes(key)) return;
  for (const storedKey of Object.keys(window.localStorage))
    if (storedKey.startsWith(ownerKeyPrefix)) window.localStorage.removeItem(storedKey);
  window.localStorage.setItem(key, '');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
  channel?.postMessage(personId);
}

export function onSessionElsewhere(callback: (personId: string) => void): void {
  channel?.addEventListener('message', ({ data }) => callback(String(data)));
}

/** Stored in a cookie, since a sign-out clears all storage. */
export function readLastSignInMethod(): string | null {
  return readChoice('way');
}

export function storeLastSignInMethod(id: string): void {
  storeChoice('way', id);
}

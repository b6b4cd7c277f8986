/** What the tabs of one browser tell each other of a session, and what the browser remembers of the ways to sign in. */
import { storeChoice, readChoice } from '../../../lib/choice-cookie.ts';
import { namesKept } from './storage.ts';

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

/** Among what is kept, so that a page which is come back to notices that somebody else is signed in. */
const owner = 'session.of';

/** The session's cookie is the whole browser's: tabs of somebody else begin anew. */
export function tellSessionOf(personId: string): void {
  const name = `${owner}.${personId}`;
  if (namesKept().includes(name)) return;
  for (const kept of Object.keys(window.localStorage))
    if (kept.startsWith(owner)) window.localStorage.removeItem(kept);
  window.localStorage.setItem(name, '');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
  channel?.postMessage(personId);
}

/** Calls back when somebody has signed in in another tab. */
export function whenSessionElsewhere(callback: (personId: string) => void): void {
  channel?.addEventListener('message', ({ data }) => callback(String(data)));
}

/** The id of the way that was used last in this browser; a cookie, since signing out clears all storage. */
export function readLastWay(): string | null {
  return readChoice('way');
}

export function keepLastWay(id: string): void {
  storeChoice('way', id);
}

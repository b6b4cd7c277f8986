/** Browser storage (statements I1 to I3). MSAL's entries are `msal.*` and keys containing "interaction". */
import type { UserDetail } from '@vestibule/contract/profile/me';
import { readChoice, storeChoice } from '../../../lib/choice-cookie.ts';
import { readJson } from '../../../lib/stored-json.ts';
import { deleteDrafts } from '../../../ui/fields/drafts.ts';

export type RedirectKind = 'sign-in' | 'sign-up' | 'reset-password';

const signOutChannel = new BroadcastChannel('vestibule');
const sessionChannel = new BroadcastChannel('session');
const signedOut = 'signed-out';

/** Cookie with MSAL's encryption key for local storage. */
const libraryCookie = 'msal.cache.encryption';

/** Returns whether both storages are writable; redirects need them. */
export function isStorageWritable(): boolean {
  try {
    for (const storage of [window.localStorage, window.sessionStorage]) {
      storage.setItem('vestibule.probe', 'x'.repeat(4096));
      const isStored = storage.getItem('vestibule.probe') !== null;
      storage.removeItem('vestibule.probe');
      if (!isStored) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Clears local storage, session storage and MSAL's cookie in all tabs. Other tabs also store the reason. */
export function clearAllStorage(reason?: StoredError): void {
  clearThisTab();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
  signOutChannel.postMessage({ kind: signedOut, reason });
}

/** Calls `callback` after a sign-out in another tab, once this tab's storage has been cleared. */
export function whenSignedOutElsewhere(callback: () => void): void {
  signOutChannel.addEventListener('message', (event) => {
    const { kind, reason } = event.data as { kind?: string; reason?: StoredError };
    if (kind !== signedOut) return;
    clearThisTab();
    if (reason) writeStored('errorMessage', reason);
    callback();
  });
}

function clearThisTab(): void {
  window.localStorage.clear();
  window.sessionStorage.clear();
  // Forms store their drafts when the page is left.
  window.addEventListener('pagehide', deleteDrafts);
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${libraryCookie}=; path=/; max-age=0; samesite=lax`;
  // oxlint-disable-next-line unicorn/no-document-cookie -- the same, as the library writes it on https
  document.cookie = `${libraryCookie}=; path=/; max-age=0; samesite=none; secure`;
}

/** Keys that change when a user signs in or out in any tab. */
export const storedKeys = (): string =>
  Object.keys(window.localStorage)
    .filter((name) => /^(?:msal|session)\./.test(name))
    .toSorted()
    .join('\n');

/**
 * Prefix of the key that names the session's user. It is stored, so that a page restored from the back/forward cache detects a change of
 * user.
 */
const ownerKeyPrefix = 'session.of';

/** Announces the session's user to other tabs. They share the cookie, so tabs that show another user or the login screen must reload. */
export function announceSession(personId: string): void {
  const key = `${ownerKeyPrefix}.${personId}`;
  for (const storedKey of Object.keys(window.localStorage))
    if (storedKey.startsWith(ownerKeyPrefix) && storedKey !== key) window.localStorage.removeItem(storedKey);
  window.localStorage.setItem(key, '');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
  sessionChannel.postMessage(personId);
}

export function onSessionElsewhere(callback: (personId: string) => void): void {
  sessionChannel.addEventListener('message', ({ data }) => callback(String(data)));
}

/** Stored in a cookie, since a sign-out clears all storage. */
export const readLastSignInMethod = (): string | null => readChoice('way');

export function storeLastSignInMethod(id: string): void {
  storeChoice('way', id);
}

/** Values in the session storage of this tab, as JSON. */
type StoredValues = {
  /** The signed-in user. */
  userDetail: UserDetail;
  /** Id of the user whose drafts are stored. */
  draftsOf: string;
  /** Kind of the pending redirect. */
  loginRedirect: RedirectKind;
  /** Whether the next page load counts as a return by Back or Forward. */
  isBack: true;
  errorMessage: StoredError;
  /** Invitation of a pending redirect, so that a cancellation can be reported. */
  invitationUnderWay: InvitationInAddress;
  /** Address of an invitation whose sign-up was cancelled. The start page returns to it (D10). */
  invitationLeft: string;
  /** Code of a migration link while the browser is at the provider. After a problem, the user can return to the link. */
  moveUnderWay: string;
  /** Query of the invitation to continue with after signing out another user (D14). */
  pendingInvitation: string;
  nextSignIn: NextSignIn;
};

export const readStored = <Name extends keyof StoredValues>(name: Name): StoredValues[Name] | null =>
  readJson('sessionStorage', name);

export function writeStored<Name extends keyof StoredValues>(name: Name, value: StoredValues[Name]): void {
  window.sessionStorage.setItem(name, JSON.stringify(value));
}

export function removeStored(name: keyof StoredValues): void {
  window.sessionStorage.removeItem(name);
}

/** Reads a value once. */
export function takeStored<Name extends keyof StoredValues>(name: Name): StoredValues[Name] | null {
  const value = readStored(name);
  removeStored(name);
  return value;
}

/** Deletes the drafts of another user, who did not sign out. */
export function deleteDraftsOfOthers(personId: string): void {
  if (readStored('draftsOf') !== personId) deleteDrafts();
  writeStored('draftsOf', personId);
}

/** Clears MSAL's mark of a pending redirect, which would block the next one after a return. */
export function clearInteraction(): void {
  for (const name of Object.keys(window.sessionStorage))
    if (name.includes('interaction')) window.sessionStorage.removeItem(name);
}

/** Error shown on the error screen (A4), written after storage was cleared (C6). */
export type StoredError = {
  message: string;
  reference?: string;
  /** The user was signed out everywhere. This is not an error; the next sign-in asks for the password. */
  isSignedOut?: boolean;
};

export type InvitationInAddress = { code: string } | { token: string };

export type NextSignIn = {
  /** The provider asks for the password or account even if it has a session, and the login screen waits for the user. */
  forceLogin?: boolean;
  address?: string;
};

const redirectWindowMilliseconds = 30_000;
const maximumRedirects = 3;

/** Counts a login redirect. Returns false for a redirect loop (C9): more than three in 30 s without a success between them. */
export function countRedirect(now: number): boolean {
  const stored = readJson<number[]>('sessionStorage', 'loginRedirects') ?? [];
  const recent = stored.filter((time) => time > now - redirectWindowMilliseconds && time <= now);
  if (recent.length >= maximumRedirects) return false;
  window.sessionStorage.setItem('loginRedirects', JSON.stringify([...recent, now]));
  return true;
}

/** Resets the count, after a success or when the user has seen the error. */
export function resetRedirectCount(): void {
  window.sessionStorage.removeItem('loginRedirects');
}

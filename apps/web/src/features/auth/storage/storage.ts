/**
 * What the browser keeps (statements I1 to I3), by name, and how all of it is cleared in every tab. The provider's
 * library keeps its own entries (`msal.*`, and keys containing "interaction").
 */
import type { UserDetail } from '@vestibule/contract/profile/me';
import { readJson } from '../../../lib/stored-json.ts';

export type RedirectKind = 'sign-in' | 'sign-up' | 'reset-password';

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('vestibule');
const signedOut = 'signed-out';

/** The cookie with the key that the library encrypts its local storage with. */
const libraryCookie = 'msal.cache.encryption';

/** Whether both storages can be written: without them no redirect comes back to where it started. */
export function storageWorks(): boolean {
  try {
    for (const storage of [window.localStorage, window.sessionStorage]) {
      storage.setItem('vestibule.probe', 'x'.repeat(4096));
      const kept = storage.getItem('vestibule.probe') !== null;
      storage.removeItem('vestibule.probe');
      if (!kept) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Clears local storage, this tab's session storage and the library's cookie, and tells the other tabs, with the reason. */
export function clearAllStorage(reason?: StoredError): void {
  clearThisTab();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none: it is same-origin
  channel?.postMessage({ kind: signedOut, reason });
}

/** Calls back when another tab has signed out; this tab's own storage is cleared by then, but for the reason. */
export function whenSignedOutElsewhere(callback: () => void): void {
  channel?.addEventListener('message', (event) => {
    const { kind, reason } = event.data as { kind?: string; reason?: StoredError };
    if (kind !== signedOut) return;
    clearThisTab();
    if (reason) writeStoredError(reason);
    callback();
  });
}

function clearThisTab(): void {
  window.localStorage.clear();
  window.sessionStorage.clear();
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${libraryCookie}=; path=/; max-age=0; samesite=lax`;
  // oxlint-disable-next-line unicorn/no-document-cookie -- the same, as the library writes it on https
  document.cookie = `${libraryCookie}=; path=/; max-age=0; samesite=none; secure`;
}

/** The names of what tells who is signed in: others after somebody has signed in or out, in whichever tab. */
export function namesKept(): string {
  return Object.keys(window.localStorage)
    .filter((name) => /^(?:msal|session)\./.test(name))
    .toSorted()
    .join('\n');
}

/** What this tab keeps; reading it removes it. */
export function takeKept(name: string): string | null {
  const kept = window.sessionStorage.getItem(name);
  window.sessionStorage.removeItem(name);
  return kept;
}

/** The page that is loaded next is one that somebody comes back to. */
export function takeBack(): boolean {
  return takeKept('isBack') !== null;
}

export function writeBack(): void {
  window.sessionStorage.setItem('isBack', 'true');
}

export function readUserDetail(): UserDetail | null {
  return readJson('sessionStorage', 'userDetail');
}

/** Null: nobody is signed in. */
export function writeUserDetail(user: UserDetail | null): void {
  window.sessionStorage.setItem('userDetail', JSON.stringify(user));
}

/** Which flow a redirect under way belongs to (key `loginRedirect`). */
export function readRedirectKind(): RedirectKind | null {
  return window.sessionStorage.getItem('loginRedirect') as RedirectKind | null;
}

export function writeRedirectKind(kind: RedirectKind | null): void {
  if (kind) window.sessionStorage.setItem('loginRedirect', kind);
  else window.sessionStorage.removeItem('loginRedirect');
}

/** The library begins no redirect while one is under way; whoever came back from there begins another. */
export function forgetInteraction(): void {
  for (const name of Object.keys(window.sessionStorage))
    if (name.includes('interaction')) window.sessionStorage.removeItem(name);
}

/** The error that the error screen shows (A4). It is written after a clearing, so that the reason is not lost (C6). */
export type StoredError = {
  message: string;
  reference?: string;
  /** They were signed out everywhere: no error, and the next sign-in asks for the password. */
  isSignedOut?: boolean;
};

export function readStoredError(): StoredError | null {
  return readJson('sessionStorage', 'errorMessage');
}

export function writeStoredError(error: StoredError | null): void {
  if (error) window.sessionStorage.setItem('errorMessage', JSON.stringify(error));
  else window.sessionStorage.removeItem('errorMessage');
}

/** An invitation to go on with after signing out as somebody else (D14). */
export function takePendingInvitation(): string | null {
  return takeKept('pendingInvitation');
}

export function writePendingInvitation(search: string): void {
  window.sessionStorage.setItem('pendingInvitation', search);
}

/** How the next sign-in goes. */
export type NextSignIn = {
  /** It asks for the password, or for the account, although the provider may remember the person; nothing begins by itself. */
  afresh?: boolean;
  /** The e-mail address that the provider's page begins with. */
  address?: string;
};

export function takeNextSignIn(): NextSignIn {
  return JSON.parse(takeKept('nextSignIn') ?? '{}') as NextSignIn;
}

export function writeNextSignIn(next: NextSignIn): void {
  window.sessionStorage.setItem('nextSignIn', JSON.stringify(next));
}

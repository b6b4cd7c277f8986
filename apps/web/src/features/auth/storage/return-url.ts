/** The address to show after the sign-in (keys `url` and `isNeedRedirectURL`, statements I1, C5, C7). */

export const dashboard = '/layout/dashboard';
/** The limit of the server for `returnTo`. */
const maximumLength = 2000;

/** Returns whether a path requires a signed-in user (A7). */
export const isSignedInPath = (pathname: string): boolean =>
  /^\/(?:layout|attachment)(?:\/|$)/.test(pathname);

/** Saves an address of this site; others are replaced by the dashboard. */
export function saveUrl(url: string): void {
  window.sessionStorage.setItem('url', safePath(url));
  window.sessionStorage.setItem('isNeedRedirectURL', 'true');
}

export function takeSavedUrl(): string {
  const url = readSavedUrl();
  for (const key of ['url', 'isNeedRedirectURL', 'loginRedirect']) window.sessionStorage.removeItem(key);
  return url;
}

export const hasSavedUrl = (): boolean => window.sessionStorage.getItem('isNeedRedirectURL') === 'true';

/** Returns the saved address without clearing it, because the started sign-in may fail. */
export function readSavedUrl(): string {
  const url = window.sessionStorage.getItem('url');
  return hasSavedUrl() && url !== null ? safePath(url) : dashboard;
}

/**
 * Returns the path if it requires a signed-in user, otherwise the dashboard. Rejects backslashes, control characters and encoded slashes,
 * which disguise `//evil.example` (OWASP, "Unvalidated Redirects").
 */
export function safePath(url: string): string {
  if (url.length > maximumLength || !/^\/(?:layout|attachment)(?:[/?#]|$)/.test(url)) return dashboard;
  if (/[\\\p{Cc}\s]/u.test(url) || /%(?:2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(url.split(/[?#]/)[0] ?? ''))
    return dashboard;
  const parsed = new URL(url, 'https://site.invalid');
  if (parsed.origin !== 'https://site.invalid' || !isSignedInPath(parsed.pathname)) return dashboard;
  return parsed.pathname.includes('//') ? dashboard : parsed.pathname + parsed.search + parsed.hash;
}

/** Where a person wanted to go before signing in (keys `url` and `isNeedRedirectURL`, statements I1, C5, C7). */

export const dashboard = '/layout/dashboard';
const longest = 1024;

/** Whether a path needs a signed-in person (A7). */
export function isSignedInPath(pathname: string): boolean {
  return /^\/(?:layout|attachment)(?:\/|$)/.test(pathname);
}

/** Remembers an address of this site. What is not one is not kept. */
export function saveUrl(url: string): void {
  window.sessionStorage.setItem('url', safePath(url));
  window.sessionStorage.setItem('isNeedRedirectURL', 'true');
}

/** The address to go to after signing in; the saved one and its flags are cleared. */
export function takeSavedUrl(): string {
  const url = readSavedUrl();
  for (const key of ['url', 'isNeedRedirectURL', 'loginRedirect']) window.sessionStorage.removeItem(key);
  return url;
}

/** Whether somebody wants an address behind the door, as whoever comes back from a sign-in does. */
export function isAddressSaved(): boolean {
  return window.sessionStorage.getItem('isNeedRedirectURL') === 'true';
}

/** The same, and it stays saved: the sign-in that has begun may lead nowhere. */
export function readSavedUrl(): string {
  const url = window.sessionStorage.getItem('url');
  return isAddressSaved() && url !== null ? safePath(url) : dashboard;
}

/**
 * The same path where it is a path of this site behind the door, the dashboard otherwise. Backslashes, control
 * characters and encoded slashes are how `//evil.example` is dressed up (OWASP, "Unvalidated Redirects").
 */
export function safePath(url: string): string {
  if (url.length > longest || !/^\/(?:layout|attachment)(?:[/?#]|$)/.test(url)) return dashboard;
  if (/[\\\p{Cc}\s]/u.test(url) || /%(?:2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(url.split(/[?#]/)[0] ?? ''))
    return dashboard;
  const parsed = new URL(url, 'https://site.invalid');
  if (parsed.origin !== 'https://site.invalid' || !isSignedInPath(parsed.pathname)) return dashboard;
  return parsed.pathname.includes('//') ? dashboard : parsed.pathname + parsed.search + parsed.hash;
}

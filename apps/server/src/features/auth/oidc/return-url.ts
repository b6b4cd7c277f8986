export const startPage = '/layout/dashboard';
const maximumLength = 2_000;

/** Returns path and query of a page of this site; the start page for other URLs, the API and the sign-in pages. */
export function safeReturnUrl(requested: string | undefined, publicUrl: string): string {
  // Browsers read a backslash as a slash, and remove tabs and line breaks.
  if (
    requested === undefined ||
    requested.length > maximumLength ||
    !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(requested)
  )
    return startPage;
  if (!URL.canParse(requested, publicUrl)) return startPage;
  const { origin, pathname, search } = new URL(requested, publicUrl);
  const isPage =
    origin === publicUrl &&
    !/^\/(?:\/|api(?:\/|$)|auth\/|files\/|login(?:\/|$)|signup(?:\/|$))/i.test(pathname);
  // Some proxies decode encoded separators.
  return isPage && !/%(?:2f|5c)/i.test(pathname) ? pathname + search : startPage;
}

/** Where somebody goes after a sign-in: an address of this site's pages, whatever was asked for. */

export const startPage = '/layout/dashboard';
const longest = 2_000;

/** The path and query of an address of this site, else the start page. Not of the API, nor of the ways in themselves. */
export function returnAddress(wanted: string | undefined, publicUrl: string): string {
  // A browser reads a backslash as a slash, and takes tabs and line breaks out.
  if (wanted === undefined || wanted.length > longest || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted))
    return startPage;
  if (!URL.canParse(wanted, publicUrl)) return startPage;
  const { origin, pathname, search } = new URL(wanted, publicUrl);
  const isOurs =
    origin === publicUrl &&
    !/^\/(?:\/|api(?:\/|$)|auth\/|files\/|login(?:\/|$)|signup(?:\/|$))/i.test(pathname);
  // Encoded separators are separators to somebody.
  return isOurs && !/%(?:2f|5c)/i.test(pathname) ? pathname + search : startPage;
}

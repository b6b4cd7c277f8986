/** Addresses of the sign-in at an application, and the path to which it returns. */
import type { OriginalRequest } from './original-request.ts';

/** Path on the host of each application that its proxy forwards to this site. */
export const reservedPath = '/.vestibule';

/** `safeReturnUrl` and `returnTo` limit the whole address of the start page. */
const maximumLength = 1_500;

/**
 * Returns path, query and fragment of an address of the application; `/` for other addresses and those of the reserved path. `text` is a
 * path or an address.
 */
export function returnPathOf(address: string, text: string): string {
  const url = URL.parse(text, address);
  // Addresses such as blob:https://… have the same origin, but no host.
  if (!url || `${url.protocol}//${url.host}` !== address || `${url.pathname}/`.startsWith(`${reservedPath}/`))
    return '/';
  const path = url.pathname + url.search + url.hash;
  return path.length <= maximumLength ? path : '/';
}

/** Returns the address at which the browser starts to sign in. The path is not encoded: nginx has no function for it. */
export const startAddressOf = ({ address, path }: OriginalRequest): string =>
  `${address}${reservedPath}/start?to=${returnPathOf(address, path)}`;

/** Address at which the browser signs in with another account. */
export const switchAddressOf = (address: string): string => `${address}${reservedPath}/start?another=1`;

/**
 * Reads the return path of the start address: all of the query after the first `to=` (`rd=` of ingress-nginx), encoded or not. A path that is not
 * encoded begins with a slash.
 */
export function readReturnPath(address: string, url: string): string {
  const text = /[?&](?:to|rd)=(.*)$/s.exec(url)?.[1] ?? '/';
  if (text.startsWith('/')) return returnPathOf(address, text);
  try {
    return returnPathOf(address, decodeURIComponent(text));
  } catch {
    return '/';
  }
}

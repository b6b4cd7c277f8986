/**
 * Detects requests from pages of other sites, which carry the session's cookie too. Checked before every change (OWASP,
 * "Cross-Site Request Forgery Prevention"; W3C, Fetch Metadata).
 */
import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns whether requests of this method change nothing. */
export const isSafe = (method: string): boolean => safeMethods.has(method);

/** Compares with the public URL. Another port or subdomain is another origin: `same-site` is rejected. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === publicUrl : site === 'same-origin';
}

/**
 * Whether a page of this site made a request. A browser sends the session's cookie along with what other sites have it send, so
 * whatever changes something asks this first (OWASP, "Cross-Site Request Forgery Prevention"; W3C, Fetch Metadata).
 */
import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method change nothing, whoever has them sent. */
export const isSafe = (method: string): boolean => safeMethods.has(method);

/** `publicUrl` is the address that people open. Another port or a sister domain is another site: `same-site` is foreign. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === publicUrl : site === 'same-origin';
}

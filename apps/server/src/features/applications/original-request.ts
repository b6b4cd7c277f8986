/** Reads the request that a reverse proxy asks about, from the headers that the proxy sets. */
import type { FastifyRequest } from 'fastify';

/** Request to an application. `address` is the origin, such as `https://wiki.example.com`. */
export type OriginalRequest = { address: string; path: string; method: string };

/** Host name or address with an optional port, and nothing else: a URL parser would accept credentials and paths too. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const schemes: Record<string, string> = { http: 'http', https: 'https', ws: 'http', wss: 'https' };

/** Returns the normalized origin; null for a missing, repeated or malformed header. */
function originOf(scheme: unknown, host: unknown): string | null {
  if (typeof scheme !== 'string' || typeof host !== 'string' || !hostPattern.test(host)) return null;
  const known = schemes[scheme.toLowerCase()];
  const url = known === undefined ? null : URL.parse(`${known}://${host}`);
  return url && url.origin;
}

const textOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
const pathOf = (value: string | string[] | undefined) =>
  textOf(value)?.startsWith('/') ? String(value) : '/';

/** `X-Forwarded-*` of Caddy, Traefik and HAProxy. The proxy sets all of them itself. */
export function readForwarded({ headers }: FastifyRequest): OriginalRequest | null {
  const address = originOf(headers['x-forwarded-proto'], headers['x-forwarded-host']);
  if (address === null) return null;
  return {
    address,
    path: pathOf(headers['x-forwarded-uri']),
    method: textOf(headers['x-forwarded-method']) ?? 'GET',
  };
}

/**
 * `X-Original-URL` and `X-Original-Method` of nginx. If `X-Forwarded-Host` is present, it must name the same host: nginx forwards headers
 * of the client that its configuration does not set, and one of the two is set by it.
 */
export function readOriginalUrl({ headers }: FastifyRequest): OriginalRequest | null {
  const parts = /^(https?):\/\/([^/?#]+)(.*)$/i.exec(textOf(headers['x-original-url']) ?? '');
  const address = originOf(parts?.[1], parts?.[2]);
  if (address === null) return null;
  const forwardedHost = headers['x-forwarded-host'];
  if (
    forwardedHost !== undefined &&
    originOf(new URL(address).protocol.slice(0, -1), forwardedHost) !== address
  )
    return null;
  return { address, path: pathOf(parts?.[3]), method: textOf(headers['x-original-method']) ?? 'GET' };
}

/** Envoy (`ext_authz` with `path_prefix`): sends the request's own method, host and path, without the body. */
export function readPrefixed(
  { headers, method, url }: FastifyRequest,
  prefix: string,
): OriginalRequest | null {
  const address = originOf(headers['x-forwarded-proto'], headers.host);
  return address === null ? null : { address, path: pathOf(url.slice(prefix.length)), method };
}

/** Request to the reserved path on the host of an application: `X-Forwarded-Host`, or `Host` if the proxy does not set it. */
export function readReserved({ headers, method, url }: FastifyRequest): OriginalRequest | null {
  const address = originOf(headers['x-forwarded-proto'], headers['x-forwarded-host'] ?? headers.host);
  return address === null ? null : { address, path: url, method };
}

/** Office follows a link before it opens the browser, and shows an error for a status such as 401 (Microsoft, KB 899927). */
const office = /\b(?:ms-office|Microsoft Office)\b/;

/**
 * Returns whether a browser loads a page, so that it can be redirected to the sign-in. Other requests get a status: scripts cannot use a page
 * of another site, and a redirect would lose the body of a form. Android apps that show pages send their name in `X-Requested-With`.
 */
export function isPageLoad({ headers }: FastifyRequest, { method }: OriginalRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (isWebSocket(headers, method) || headers['x-requested-with'] === 'XMLHttpRequest') return false;
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  return headers.accept?.includes('text/html') === true || office.test(headers['user-agent'] ?? '');
}

/** Returns whether a program sends the request: all supported browsers send `Sec-Fetch-Mode`. After a challenge, a browser would ask its user for a password. */
export const isProgram = ({ headers }: FastifyRequest, { method }: OriginalRequest): boolean =>
  headers['sec-fetch-mode'] === undefined && !isWebSocket(headers, method);

/** WebSockets over HTTP/2 are requests with the method CONNECT, and have no key (RFC 8441). */
export const isWebSocket = (headers: FastifyRequest['headers'], method: string): boolean =>
  method === 'CONNECT' ||
  headers['sec-websocket-key'] !== undefined ||
  headers.upgrade?.toLowerCase() === 'websocket';

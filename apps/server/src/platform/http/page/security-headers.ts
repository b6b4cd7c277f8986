/** The headers that every answer carries, and the content security policy of the application's page. */
import { isLoopback } from '../../config/loopback.ts';

/** Headers for everything (OWASP Secure Headers). Frames of our own origin are needed for silent renewal. */
const everywhere = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * The headers of a site at this address. Where people open it by https, browsers are told to never try http again (RFC 6797);
 * not for this machine's own names, whose other ports may speak plain http.
 */
export function commonHeaders(publicUrl: string): Record<string, string> {
  const { protocol, hostname } = new URL(publicUrl);
  const isEncrypted = protocol === 'https:' && !isLoopback(hostname);
  return { ...everywhere, ...(isEncrypted && { 'strict-transport-security': 'max-age=31536000' }) };
}

/**
 * The policy of the application's page: scripts from here only, connections and frames to here and to the
 * provider only. Inline styles are allowed: the grid and the UI kit compute some.
 */
export function contentSecurityPolicy(providerOrigins: string[]): string {
  const provider = [...new Set(providerOrigins)].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self' data:",
    "manifest-src 'self'",
    `connect-src 'self' ${provider}`,
    `frame-src 'self' ${provider}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ');
}

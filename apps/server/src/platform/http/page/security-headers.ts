/** Headers of every response, and the content security policy of the application's page. */
import { isLoopback } from '../../config/addresses.ts';

/** Headers of every response (OWASP Secure Headers). Silent token renewal requires frames of the same origin. */
const everywhere = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Returns the headers for a public URL. Sites on https send Strict-Transport-Security (RFC 6797), except on loopback
 * names, whose other ports may use plain http.
 */
export function commonHeaders(publicUrl: string): Record<string, string> {
  const { protocol, hostname } = new URL(publicUrl);
  const isEncrypted = protocol === 'https:' && !isLoopback(hostname);
  return { ...everywhere, ...(isEncrypted && { 'strict-transport-security': 'max-age=31536000' }) };
}

/**
 * Returns the page's policy: scripts from this origin only, connections and frames also to the provider. Inline styles
 * are allowed: the grid and the UI kit compute some. Firefox applies `default-src` to files that the page prefetches.
 */
export function contentSecurityPolicy(providerOrigins: string[]): string {
  const provider = [...new Set(providerOrigins)].join(' ');
  return [
    "default-src 'self'",
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

/** Classifies URLs, host names and e-mail addresses of the configuration. */
import { isIP } from 'node:net';
import { canonicalEmail, domainOf } from '../identity/canonical-email.ts';

/** Returns null instead of throwing. */
export const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** Returns whether a host name or address is only reachable from this machine (RFC 6761, section 6.3). */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === '::1' || (isIP(bare) === 4 ? bare.startsWith('127.') : /^(?:.+\.)?localhost$/.test(bare));
}

/**
 * Returns `no-reply@` the site's host, since mail servers refuse unknown domains or treat them as spam. Sites on this
 * machine or at an IP address have no such domain.
 */
export function defaultSender(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const own = isLoopback(hostname) || isIP(hostname) ? null : canonicalEmail(`no-reply@${hostname}`);
  return own ?? 'no-reply@example.com';
}

const reserved = /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|localhost|test)$/;

/** Returns whether an e-mail address is at a reserved domain (RFC 2606, RFC 6761). */
export function isReservedDomain(address: string): boolean {
  const canonical = canonicalEmail(address);
  return canonical !== null && reserved.test(domainOf(canonical));
}

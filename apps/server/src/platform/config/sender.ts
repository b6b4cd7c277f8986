/** The default sender of mails, and domains that cannot receive mail. */
import { isIP } from 'node:net';
import { canonicalEmail, domainOf } from '../identity/canonical-email.ts';
import { isLoopback } from './loopback.ts';

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

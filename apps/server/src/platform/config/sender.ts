/** Whom mails come from when nobody says so, and which addresses are nobody's. */
import { isIP } from 'node:net';
import { canonicalEmail, domainOf } from '../identity/canonical-email.ts';
import { isLoopback } from './loopback.ts';

/**
 * `no-reply@` the host of the site, whose mails are neither refused nor taken for spam as those of a domain are that is nobody's.
 * A site of this machine, or at an address of numbers, has no such domain.
 */
export function defaultSender(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const own = isLoopback(hostname) || isIP(hostname) ? null : canonicalEmail(`no-reply@${hostname}`);
  return own ?? 'no-reply@example.com';
}

const reserved = /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|localhost|test)$/;

/** Whether an e-mail address is at a domain that nobody can have (RFC 2606, RFC 6761). */
export function isNobodys(address: string): boolean {
  const canonical = canonicalEmail(address);
  return canonical !== null && reserved.test(domainOf(canonical));
}

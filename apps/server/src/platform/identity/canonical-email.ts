/** Canonical form of e-mail addresses, for comparison. Storage and mails use the address as entered. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { EmailAddress } from '@vestibule/contract/values';

/**
 * Returns the canonical form, or null for an invalid address. Before the @ only ASCII letters are case-folded. A plus tag
 * is kept, and an internationalized domain is compared as A-label (RFC 5890). A domain that becomes ASCII only by mapping
 * (full-width letters, the Kelvin sign) is rejected as a lookalike.
 */
export function canonicalEmail(address: string): string | null {
  const parsed = EmailAddress.safeParse(address);
  if (!parsed.success) return null;
  const [local, domain] = parsed.data.split('@') as [string, string];
  const lowerDomain = foldAscii(domain).replaceAll(/\p{Lu}/gu, lowerNonAscii);
  const ascii = domainToASCII(lowerDomain);
  const isReversible = ascii === lowerDomain || domainToUnicode(ascii) === lowerDomain;
  if (
    !isReversible ||
    !/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(ascii)
  )
    return null;
  const canonical = `${foldAscii(local)}@${ascii}`;
  return canonical.length <= emailMaximumLength ? canonical : null;
}

export const domainOf = (canonical: string): string => canonical.slice(canonical.lastIndexOf('@') + 1);

const foldAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Leaves the Kelvin sign and the dotted İ unchanged, which would become ASCII letters. */
function lowerNonAscii(letter: string): string {
  const lower = letter.toLowerCase();
  return /[a-z]/.test(lower) ? letter : lower;
}

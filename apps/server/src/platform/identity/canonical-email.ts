/** The canonical form of e-mail addresses: what two addresses are compared by. Stores and mails use the address as typed. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { emailMaximumLength } from '@vestibule/contract/rules/limits';
import { EmailAddress } from '@vestibule/contract/values';

/**
 * The canonical form, or null for what is not an acceptable address. ASCII letters fold, nothing else does: a
 * plus tag stays, and an internationalised domain is compared as A-label (RFC 5890). A domain that only becomes
 * ASCII by mapping (full-width letters, the Kelvin sign) is refused, since it only looks like another.
 */
export function canonicalEmail(address: string): string | null {
  const parsed = EmailAddress.safeParse(address);
  if (!parsed.success) return null;
  const [local, domain] = parsed.data.split('@') as [string, string];
  const lowerDomain = foldAscii(domain);
  const ascii = domainToASCII(lowerDomain);
  const sameWhenReadBack = ascii === lowerDomain || domainToUnicode(ascii) === lowerDomain;
  if (
    !sameWhenReadBack ||
    !/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(ascii)
  )
    return null;
  const canonical = `${foldAscii(local)}@${ascii}`;
  return canonical.length <= emailMaximumLength ? canonical : null;
}

export function domainOf(canonical: string): string {
  return canonical.slice(canonical.lastIndexOf('@') + 1);
}

function foldAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Detects domains that look mistyped or have no dot. The result is a warning: such domains can be invited. */
import { rowTexts } from '@vestibule/contract/invitations/texts';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import { isOneTypoFrom } from '../../../platform/one-typo.ts';

/** Common mail domains. Similar real domains must all be listed, so that none is reported as mistyped. */
const commonMailDomains = [
  'aol.com',
  'email.com',
  'fastmail.com',
  'freenet.de',
  'gmail.com',
  'gmx.at',
  'gmx.ch',
  'gmx.com',
  'gmx.de',
  'gmx.net',
  'googlemail.com',
  'hotmail.co.uk',
  'hotmail.com',
  'hotmail.de',
  'hotmail.fr',
  'icloud.com',
  'live.com',
  'mail.com',
  'msn.com',
  'outlook.com',
  'outlook.de',
  'outlook.fr',
  'proton.me',
  'protonmail.com',
  'rocketmail.com',
  't-online.de',
  'web.de',
  'yahoo.co.uk',
  'yahoo.com',
  'yahoo.de',
  'yahoo.fr',
  'ymail.com',
];

/** Shorter domains have too many similar real ones. */
const minTypoDomainLength = 8;

/**
 * Returns why a domain (A-labels) is doubtful and which domain was meant; null if it is not doubtful. `ownDomain` is
 * the domain of the inviter.
 */
export function findDomainWarning(
  domain: string,
  ownDomain: string,
): { text: Message; suggestion: string | null } | null {
  const known = [ownDomain, ...commonMailDomains];
  if (known.includes(domain)) return null;
  const suggestion = domain.includes('.')
    ? known.find((one) => one.length >= minTypoDomainLength && isOneTypoFrom(domain, one))
    : known.find((one) => one.startsWith(`${domain}.`));
  if (suggestion) return { text: createMessage(rowTexts.likeDomain, { domain, suggestion }), suggestion };
  return domain.includes('.')
    ? null
    : { text: createMessage(rowTexts.domainWithoutDot, { domain }), suggestion: null };
}

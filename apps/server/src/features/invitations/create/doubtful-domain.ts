/**
 * Domains that look like a slip of the keyboard, or take no mail. It is said, and nobody is refused for it: the list of the
 * world's domains is not ours.
 */
import { rowTexts } from '@vestibule/contract/invitations/texts';
import { createMessage, type Message } from '@vestibule/contract/texts/text';

/** Where most people have their mail. All that are real and near to one another are here, so that none is taken for a slip. */
const wellKnown = [
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

/** Shorter names have too many neighbours that are somebody's. */
const shortestForSlips = 8;

/** What is doubtful about a domain, A-labels, and which one was meant; null for nothing. `own` is that of whoever invites. */
export function doubtOf(domain: string, own: string): { text: Message; meant: string | null } | null {
  const known = [own, ...wellKnown];
  if (known.includes(domain)) return null;
  const meant = domain.includes('.')
    ? known.find((one) => one.length >= shortestForSlips && isOneSlipFrom(domain, one))
    : known.find((one) => one.startsWith(`${domain}.`));
  if (meant) return { text: createMessage(rowTexts.likeDomain, { domain, suggestion: meant }), meant };
  return domain.includes('.')
    ? null
    : { text: createMessage(rowTexts.domainWithoutDot, { domain }), meant: null };
}

/** One letter too many, too few or another one, or two neighbours exchanged. */
function isOneSlipFrom(text: string, other: string): boolean {
  if (Math.abs(text.length - other.length) > 1) return false;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const rest = (of: string, from: number) => of.slice(at + from);
  return (
    rest(text, 1) === rest(other, 1) ||
    rest(text, 1) === rest(other, 0) ||
    rest(text, 0) === rest(other, 1) ||
    (text[at] === other[at + 1] && text[at + 1] === other[at] && rest(text, 2) === rest(other, 2))
  );
}

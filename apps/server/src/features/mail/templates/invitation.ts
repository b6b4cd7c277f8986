/** The mail that invites somebody. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, formatDeadline, type MailPart, type MailValues } from './layout.ts';

export type InvitationMailValues = MailValues & {
  link: string;
  expiresAt: Date;
  /** The personal message; empty for none. */
  message: string;
  /** Who invites; null for the server itself. Their name is null where they are not inside any more. */
  invitedBy: { name: string | null; address: string } | null;
};

const texts = {
  en: {
    subject: (product: string) => `Your invitation to ${product}`,
    opening: (product: string, by: string | null) =>
      by === null ? `You are invited to ${product}.` : `${by} invites you to ${product}.`,
    theirWords: (by: string | null) => (by === null ? 'A message for you:' : `${by} writes:`),
    signUp: 'Sign up',
    closing: (address: string, until: string) =>
      `The link is for ${address} and works until ${until}. If you did not expect it, you can ignore this e-mail.`,
  },
  de: {
    subject: (product: string) => `Ihre Einladung zu ${product}`,
    opening: (product: string, by: string | null) =>
      by === null ? `Sie sind zu ${product} eingeladen.` : `${by} lädt Sie zu ${product} ein.`,
    theirWords: (by: string | null) => (by === null ? 'Eine Nachricht für Sie:' : `${by} schreibt:`),
    signUp: 'Registrieren',
    closing: (address: string, until: string) =>
      `Der Link gilt für ${address} und bis zum ${until}. Falls Sie ihn nicht erwartet haben, brauchen Sie nichts zu tun.`,
  },
};

export function writeInvitationMail(language: MailLanguage, values: InvitationMailValues): Mail {
  const { to, site, link, message, invitedBy } = values;
  const words = texts[language];
  const called = invitedBy?.name ?? invitedBy?.address ?? null;
  const opening = words.opening(
    site.productName,
    // A name is anybody's to choose: the address says who it is.
    invitedBy?.name ? `${invitedBy.name} (${invitedBy.address})` : called,
  );
  const quote: MailPart[] = message ? [{ quote: message, introduction: words.theirWords(called) }] : [];
  return composeMail(language, values, {
    subject: words.subject(site.productName),
    preheader: opening,
    parts: [{ paragraph: opening }, ...quote, { link, label: words.signUp }],
    closing: words.closing(to.address, formatDeadline(language, values.expiresAt)),
  });
}

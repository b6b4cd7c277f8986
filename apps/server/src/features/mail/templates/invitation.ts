import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, formatDeadline, type MailBlock, type MailValues } from './layout.ts';

export type InvitationMailValues = MailValues & {
  link: string;
  expiresAt: Date;
  /** Message of the inviter; empty if there is none. */
  message: string;
  /** Null for invitations by the server. `name` is null if the inviter is no longer a user. */
  invitedBy: { name: string | null; address: string } | null;
};

const texts = {
  en: {
    subject: (product: string) => `Your invitation to ${product}`,
    opening: (product: string, by: string | null) =>
      by === null ? `You are invited to ${product}.` : `${by} invites you to ${product}.`,
    quoteIntroduction: (by: string | null) => (by === null ? 'A message for you:' : `${by} writes:`),
    signUp: 'Sign up',
    closing: (address: string, until: string) =>
      `The link is for ${address} and works until ${until}. If you did not expect it, you can ignore this e-mail.`,
  },
  de: {
    subject: (product: string) => `Ihre Einladung zu ${product}`,
    opening: (product: string, by: string | null) =>
      by === null ? `Sie sind zu ${product} eingeladen.` : `${by} lädt Sie zu ${product} ein.`,
    quoteIntroduction: (by: string | null) => (by === null ? 'Eine Nachricht für Sie:' : `${by} schreibt:`),
    signUp: 'Registrieren',
    closing: (address: string, until: string) =>
      `Der Link gilt für ${address} und bis zum ${until}. Falls Sie ihn nicht erwartet haben, brauchen Sie nichts zu tun.`,
  },
};

export function writeInvitationMail(language: MailLanguage, values: InvitationMailValues): Mail {
  const { to, site, link, message, invitedBy } = values;
  const labels = texts[language];
  const inviter = invitedBy?.name ?? invitedBy?.address ?? null;
  const opening = labels.opening(
    site.productName,
    // Names are chosen by users and may mislead; the address identifies the inviter.
    invitedBy?.name ? `${invitedBy.name} (${invitedBy.address})` : inviter,
  );
  const quote: MailBlock[] = message
    ? [{ quote: message, introduction: labels.quoteIntroduction(inviter) }]
    : [];
  return composeMail(language, values, {
    subject: labels.subject(site.productName),
    preheader: opening,
    parts: [{ paragraph: opening }, ...quote, { link, label: labels.signUp }],
    closing: labels.closing(to.address, formatDeadline(language, values.expiresAt)),
  });
}

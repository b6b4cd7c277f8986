/** Mails to invitees. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { breakLinks, composeMessage, formatDeadline, personOf, type MailValues } from './layout.ts';
import type { MailBlock, MessageTexts } from '../../../platform/mail/message-texts.ts';

type LinkMailValues = MailValues & {
  link: string;
  expiresAt: Date;
  /** Name of the organization; absent for an invitation to the site only. */
  organization?: string | null;
};

/** Adds the name of the site, with the organization that the invitee joins, the end of the link's validity, and its button. */
const composeLinkMessage = <Values extends LinkMailValues>(
  texts: Record<
    MailLanguage,
    (values: Values & { place: string; until: string; button: MailBlock }) => MessageTexts
  >,
) => {
  const compose = (language: MailLanguage, labels: { signUp: string; join: string }) => (values: Values) => {
    const { organization, link, expiresAt, site } = values;
    const place = organization ? `${organization} (${site.productName})` : site.productName;
    const button = { link, label: organization ? labels.join : labels.signUp };
    return texts[language]({ ...values, place, until: formatDeadline(language, expiresAt), button });
  };
  return composeMessage<Values>({
    en: compose('en', { signUp: 'Sign up', join: 'Join' }),
    de: compose('de', { signUp: 'Registrieren', join: 'Beitreten' }),
  });
};

export type InvitationMailValues = LinkMailValues & {
  /** Message of the inviter; empty if there is none. */
  message: string;
  /** Null for invitations by the server. `name` is null if the inviter is no longer a user. */
  invitedBy: { name: string | null; address: string } | null;
};

const quote = (message: string, introduction: string): MailBlock[] =>
  message ? [{ quote: message, introduction }] : [];

/** Name of the inviter without the address. */
const shortNameOf = ({ name, address }: { name: string | null; address: string }) =>
  name ? breakLinks(name) : address;

export const writeInvitationMail = composeLinkMessage<InvitationMailValues>({
  en: ({ to, place, until, button, message, invitedBy }) => ({
    subject: `Your invitation to ${place}`,
    parts: [
      invitedBy ? `${personOf(invitedBy)} invites you to ${place}.` : `You are invited to ${place}.`,
      ...quote(message, invitedBy ? `${shortNameOf(invitedBy)} writes:` : 'A message for you:'),
      button,
    ],
    closing: `The link is for ${to.address} and works until ${until}. If you did not expect it, you can ignore this e-mail.`,
  }),
  de: ({ to, place, until, button, message, invitedBy }) => ({
    subject: `Ihre Einladung zu ${place}`,
    parts: [
      invitedBy ? `${personOf(invitedBy)} lädt Sie zu ${place} ein.` : `Sie sind zu ${place} eingeladen.`,
      ...quote(message, invitedBy ? `${shortNameOf(invitedBy)} schreibt:` : 'Eine Nachricht für Sie:'),
      button,
    ],
    closing: `Der Link gilt für ${to.address} und bis zum ${until}. Falls Sie ihn nicht erwartet haben, brauchen Sie nichts zu tun.`,
  }),
});

export const writeReminderMail = composeLinkMessage<LinkMailValues>({
  en: ({ to, place, until, button }) => ({
    subject: `Your invitation to ${place} ends on ${until}`,
    parts: [
      `You were invited to ${place} but have not signed up yet. Your link works until ${until}.`,
      button,
    ],
    closing: `The link is for ${to.address}. If you do not want to sign up, you can ignore this e-mail. This is the only reminder.`,
  }),
  de: ({ to, place, until, button }) => ({
    subject: `Ihre Einladung zu ${place} endet am ${until}`,
    parts: [
      `Sie sind zu ${place} eingeladen und haben sich noch nicht registriert. Ihr Link gilt bis zum ${until}.`,
      button,
    ],
    closing: `Der Link gilt für ${to.address}. Wenn Sie sich nicht registrieren möchten, brauchen Sie nichts zu tun; dies ist die einzige Erinnerung.`,
  }),
});

/** The mail with a new link for an invitation that had expired (D15) or was renewed. */
export const writeNewLinkMail = composeLinkMessage<LinkMailValues>({
  en: ({ to, place, until, button }) => ({
    subject: `Your new link to ${place}`,
    parts: [`Here is a new link for your invitation to ${place}.`, button],
    closing: `The link is for ${to.address} and works until ${until}. If you did not request it, you can ignore this e-mail.`,
  }),
  de: ({ to, place, until, button }) => ({
    subject: `Ihr neuer Link zu ${place}`,
    parts: [`hier ist ein neuer Link für Ihre Einladung zu ${place}.`, button],
    closing: `Der Link gilt für ${to.address} und bis zum ${until}. Falls Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.`,
  }),
});

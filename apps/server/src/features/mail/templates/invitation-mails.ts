/** Mails to invitees. */
import { breakLinks, composeMessage, formatDeadline, personOf, type MailValues } from './layout.ts';
import type { MailBlock } from '../../../platform/mail/message-texts.ts';

type LinkMailValues = MailValues & {
  link: string;
  expiresAt: Date;
  /** Name of the organization; absent for an invitation to the site only. */
  organization?: string | null;
};

/** Name of the site, with the organization that the invitee joins. */
const placeOf = ({ organization, site: { productName } }: LinkMailValues) =>
  organization ? `${organization} (${productName})` : productName;

const joinLabels = { en: ['Sign up', 'Join'], de: ['Registrieren', 'Beitreten'] } as const;
const labelOf = (language: 'en' | 'de', { organization }: LinkMailValues) =>
  joinLabels[language][organization ? 1 : 0];

export type InvitationMailValues = LinkMailValues & {
  /** Message of the inviter; empty if there is none. */
  message: string;
  /** Null for invitations by the server. `name` is null if the inviter is no longer a user. */
  invitedBy: { name: string | null; address: string } | null;
};

const quote = (message: string, introduction: string): MailBlock[] =>
  message ? [{ quote: message, introduction }] : [];

const inviterOf = ({ invitedBy }: InvitationMailValues) => ({
  inviter: invitedBy && personOf(invitedBy),
  by: invitedBy && (invitedBy.name ? breakLinks(invitedBy.name) : invitedBy.address),
});

export const writeInvitationMail = composeMessage<InvitationMailValues>({
  en(values) {
    const { to, link, expiresAt, message } = values;
    const place = placeOf(values);
    const { inviter, by } = inviterOf(values);
    return {
      subject: `Your invitation to ${place}`,
      parts: [
        inviter === null ? `You are invited to ${place}.` : `${inviter} invites you to ${place}.`,
        ...quote(message, by === null ? 'A message for you:' : `${by} writes:`),
        { link, label: labelOf('en', values) },
      ],
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. If you did not expect it, you can ignore this e-mail.`,
    };
  },
  de(values) {
    const { to, link, expiresAt, message } = values;
    const place = placeOf(values);
    const { inviter, by } = inviterOf(values);
    return {
      subject: `Ihre Einladung zu ${place}`,
      parts: [
        inviter === null ? `Sie sind zu ${place} eingeladen.` : `${inviter} lädt Sie zu ${place} ein.`,
        ...quote(message, by === null ? 'Eine Nachricht für Sie:' : `${by} schreibt:`),
        { link, label: labelOf('de', values) },
      ],
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Falls Sie ihn nicht erwartet haben, brauchen Sie nichts zu tun.`,
    };
  },
});

export const writeReminderMail = composeMessage<LinkMailValues>({
  en(values) {
    const { to, link, expiresAt } = values;
    const place = placeOf(values);
    const until = formatDeadline('en', expiresAt);
    return {
      subject: `Your invitation to ${place} ends on ${until}`,
      parts: [
        `You were invited to ${place} but have not signed up yet. Your link works until ${until}.`,
        { link, label: labelOf('en', values) },
      ],
      closing: `The link is for ${to.address}. If you do not want to sign up, you can ignore this e-mail. This is the only reminder.`,
    };
  },
  de(values) {
    const { to, link, expiresAt } = values;
    const place = placeOf(values);
    const until = formatDeadline('de', expiresAt);
    return {
      subject: `Ihre Einladung zu ${place} endet am ${until}`,
      parts: [
        `Sie sind zu ${place} eingeladen und haben sich noch nicht registriert. Ihr Link gilt bis zum ${until}.`,
        { link, label: labelOf('de', values) },
      ],
      closing: `Der Link gilt für ${to.address}. Wenn Sie sich nicht registrieren möchten, brauchen Sie nichts zu tun; dies ist die einzige Erinnerung.`,
    };
  },
});

/** The mail with a new link for an invitation that had expired (D15) or was renewed. */
export const writeNewLinkMail = composeMessage<LinkMailValues>({
  en(values) {
    const { to, link, expiresAt } = values;
    const place = placeOf(values);
    return {
      subject: `Your new link to ${place}`,
      parts: [`Here is a new link for your invitation to ${place}.`, { link, label: labelOf('en', values) }],
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. If you did not request it, you can ignore this e-mail.`,
    };
  },
  de(values) {
    const { to, link, expiresAt } = values;
    const place = placeOf(values);
    return {
      subject: `Ihr neuer Link zu ${place}`,
      parts: [
        `hier ist ein neuer Link für Ihre Einladung zu ${place}.`,
        { link, label: labelOf('de', values) },
      ],
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Falls Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.`,
    };
  },
});

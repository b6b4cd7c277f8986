/** Mails to invitees. */
import { composeMessage, formatDeadline, type MailBlock, type MailValues } from './layout.ts';

type LinkMailValues = MailValues & { link: string; expiresAt: Date };

export type InvitationMailValues = LinkMailValues & {
  /** Message of the inviter; empty if there is none. */
  message: string;
  /** Null for invitations by the server. `name` is null if the inviter is no longer a user. */
  invitedBy: { name: string | null; address: string } | null;
};

const quote = (message: string, introduction: string): MailBlock[] =>
  message ? [{ quote: message, introduction }] : [];

/** Names are chosen by users and may mislead; the address identifies the inviter. */
const inviterOf = (invitedBy: InvitationMailValues['invitedBy']) =>
  invitedBy?.name ? `${invitedBy.name} (${invitedBy.address})` : (invitedBy?.address ?? null);

export const writeInvitationMail = composeMessage<InvitationMailValues>({
  en({ to, site: { productName: product }, link, expiresAt, message, invitedBy }) {
    const inviter = inviterOf(invitedBy);
    const by = invitedBy?.name ?? inviter;
    return {
      subject: `Your invitation to ${product}`,
      parts: [
        inviter === null ? `You are invited to ${product}.` : `${inviter} invites you to ${product}.`,
        ...quote(message, by === null ? 'A message for you:' : `${by} writes:`),
        { link, label: 'Sign up' },
      ],
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. If you did not expect it, you can ignore this e-mail.`,
    };
  },
  de({ to, site: { productName: product }, link, expiresAt, message, invitedBy }) {
    const inviter = inviterOf(invitedBy);
    const by = invitedBy?.name ?? inviter;
    return {
      subject: `Ihre Einladung zu ${product}`,
      parts: [
        inviter === null ? `Sie sind zu ${product} eingeladen.` : `${inviter} lädt Sie zu ${product} ein.`,
        ...quote(message, by === null ? 'Eine Nachricht für Sie:' : `${by} schreibt:`),
        { link, label: 'Registrieren' },
      ],
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Falls Sie ihn nicht erwartet haben, brauchen Sie nichts zu tun.`,
    };
  },
});

export const writeReminderMail = composeMessage<LinkMailValues>({
  en({ to, site: { productName: product }, link, expiresAt }) {
    const until = formatDeadline('en', expiresAt);
    return {
      subject: `Your invitation to ${product} ends on ${until}`,
      parts: [
        `You were invited to ${product} but have not signed up yet. Your link works until ${until}.`,
        { link, label: 'Sign up' },
      ],
      closing: `The link is for ${to.address}. If you do not want to sign up, you can ignore this e-mail. This is the only reminder.`,
    };
  },
  de({ to, site: { productName: product }, link, expiresAt }) {
    const until = formatDeadline('de', expiresAt);
    return {
      subject: `Ihre Einladung zu ${product} endet am ${until}`,
      parts: [
        `Sie sind zu ${product} eingeladen und haben sich noch nicht registriert. Ihr Link gilt bis zum ${until}.`,
        { link, label: 'Registrieren' },
      ],
      closing: `Der Link gilt für ${to.address}. Wenn Sie sich nicht registrieren möchten, brauchen Sie nichts zu tun; dies ist die einzige Erinnerung.`,
    };
  },
});

/** The mail with a new link for an invitation that had expired (D15) or was renewed. */
export const writeNewLinkMail = composeMessage<LinkMailValues>({
  en: ({ to, site: { productName: product }, link, expiresAt }) => ({
    subject: `Your new link to ${product}`,
    parts: [`Here is a new link for your invitation to ${product}.`, { link, label: 'Sign up' }],
    closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. If you did not request it, you can ignore this e-mail.`,
  }),
  de: ({ to, site: { productName: product }, link, expiresAt }) => ({
    subject: `Ihr neuer Link zu ${product}`,
    parts: [`hier ist ein neuer Link für Ihre Einladung zu ${product}.`, { link, label: 'Registrieren' }],
    closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Falls Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.`,
  }),
});

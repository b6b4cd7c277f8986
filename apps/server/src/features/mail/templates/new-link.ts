/** The mail with a new link for an invitation that had expired (D15) or was renewed. */
import { formatDeadline, type MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeNewLinkMail = composeMessage<MailValues & { link: string; expiresAt: Date }>(
  {
    en: ({ to, site: { productName: product }, expiresAt }) => ({
      subject: `Your new link to ${product}`,
      paragraphs: [`Here is a new link for your invitation to ${product}.`],
      label: 'Sign up',
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. If you did not request it, you can ignore this e-mail.`,
    }),
    de: ({ to, site: { productName: product }, expiresAt }) => ({
      subject: `Ihr neuer Link zu ${product}`,
      paragraphs: [`hier ist ein neuer Link für Ihre Einladung zu ${product}.`],
      label: 'Registrieren',
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Falls Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.`,
    }),
  },
  ({ link }) => link,
);

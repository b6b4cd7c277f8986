import { formatDeadline, type MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeReminderMail = composeMessage<MailValues & { link: string; expiresAt: Date }>(
  {
    en({ to, site: { productName: product }, expiresAt }) {
      const until = formatDeadline('en', expiresAt);
      return {
        subject: `Your invitation to ${product} ends on ${until}`,
        paragraphs: [
          `You were invited to ${product} but have not signed up yet. Your link works until ${until}.`,
        ],
        label: 'Sign up',
        closing: `The link is for ${to.address}. If you do not want to sign up, you can ignore this e-mail. This is the only reminder.`,
      };
    },
    de({ to, site: { productName: product }, expiresAt }) {
      const until = formatDeadline('de', expiresAt);
      return {
        subject: `Ihre Einladung zu ${product} endet am ${until}`,
        paragraphs: [
          `Sie sind zu ${product} eingeladen und haben sich noch nicht registriert. Ihr Link gilt bis zum ${until}.`,
        ],
        label: 'Registrieren',
        closing: `Der Link gilt für ${to.address}. Wenn Sie sich nicht registrieren möchten, brauchen Sie nichts zu tun; dies ist die einzige Erinnerung.`,
      };
    },
  },
  ({ link }) => link,
);

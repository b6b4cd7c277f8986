/** Mails with the personal link for an identity migration, and their reminders. */
import { formatDeadline, type MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

type MigrationMailValues = MailValues & {
  link: string;
  /** Label of the new sign-in method. */
  methodLabel: string;
  expiresAt: Date;
  isReminder: boolean;
};

export const writeMigrationMail = composeMessage<MigrationMailValues>(
  {
    en: ({ to, site: { productName: product }, methodLabel, expiresAt, isReminder }) => ({
      subject: isReminder
        ? `Reminder: ${product} is moving to ${methodLabel}`
        : `${product}: sign in with ${methodLabel} from now on`,
      paragraphs: [
        `${product} is moving to ${methodLabel}. From now on, sign in there. Your role, files and history stay the same.`,
        `It takes a minute: open the link and sign in with ${methodLabel} once.`,
      ],
      label: 'Move now',
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. Until you have moved, sign in as before.`,
    }),
    de: ({ to, site: { productName: product }, methodLabel, expiresAt, isReminder }) => ({
      subject: isReminder
        ? `Erinnerung: ${product} zieht zu ${methodLabel} um`
        : `${product}: Melden Sie sich künftig mit ${methodLabel} an`,
      paragraphs: [
        `${product} zieht zu ${methodLabel} um. Sie melden sich künftig dort an; Ihre Rolle, Ihre Dateien und Ihr Verlauf bleiben.`,
        `Es dauert eine Minute: Öffnen Sie den Link und melden Sie sich einmal mit ${methodLabel} an.`,
      ],
      label: 'Jetzt umziehen',
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Bis Sie umgezogen sind, melden Sie sich wie bisher an.`,
    }),
  },
  ({ link }) => link,
);

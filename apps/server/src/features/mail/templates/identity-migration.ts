/** The mail with the personal link by which somebody moves to another way to sign in, and its reminder. */
import { formatDeadline, type MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

type MoveMailValues = MailValues & {
  link: string;
  /** What people call the way that they move to. */
  way: string;
  expiresAt: Date;
  isReminder: boolean;
};

export const writeMigrationMail = composeMessage<MoveMailValues>(
  {
    en: ({ to, site: { productName: product }, way, expiresAt, isReminder }) => ({
      subject: isReminder
        ? `Reminder: ${product} is moving to ${way}`
        : `${product}: sign in with ${way} from now on`,
      paragraphs: [
        `${product} is moving to ${way}. From now on, sign in there. Your role, files and history stay the same.`,
        `It takes a minute: open the link and sign in with ${way} once.`,
      ],
      label: 'Move now',
      closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. Until you have moved, sign in as before.`,
    }),
    de: ({ to, site: { productName: product }, way, expiresAt, isReminder }) => ({
      subject: isReminder
        ? `Erinnerung: ${product} zieht zu ${way} um`
        : `${product}: Melden Sie sich künftig mit ${way} an`,
      paragraphs: [
        `${product} zieht zu ${way} um. Sie melden sich künftig dort an; Ihre Rolle, Ihre Dateien und Ihr Verlauf bleiben.`,
        `Es dauert eine Minute: Öffnen Sie den Link und melden Sie sich einmal mit ${way} an.`,
      ],
      label: 'Jetzt umziehen',
      closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Bis Sie umgezogen sind, melden Sie sich wie bisher an.`,
    }),
  },
  ({ link }) => link,
);

/** The mail with the personal link by which somebody moves to another way to sign in, and its reminder. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, longDate, type MailValues } from './layout.ts';

type MoveMailValues = MailValues & {
  link: string;
  /** What people call the way that they move to. */
  way: string;
  expiresAt: Date;
  isReminder: boolean;
};

const texts = {
  en: {
    subject: (product: string, way: string) => `${product}: sign in with ${way} from now on`,
    reminder: (product: string, way: string) => `Reminder: ${product} is moving to ${way}`,
    opening: (product: string, way: string) =>
      `${product} is moving to ${way}. From now on, sign in there. Your role, files and history stay the same.`,
    how: (way: string) => `It takes a minute: open the link and sign in with ${way} once.`,
    go: 'Move now',
    closing: (address: string, until: string) =>
      `The link is for ${address} and works until ${until}. Until you have moved, sign in as before.`,
  },
  de: {
    subject: (product: string, way: string) => `${product}: Melden Sie sich künftig mit ${way} an`,
    reminder: (product: string, way: string) => `Erinnerung: ${product} zieht zu ${way} um`,
    opening: (product: string, way: string) =>
      `${product} zieht zu ${way} um. Sie melden sich künftig dort an; Ihre Rolle, Ihre Dateien und Ihr Verlauf bleiben.`,
    how: (way: string) =>
      `Es dauert eine Minute: Öffnen Sie den Link und melden Sie sich einmal mit ${way} an.`,
    go: 'Jetzt umziehen',
    closing: (address: string, until: string) =>
      `Der Link gilt für ${address} und bis zum ${until}. Bis Sie umgezogen sind, melden Sie sich wie bisher an.`,
  },
};

export function writeMoveMail(language: MailLanguage, values: MoveMailValues): Mail {
  const { productName } = values.site;
  const words = texts[language];
  const opening = words.opening(productName, values.way);
  return composeMail(language, values, {
    subject: words[values.isReminder ? 'reminder' : 'subject'](productName, values.way),
    preheader: opening,
    parts: [
      { paragraph: opening },
      { paragraph: words.how(values.way) },
      { link: values.link, label: words.go },
    ],
    closing: words.closing(values.to.address, longDate[language].format(values.expiresAt)),
  });
}

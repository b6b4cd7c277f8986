/** The mail that reminds somebody of an invitation before it ends. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, longDate, type MailValues } from './layout.ts';

type ReminderMailValues = MailValues & { link: string; expiresAt: Date };

const texts = {
  en: {
    subject: (product: string, until: string) => `Your invitation to ${product} ends on ${until}`,
    opening: (product: string, until: string) =>
      `You were invited to ${product} but have not signed up yet. Your link works until ${until}.`,
    signUp: 'Sign up',
    closing: (address: string) =>
      `The link is for ${address}. If you do not want to sign up, you can ignore this e-mail. This is the only reminder.`,
  },
  de: {
    subject: (product: string, until: string) => `Ihre Einladung zu ${product} endet am ${until}`,
    opening: (product: string, until: string) =>
      `Sie sind zu ${product} eingeladen und haben sich noch nicht registriert. Ihr Link gilt bis zum ${until}.`,
    signUp: 'Registrieren',
    closing: (address: string) =>
      `Der Link gilt für ${address}. Wenn Sie sich nicht registrieren möchten, brauchen Sie nichts zu tun; dies ist die einzige Erinnerung.`,
  },
};

export function writeReminderMail(language: MailLanguage, values: ReminderMailValues): Mail {
  const { productName } = values.site;
  const words = texts[language];
  const until = longDate[language].format(values.expiresAt);
  const opening = words.opening(productName, until);
  return composeMail(language, values, {
    subject: words.subject(productName, until),
    preheader: opening,
    parts: [{ paragraph: opening }, { link: values.link, label: words.signUp }],
    closing: words.closing(values.to.address),
  });
}

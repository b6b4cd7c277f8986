/** The mail with a fresh link, for somebody whose invitation had expired (statement D15) or was renewed. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, longDate, type MailValues } from './layout.ts';

type NewLinkMailValues = MailValues & { link: string; expiresAt: Date };

const texts = {
  en: {
    subject: (product: string) => `Your new link to ${product}`,
    opening: (product: string) => `Here is a new link for your invitation to ${product}.`,
    signUp: 'Sign up',
    closing: (address: string, until: string) =>
      `The link is for ${address} and works until ${until}. If you did not request it, you can ignore this e-mail.`,
  },
  de: {
    subject: (product: string) => `Ihr neuer Link zu ${product}`,
    opening: (product: string) => `hier ist ein neuer Link für Ihre Einladung zu ${product}.`,
    signUp: 'Registrieren',
    closing: (address: string, until: string) =>
      `Der Link gilt für ${address} und bis zum ${until}. Falls Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun.`,
  },
};

export function writeNewLinkMail(language: MailLanguage, values: NewLinkMailValues): Mail {
  const { productName } = values.site;
  const words = texts[language];
  const opening = words.opening(productName);
  return composeMail(language, values, {
    subject: words.subject(productName),
    preheader: opening,
    parts: [{ paragraph: opening }, { link: values.link, label: words.signUp }],
    closing: words.closing(values.to.address, longDate[language].format(values.expiresAt)),
  });
}

/** The mail that shows an administrator that mails arrive. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

const texts = {
  en: {
    subject: (product: string) => `Test e-mail from ${product}`,
    opening: (product: string) =>
      `This is a test. E-mails from ${product} reach you, and this is what they look like.`,
    open: (product: string) => `Open ${product}`,
    closing: 'You requested this e-mail in the settings.',
  },
  de: {
    subject: (product: string) => `Testmail von ${product}`,
    opening: (product: string) =>
      `dies ist ein Test. Mails von ${product} erreichen Sie, und so sehen sie aus.`,
    open: (product: string) => `${product} öffnen`,
    closing: 'Sie haben diese Mail in den Einstellungen angefordert.',
  },
};

export function writeTestMail(language: MailLanguage, values: MailValues): Mail {
  const { productName, publicUrl } = values.site;
  const words = texts[language];
  const opening = words.opening(productName);
  return composeMail(language, values, {
    subject: words.subject(productName),
    preheader: opening,
    parts: [{ paragraph: opening }, { link: `${publicUrl}/`, label: words.open(productName) }],
    closing: words.closing,
  });
}

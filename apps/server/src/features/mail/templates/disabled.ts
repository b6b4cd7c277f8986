/** The mail that tells somebody that their access is switched off. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

const texts = {
  en: {
    subject: (product: string) => `Your access to ${product} has been disabled`,
    opening: (product: string) =>
      `An administrator has disabled your access to ${product}. You cannot use it until an administrator enables it again.`,
    closing: 'If you think this is a mistake, ask an administrator.',
  },
  de: {
    subject: (product: string) => `Ihr Zugang zu ${product} ist gesperrt`,
    opening: (product: string) =>
      `jemand aus der Administration hat Ihren Zugang zu ${product} gesperrt. Sie können es nicht benutzen, bis er wieder freigegeben wird.`,
    closing: 'Wenn Sie das für einen Irrtum halten, wenden Sie sich an die Administration.',
  },
};

export function writeDisabledMail(language: MailLanguage, values: MailValues): Mail {
  const { productName } = values.site;
  const words = texts[language];
  const opening = words.opening(productName);
  return composeMail(language, values, {
    subject: words.subject(productName),
    preheader: opening,
    parts: [{ paragraph: opening }],
    closing: words.closing,
  });
}

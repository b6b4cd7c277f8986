/** The mail with the code that proves an invited address. */
import { signInMinutes } from '@vestibule/contract/sign-in';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

const texts = {
  en: {
    subject: (code: string, product: string) => `${code} is your code for ${product}`,
    opening: (product: string) =>
      `You are about to sign in to ${product} with your invitation. To show that it is yours, enter this code there:`,
    closing: `It works for ${signInMinutes} minutes, and only in the browser in which you began. Did you not begin? Then give it to nobody; without it, nothing happens.`,
  },
  de: {
    subject: (code: string, product: string) => `${code} ist Ihr Code für ${product}`,
    opening: (product: string) =>
      `Sie melden sich gerade mit Ihrer Einladung bei ${product} an. Geben Sie dort diesen Code ein, damit klar ist, dass es Ihre ist:`,
    closing: `Er gilt ${signInMinutes} Minuten und nur in dem Browser, in dem Sie begonnen haben. Das waren nicht Sie? Dann geben Sie ihn niemandem; ohne ihn geschieht nichts.`,
  },
};

export function writeSignInCodeMail(language: MailLanguage, values: MailValues & { code: string }): Mail {
  const { productName } = values.site;
  const words = texts[language];
  return composeMail(language, values, {
    subject: words.subject(values.code, productName),
    preheader: values.code,
    parts: [{ paragraph: words.opening(productName) }, { paragraph: values.code }],
    closing: words.closing,
  });
}

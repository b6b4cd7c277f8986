import { signInMinutes, type SignInPurpose } from '@vestibule/contract/sign-in';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

/** Origin of the request for the code. */
type RequestOrigin = { browser: string | null; system: string | null; address: string };

const texts = {
  en: {
    subject: (code: string, product: string) => `${code} is your code for ${product}`,
    opening: (product: string) =>
      `You are signing in to ${product} with your invitation. To confirm that it is yours, enter this code there:`,
    openingMigration: (product: string) =>
      `You are signing in to ${product} in a new way. To confirm that the account is yours, enter this code there:`,
    openingAgain: (product: string) => `You are signing in to ${product}. Enter this code there:`,
    openingConfirm: (product: string) =>
      `You are confirming at ${product} that it is you. Enter this code there:`,
    requestedFrom: (device: string, address: string) =>
      `It was requested with ${device}, from the network address ${address}.`,
    device: (browser: string | null, system: string | null) =>
      [browser, system].filter(Boolean).join(' on ') || 'an unknown program',
    label: 'Sign in with the code',
    closing: `It works for ${signInMinutes} minutes, and only in the browser where you started. Not you? Do not give it to anyone; without it, nothing happens.`,
  },
  de: {
    subject: (code: string, product: string) => `${code} ist Ihr Code für ${product}`,
    opening: (product: string) =>
      `Sie melden sich gerade mit Ihrer Einladung bei ${product} an. Geben Sie dort diesen Code ein, damit klar ist, dass es Ihre ist:`,
    openingMigration: (product: string) =>
      `Sie melden sich gerade auf einem neuen Weg bei ${product} an. Geben Sie dort diesen Code ein, damit klar ist, dass das Konto Ihnen gehört:`,
    openingAgain: (product: string) =>
      `Sie melden sich gerade bei ${product} an. Geben Sie dort diesen Code ein:`,
    openingConfirm: (product: string) =>
      `Sie bestätigen gerade bei ${product}, dass Sie es sind. Geben Sie dort diesen Code ein:`,
    requestedFrom: (device: string, address: string) =>
      `Er wurde mit ${device} angefordert, von der Netzwerkadresse ${address}.`,
    device: (browser: string | null, system: string | null) =>
      [browser, system].filter(Boolean).join(' unter ') || 'einem unbekannten Programm',
    label: 'Mit dem Code anmelden',
    closing: `Er gilt ${signInMinutes} Minuten und nur in dem Browser, in dem Sie begonnen haben. Das waren nicht Sie? Dann geben Sie ihn niemandem; ohne ihn geschieht nichts.`,
  },
};

/**
 * Pass `again` for a sign-in by code alone: the mail then has a link and names the origin of the request. Without
 * `again`, the code confirms a sign-in at a provider.
 */
export function writeSignInCodeMail(
  language: MailLanguage,
  values: MailValues & {
    code: string;
    purpose?: SignInPurpose;
    again?: { from: RequestOrigin; link: string };
  },
): Mail {
  const { code, purpose, again, site } = values;
  const labels = texts[language];
  const { browser, system, address } = again?.from ?? { browser: null, system: null, address: '' };
  const opening =
    purpose === 'confirm'
      ? labels.openingConfirm
      : again
        ? labels.openingAgain
        : purpose === 'move'
          ? labels.openingMigration
          : labels.opening;
  return composeMail(language, values, {
    subject: labels.subject(code, site.productName),
    preheader: code,
    parts: [
      { paragraph: opening(site.productName) },
      { code },
      ...(again
        ? [
            { link: again.link, label: labels.label },
            { paragraph: labels.requestedFrom(labels.device(browser, system), address) },
          ]
        : []),
    ],
    closing: labels.closing,
  });
}

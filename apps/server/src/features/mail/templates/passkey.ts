/** Mails about an added, renamed or removed passkey, or a reset sign-in. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, breakLinks, type MailValues } from './layout.ts';

export type PasskeyNotification = { kind: 'added' | 'renamed'; name: string } | { kind: 'removed' | 'reset' };

const texts = {
  en: {
    subject: {
      added: (product: string) => `New passkey for ${product}`,
      renamed: (product: string) => `A passkey for ${product} was renamed`,
      removed: (product: string) => `A passkey for ${product} was removed`,
      reset: (product: string) => `Create a new passkey for ${product}`,
    },
    opening: {
      added: (product: string, name: string) =>
        `A passkey was added to your account at ${product}: ${name}. Anyone who has it can sign in as you.`,
      renamed: (product: string, name: string) =>
        `A passkey of your account at ${product} was renamed: ${name}. It works as before.`,
      removed: (product: string) =>
        `A passkey was removed from your account at ${product}. You can no longer sign in with it.`,
      reset: (product: string) =>
        `An administrator has reset your sign-in to ${product}: your passkeys no longer work, and you are signed out everywhere. Open the site, request a code by e-mail, and create a new passkey.`,
    },
    label: { profile: 'See your ways to sign in', reset: 'Create a new passkey' },
    closing: {
      change:
        'Not you? Remove anything you do not recognise there, sign out everywhere, and tell an administrator.',
      reset: 'If you did not ask for this, tell an administrator.',
    },
  },
  de: {
    subject: {
      added: (product: string) => `Neuer Passkey für ${product}`,
      renamed: (product: string) => `Ein Passkey für ${product} wurde umbenannt`,
      removed: (product: string) => `Ein Passkey für ${product} wurde entfernt`,
      reset: (product: string) => `Legen Sie einen neuen Passkey für ${product} an`,
    },
    opening: {
      added: (product: string, name: string) =>
        `zu Ihrem Konto bei ${product} ist ein Passkey hinzugekommen: ${name}. Wer ihn hat, kann sich als Sie anmelden.`,
      renamed: (product: string, name: string) =>
        `ein Passkey Ihres Kontos bei ${product} heißt jetzt ${name}. Er funktioniert wie zuvor.`,
      removed: (product: string) =>
        `aus Ihrem Konto bei ${product} wurde ein Passkey entfernt. Mit ihm können Sie sich nicht mehr anmelden.`,
      reset: (product: string) =>
        `jemand aus der Administration hat Ihre Anmeldung bei ${product} zurückgesetzt: Ihre Passkeys gelten nicht mehr, und Sie sind überall abgemeldet. Öffnen Sie die Seite, lassen Sie sich einen Code schicken und legen Sie einen neuen Passkey an.`,
    },
    label: { profile: 'Ihre Anmeldewege ansehen', reset: 'Neuen Passkey anlegen' },
    closing: {
      change:
        'Das waren nicht Sie? Dann entfernen Sie dort, was Sie nicht kennen, melden Sie sich überall ab und sagen Sie der Administration Bescheid.',
      reset: 'Haben Sie nicht darum gebeten? Dann sagen Sie der Administration Bescheid.',
    },
  },
};

export function writePasskeyMail(
  language: MailLanguage,
  values: MailValues & { news: PasskeyNotification },
): Mail {
  const { news, site, to } = values;
  const labels = texts[language];
  const opening = labels.opening[news.kind](site.productName, 'name' in news ? breakLinks(news.name) : '');
  // Contains no secret: the sign-in code is sent to the same mailbox.
  const parameters = new URLSearchParams({ 'sign-in': 'again', address: to.address });
  const link =
    news.kind === 'reset'
      ? `${site.publicUrl}/login?${parameters.toString()}`
      : `${site.publicUrl}/layout/profile`;
  return composeMail(language, values, {
    subject: labels.subject[news.kind](site.productName),
    preheader: opening,
    parts: [
      { paragraph: opening },
      { link, label: news.kind === 'reset' ? labels.label.reset : labels.label.profile },
    ],
    closing: news.kind === 'reset' ? labels.closing.reset : labels.closing.change,
  });
}

/** Mails about sign-in methods: codes, passkeys, accounts at providers and migrations. */
import { signInMinutes, type SignInPurpose } from '@vestibule/contract/sign-in';
import { breakLinks, composeMessage, formatDeadline, type MailValues } from './layout.ts';
import type { MailBlock } from '../../../platform/mail/message-texts.ts';

type CodeMailValues = MailValues & {
  code: string;
  purpose?: SignInPurpose;
  /**
   * Set for a sign-in by code alone: the mail then has a link and names the origin of the request. Otherwise the code
   * confirms a sign-in at a provider.
   */
  again?: { from: { browser: string | null; system: string | null; address: string }; link: string };
};

/** Returns the text for the kind of sign-in. */
function selectOpening(
  { purpose, again }: CodeMailValues,
  openings: Record<'confirm' | 'again' | 'move' | 'invitation', string>,
): string {
  if (purpose === 'confirm') return openings.confirm;
  if (again) return openings.again;
  return purpose === 'move' ? openings.move : openings.invitation;
}

function describeRequest(
  { again }: CodeMailValues,
  label: string,
  describe: (device: [string | null, string | null], address: string) => string,
): MailBlock[] {
  if (!again) return [];
  const { browser, system, address } = again.from;
  return [{ link: again.link, label }, { paragraph: describe([browser, system], address) }];
}

export const writeSignInCodeMail = composeMessage<CodeMailValues>({
  en: (values) => ({
    subject: `${values.code} is your code for ${values.product}`,
    preheader: values.code,
    parts: [
      selectOpening(values, {
        confirm: `You are confirming at ${values.product} that it is you. Enter this code there:`,
        again: `You are signing in to ${values.product}. Enter this code there:`,
        move: `You are signing in to ${values.product} with a new method. To confirm that the account is yours, enter this code there:`,
        invitation: `You are signing in to ${values.product} with your invitation. To confirm that it is yours, enter this code there:`,
      }),
      { code: values.code },
      ...describeRequest(
        values,
        'Sign in with the code',
        (device, address) =>
          `It was requested with ${device.filter(Boolean).join(' on ') || 'an unknown program'}, from the network address ${address}.`,
      ),
    ],
    closing: `It works for ${signInMinutes} minutes from when it was requested, and only in the browser where you started. Not you? Do not give it to anyone; without it, nothing happens.`,
  }),
  de: (values) => ({
    subject: `${values.code} ist Ihr Code für ${values.product}`,
    preheader: values.code,
    parts: [
      selectOpening(values, {
        confirm: `Sie bestätigen gerade bei ${values.product}, dass Sie es sind. Geben Sie dort diesen Code ein:`,
        again: `Sie melden sich gerade bei ${values.product} an. Geben Sie dort diesen Code ein:`,
        move: `Sie melden sich gerade mit einer neuen Methode bei ${values.product} an. Geben Sie dort diesen Code ein, um zu bestätigen, dass das Konto Ihnen gehört:`,
        invitation: `Sie melden sich gerade mit Ihrer Einladung bei ${values.product} an. Geben Sie dort diesen Code ein, um zu bestätigen, dass es Ihre ist:`,
      }),
      { code: values.code },
      ...describeRequest(
        values,
        'Mit dem Code anmelden',
        (device, address) =>
          `Er wurde mit ${device.filter(Boolean).join(' unter ') || 'einem unbekannten Programm'} angefordert, von der Netzwerkadresse ${address}.`,
      ),
    ],
    closing: `Er gilt ${signInMinutes} Minuten ab der Anforderung und nur in dem Browser, in dem Sie begonnen haben. Das waren nicht Sie? Dann geben Sie ihn nicht weiter; ohne ihn geschieht nichts.`,
  }),
});

export type PasskeyNotification = { kind: 'added' | 'renamed'; name: string } | { kind: 'removed' | 'reset' };

type PasskeyMailValues = MailValues & { news: PasskeyNotification };

const passkeyNameOf = (news: PasskeyNotification) => ('name' in news ? breakLinks(news.name) : '');

function passkeyLink({ news, site, to }: PasskeyMailValues): string {
  if (news.kind !== 'reset') return `${site.publicUrl}/layout/profile`;
  // Contains no secret: the sign-in code is sent to the same mailbox.
  const parameters = new URLSearchParams({ 'sign-in': 'again', address: to.address });
  return `${site.publicUrl}/login?${parameters.toString()}`;
}

/** The mail about an added, renamed or removed passkey, or a reset sign-in. */
export const writePasskeyMail = composeMessage<PasskeyMailValues>({
  en(values) {
    const { news, product } = values;
    const isReset = news.kind === 'reset';
    return {
      subject: {
        added: `New passkey for ${product}`,
        renamed: `A passkey for ${product} was renamed`,
        removed: `A passkey for ${product} was removed`,
        reset: `Create a new passkey for ${product}`,
      }[news.kind],
      parts: [
        {
          added: `A passkey was added to your account at ${product}: ${passkeyNameOf(news)}. Anyone who has it can sign in as you.`,
          renamed: `A passkey of your account at ${product} was renamed: ${passkeyNameOf(news)}. It works as before.`,
          removed: `A passkey was removed from your account at ${product}. You can no longer sign in with it.`,
          reset: `An administrator has reset your sign-in to ${product}: your passkeys no longer work, and you are signed out everywhere. Open the site, request a code by e-mail, and create a new passkey.`,
        }[news.kind],
        { link: passkeyLink(values), label: isReset ? 'Create a new passkey' : 'See your sign-in methods' },
      ],
      closing: isReset
        ? 'If you did not ask for this, tell an administrator.'
        : 'Not you? Remove anything you do not recognise there, sign out everywhere, and tell an administrator.',
    };
  },
  de(values) {
    const { news, product } = values;
    const isReset = news.kind === 'reset';
    return {
      subject: {
        added: `Neuer Passkey für ${product}`,
        renamed: `Ein Passkey für ${product} wurde umbenannt`,
        removed: `Ein Passkey für ${product} wurde entfernt`,
        reset: `Erstellen Sie einen neuen Passkey für ${product}`,
      }[news.kind],
      parts: [
        {
          added: `zu Ihrem Konto bei ${product} wurde ein Passkey hinzugefügt: ${passkeyNameOf(news)}. Wer ihn hat, kann sich als Sie anmelden.`,
          renamed: `ein Passkey Ihres Kontos bei ${product} heißt jetzt ${passkeyNameOf(news)}. Er funktioniert wie zuvor.`,
          removed: `aus Ihrem Konto bei ${product} wurde ein Passkey entfernt. Mit ihm können Sie sich nicht mehr anmelden.`,
          reset: `ein Administrator hat Ihre Anmeldung bei ${product} zurückgesetzt: Ihre Passkeys gelten nicht mehr, und Sie sind überall abgemeldet. Öffnen Sie die Website, lassen Sie sich einen Code senden und erstellen Sie einen neuen Passkey.`,
        }[news.kind],
        { link: passkeyLink(values), label: isReset ? 'Neuen Passkey erstellen' : 'Anmeldemethoden ansehen' },
      ],
      closing: isReset
        ? 'Haben Sie nicht darum gebeten? Dann informieren Sie einen Administrator.'
        : 'Das waren nicht Sie? Dann entfernen Sie dort, was Sie nicht kennen, melden Sie sich überall ab und informieren Sie einen Administrator.',
    };
  },
});

/** The mail about an added or removed account at a provider. `methodLabel` is the label of the sign-in method. */
export const writeIdentityChangeMail = composeMessage<
  MailValues & { change: 'added' | 'removed'; methodLabel: string }
>({
  en: ({ product, publicUrl, site: { supportEmail }, change, methodLabel }) => ({
    subject:
      change === 'added'
        ? `You can now sign in to ${product} with ${methodLabel}`
        : `You can no longer sign in to ${product} with ${methodLabel}`,
    parts: [
      change === 'added'
        ? `You can now sign in to ${product} with ${methodLabel} as well.`
        : `You can no longer sign in to ${product} with your account at ${methodLabel}. Your other sign-in methods still work.`,
      { link: `${publicUrl}/layout/profile`, label: 'See your sign-in methods' },
    ],
    closing: `If neither you nor an administrator did this, remove anything you do not recognise from your profile, sign out everywhere, and write to ${supportEmail}.`,
  }),
  de: ({ product, publicUrl, site: { supportEmail }, change, methodLabel }) => ({
    subject:
      change === 'added'
        ? `Sie können sich jetzt mit ${methodLabel} bei ${product} anmelden`
        : `Sie können sich nicht mehr mit ${methodLabel} bei ${product} anmelden`,
    parts: [
      change === 'added'
        ? `ab jetzt können Sie sich bei ${product} auch mit ${methodLabel} anmelden.`
        : `mit einem Konto bei ${methodLabel} können Sie sich nicht mehr bei ${product} anmelden. Ihre anderen Anmeldemethoden funktionieren weiterhin.`,
      { link: `${publicUrl}/layout/profile`, label: 'Anmeldemethoden ansehen' },
    ],
    closing: `Falls weder Sie noch ein Administrator das getan haben: Entfernen Sie im Profil, was Sie nicht kennen, melden Sie sich überall ab, und schreiben Sie an ${supportEmail}.`,
  }),
});

/** The mail with the personal link for an identity migration, or its reminder. */
export const writeMigrationMail = composeMessage<
  MailValues & { link: string; methodLabel: string; expiresAt: Date; isReminder: boolean }
>({
  en: ({ to, product, link, methodLabel, expiresAt, isReminder }) => ({
    subject: isReminder
      ? `Reminder: ${product} is moving to ${methodLabel}`
      : `${product}: sign in with ${methodLabel} from now on`,
    parts: [
      `${product} is moving to ${methodLabel}. From now on, sign in there. Your role, files and history stay the same.`,
      `It takes a minute: open the link and sign in with ${methodLabel} once.`,
      { link, label: 'Move now' },
    ],
    closing: `The link is for ${to.address} and works until ${formatDeadline('en', expiresAt)}. Until you have moved, sign in as before.`,
  }),
  de: ({ to, product, link, methodLabel, expiresAt, isReminder }) => ({
    subject: isReminder
      ? `Erinnerung: ${product} zieht zu ${methodLabel} um`
      : `${product}: Melden Sie sich künftig mit ${methodLabel} an`,
    parts: [
      `${product} zieht zu ${methodLabel} um. Sie melden sich künftig dort an; Ihre Rolle, Ihre Dateien und Ihr Verlauf bleiben.`,
      `Es dauert eine Minute: Öffnen Sie den Link und melden Sie sich einmal mit ${methodLabel} an.`,
      { link, label: 'Jetzt umziehen' },
    ],
    closing: `Der Link gilt für ${to.address} und bis zum ${formatDeadline('de', expiresAt)}. Bis Sie umgezogen sind, melden Sie sich wie bisher an.`,
  }),
});

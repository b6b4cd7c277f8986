/** The mail that tells somebody what they may do from now on. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

type RoleChangeMailValues = MailValues & { role: 'member' | 'admin' };

const texts = {
  en: {
    subject: (product: string) => `Your role in ${product} has changed`,
    admin: (product: string) =>
      `You are now an administrator of ${product}. You can invite people, see all members and change settings.`,
    member: (product: string) =>
      `You are now a member of ${product} and no longer an administrator. Nothing else changes.`,
    open: (product: string) => `Open ${product}`,
    closing: 'An administrator made this change. It is already in effect; you don’t need to do anything.',
  },
  de: {
    subject: (product: string) => `Ihre Rolle in ${product} hat sich geändert`,
    admin: (product: string) =>
      `Sie sind jetzt Administrator von ${product}. Sie können Personen einladen, alle Mitglieder sehen und Einstellungen ändern.`,
    member: (product: string) =>
      `Sie sind jetzt Mitglied von ${product} und nicht mehr Administrator. Alles andere bleibt, wie es war.`,
    open: (product: string) => `${product} öffnen`,
    closing: 'Jemand aus der Administration hat das geändert. Es gilt bereits; Sie brauchen nichts zu tun.',
  },
};

export function writeRoleChangeMail(language: MailLanguage, values: RoleChangeMailValues): Mail {
  const { productName, publicUrl } = values.site;
  const words = texts[language];
  const opening = words[values.role](productName);
  return composeMail(language, values, {
    subject: words.subject(productName),
    preheader: opening,
    parts: [{ paragraph: opening }, { link: `${publicUrl}/`, label: words.open(productName) }],
    closing: words.closing,
  });
}

import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

export const writeRoleChangeMail = composeMessage<MailValues & { role: 'member' | 'admin' }>(
  {
    en: ({ site: { productName: product }, role }) => ({
      subject: `Your role in ${product} has changed`,
      paragraphs: [
        role === 'admin'
          ? `You are now an administrator of ${product}. You can invite people, see all members and change settings.`
          : `You are now a member of ${product} and no longer an administrator. Nothing else changes.`,
      ],
      label: `Open ${product}`,
      closing: 'An administrator made this change. It is already in effect; you don’t need to do anything.',
    }),
    de: ({ site: { productName: product }, role }) => ({
      subject: `Ihre Rolle in ${product} hat sich geändert`,
      paragraphs: [
        role === 'admin'
          ? `Sie sind jetzt Administrator von ${product}. Sie können Personen einladen, alle Mitglieder sehen und Einstellungen ändern.`
          : `Sie sind jetzt Mitglied von ${product} und nicht mehr Administrator. Alles andere bleibt, wie es war.`,
      ],
      label: `${product} öffnen`,
      closing: 'Jemand aus der Administration hat das geändert. Es gilt bereits; Sie brauchen nichts zu tun.',
    }),
  },
  ({ site }) => `${site.publicUrl}/`,
);

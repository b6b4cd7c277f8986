/** Mails about changes by administrators, about disabled webhooks, expiring tokens and organizations, and missing DNS records, and the test mail. */
import { composeMessage, formatDeadline, type MailValues } from './layout.ts';

export const writeRoleChangeMail = composeMessage<MailValues & { role: 'member' | 'admin' }>({
  en: ({ product, publicUrl, role }) => ({
    subject: `Your role in ${product} has changed`,
    parts: [
      role === 'admin'
        ? `You are now an administrator of ${product}. You can invite people, see all members and change settings.`
        : `You are now a member of ${product} and no longer an administrator. Nothing else changes.`,
      { link: `${publicUrl}/`, label: `Open ${product}` },
    ],
    closing: 'An administrator made this change. It is already in effect; you don’t need to do anything.',
  }),
  de: ({ product, publicUrl, role }) => ({
    subject: `Ihre Rolle in ${product} hat sich geändert`,
    parts: [
      role === 'admin'
        ? `Sie sind jetzt Administrator von ${product}. Sie können Personen einladen, alle Mitglieder sehen und Einstellungen ändern.`
        : `Sie sind jetzt Mitglied von ${product} und nicht mehr Administrator. Alles andere bleibt, wie es war.`,
      { link: `${publicUrl}/`, label: `${product} öffnen` },
    ],
    closing: 'Ein Administrator hat das geändert. Es gilt bereits; Sie brauchen nichts zu tun.',
  }),
});

export const writeAddressChangeMail = composeMessage<MailValues & { before: string; after: string }>({
  en: ({ product, before, after }) => ({
    subject: `Your e-mail address in ${product} has changed`,
    parts: [
      `Your address in ${product} was ${before} and is now ${after}. E-mails go to the new address. If you sign in with a code, enter the new address.`,
    ],
    closing: 'If you did not expect this, ask an administrator at once.',
  }),
  de: ({ product, before, after }) => ({
    subject: `Ihre E-Mail-Adresse in ${product} hat sich geändert`,
    parts: [
      `Ihre Adresse in ${product} war ${before} und ist jetzt ${after}. E-Mails gehen an die neue Adresse. Wenn Sie sich mit einem Code anmelden, geben Sie die neue Adresse ein.`,
    ],
    closing: 'Wenn Sie das nicht erwartet haben, wenden Sie sich gleich an einen Administrator.',
  }),
});

export const writeDisabledMail = composeMessage<MailValues>({
  en: ({ product }) => ({
    subject: `Your access to ${product} has been disabled`,
    parts: [
      `An administrator has disabled your access to ${product}. You cannot use it until an administrator enables it again.`,
    ],
    closing: 'If you think this is a mistake, ask an administrator.',
  }),
  de: ({ product }) => ({
    subject: `Ihr Zugang zu ${product} ist gesperrt`,
    parts: [
      `ein Administrator hat Ihren Zugang zu ${product} gesperrt. Sie können es erst wieder verwenden, wenn ein Administrator Sie entsperrt.`,
    ],
    closing: 'Wenn Sie das für einen Irrtum halten, wenden Sie sich an einen Administrator.',
  }),
});

export const writeWebhookDisabledMail = composeMessage<
  MailValues & {
    host: string;
    reason: 'failing' | 'gone';
    /** Null for a webhook of the site. */
    organization?: { name: string; slug: string } | null;
  }
>({
  en: ({ product, publicUrl, host, reason, organization = null }) => ({
    subject: `The webhook from ${product} to ${host} was turned off`,
    parts: [
      reason === 'failing'
        ? `For three days, ${host} has not accepted any events from ${product}. The webhook was turned off, and the program behind it gets no events.`
        : `${host} has unsubscribed from ${product}. The webhook was turned off.`,
      'The latest responses are listed with the webhook. Once the receiver works again, turn the webhook on. You can resend missed events from there.',
      organization
        ? {
            link: `${publicUrl}/layout/organization/${organization.slug}/activity`,
            label: 'Open the activity',
          }
        : { link: `${publicUrl}/layout/settings/webhooks`, label: 'Open the webhooks' },
    ],
    closing: organization
      ? `All managers of ${organization.name} get this e-mail.`
      : 'All administrators get this e-mail.',
  }),
  de: ({ product, publicUrl, host, reason, organization = null }) => ({
    subject: `Der Webhook von ${product} an ${host} ist abgeschaltet`,
    parts: [
      reason === 'failing'
        ? `${host} hat seit drei Tagen keine Ereignisse von ${product} angenommen. Der Webhook ist abgeschaltet, und das Programm dahinter erhält keine Ereignisse mehr.`
        : `${host} hat sich von ${product} abgemeldet. Der Webhook ist abgeschaltet.`,
      'Die letzten Antworten stehen beim Webhook. Sobald der Empfänger wieder funktioniert, schalten Sie den Webhook ein. Versäumte Ereignisse können Sie dort noch einmal senden.',
      organization
        ? {
            link: `${publicUrl}/layout/organization/${organization.slug}/activity`,
            label: 'Aktivität öffnen',
          }
        : { link: `${publicUrl}/layout/settings/webhooks`, label: 'Webhooks öffnen' },
    ],
    closing: organization
      ? `Diese E-Mail geht an alle Manager von ${organization.name}.`
      : 'Diese E-Mail geht an alle Administratoren.',
  }),
});

/** `slug` is that of the token's organization; null for a token of the site. */
type ExpiringToken = { name: string; expiresAt: Date; slug: string | null };

const tokensPath = (slug: string | null) =>
  slug === null ? '/layout/settings/tokens' : `/layout/organization/${slug}/integrations`;

export const writeTokenExpiryMail = composeMessage<MailValues & ExpiringToken>({
  en: ({ product, publicUrl, name, expiresAt, slug }) => ({
    subject: `An access token for ${product} expires soon`,
    parts: [
      `Your access token “${name}” works until ${formatDeadline('en', expiresAt)}. A program that still uses it will then be refused. Create a new token, enter it in the program, and revoke this one.`,
      { link: `${publicUrl}${tokensPath(slug)}`, label: 'Open the access tokens' },
    ],
    closing: 'If no program uses the token any more, you don’t need to do anything.',
  }),
  de: ({ product, publicUrl, name, expiresAt, slug }) => ({
    subject: `Ein Zugriffstoken für ${product} läuft bald ab`,
    parts: [
      `Ihr Zugriffstoken „${name}“ gilt bis zum ${formatDeadline('de', expiresAt)}. Ein Programm, das es dann noch verwendet, wird abgewiesen. Erstellen Sie ein neues, tragen Sie es in das Programm ein, und widerrufen Sie dieses.`,
      { link: `${publicUrl}${tokensPath(slug)}`, label: 'Zugriffstokens öffnen' },
    ],
    closing: 'Wenn kein Programm das Token mehr verwendet, brauchen Sie nichts zu tun.',
  }),
});

export const writeOrganizationExpiryMail = composeMessage<
  MailValues & { organization: { name: string; slug: string }; expiresAt: Date }
>({
  en: ({ product, publicUrl, organization: { name, slug }, expiresAt }) => ({
    subject: `${name} expires soon in ${product}`,
    parts: [
      `${name} expires in ${product} on ${formatDeadline('en', expiresAt)}. After that, its members have no access, and its integrations stop. If you still need it, ask the administrators of ${product} to extend it.`,
      { link: `${publicUrl}/layout/organization/${slug}/about`, label: 'Open the organization' },
    ],
    closing: `All managers of ${name} get this e-mail.`,
  }),
  de: ({ product, publicUrl, organization: { name, slug }, expiresAt }) => ({
    subject: `${name} läuft in ${product} bald ab`,
    parts: [
      `${name} läuft in ${product} am ${formatDeadline('de', expiresAt)} ab. Danach haben die Mitglieder keinen Zugang mehr, und die Integrationen funktionieren nicht mehr. Wenn Sie ${name} weiter brauchen, bitten Sie die Administratoren von ${product} um eine Verlängerung.`,
      { link: `${publicUrl}/layout/organization/${slug}/about`, label: 'Organisation öffnen' },
    ],
    closing: `Diese E-Mail geht an alle Manager von ${name}.`,
  }),
});

export const writeDomainMail = composeMessage<
  MailValues & {
    domain: string;
    recordName: string;
    organization: { name: string; slug: string };
    state: 'failing' | 'pending';
  }
>({
  en: ({ product, publicUrl, domain, recordName, organization: { name, slug }, state }) => ({
    subject:
      state === 'failing'
        ? `The DNS record of ${domain} for ${product} is missing`
        : `${domain} is no longer verified in ${product}`,
    parts: [
      state === 'failing'
        ? `The TXT record ${recordName} was not found. It proves that ${domain} belongs to ${name}. Until it is found again, people cannot join by their address. After seven days, the domain must be verified again.`
        : `The TXT record ${recordName} has been missing for seven days. ${domain} is no longer a verified domain of ${name}. To use it again, publish the record and verify the domain.`,
      { link: `${publicUrl}/layout/organization/${slug}/domains`, label: 'Open the domains' },
    ],
    closing: `All managers of ${name} get this e-mail.`,
  }),
  de: ({ product, publicUrl, domain, recordName, organization: { name, slug }, state }) => ({
    subject:
      state === 'failing'
        ? `Der DNS-Eintrag von ${domain} für ${product} fehlt`
        : `${domain} ist in ${product} nicht mehr bestätigt`,
    parts: [
      state === 'failing'
        ? `der TXT-Eintrag ${recordName} wurde nicht gefunden. Er belegt, dass ${domain} zu ${name} gehört. Bis er wieder gefunden wird, kann niemand über die eigene Adresse beitreten. Nach sieben Tagen muss die Domain neu bestätigt werden.`
        : `der TXT-Eintrag ${recordName} fehlt seit sieben Tagen. ${domain} ist keine bestätigte Domain von ${name} mehr. Um sie wieder zu verwenden, veröffentlichen Sie den Eintrag und bestätigen Sie die Domain.`,
      { link: `${publicUrl}/layout/organization/${slug}/domains`, label: 'Domains öffnen' },
    ],
    closing: `Diese E-Mail geht an alle Manager von ${name}.`,
  }),
});

export const writeTestMail = composeMessage<MailValues>({
  en: ({ product, publicUrl }) => ({
    subject: `Test e-mail from ${product}`,
    parts: [
      `This is a test. E-mails from ${product} reach you, and this is what they look like.`,
      { link: `${publicUrl}/`, label: `Open ${product}` },
    ],
    closing: 'You requested this e-mail in the settings.',
  }),
  de: ({ product, publicUrl }) => ({
    subject: `Test-E-Mail von ${product}`,
    parts: [
      `dies ist ein Test. E-Mails von ${product} erreichen Sie, und so sehen sie aus.`,
      { link: `${publicUrl}/`, label: `${product} öffnen` },
    ],
    closing: 'Sie haben diese E-Mail in den Einstellungen angefordert.',
  }),
});

/** Fields of the settings that administrators may change. */
import { t } from '@lingui/core/macro';
import {
  retentionDays,
  settingBounds,
  type MailLanguage,
  type SettingName,
} from '@vestibule/contract/settings/rules';

/** A field of a setting; a text field if `kind` is not set. */
export type SettingField<Name extends string = SettingName> = {
  name: Name;
  label: string;
  description?: string;
} & (
  | { kind?: 'text' | 'email' | 'number' | 'lines' | 'paragraphs' | 'colour' }
  | { kind: 'choice'; options: readonly { value: string; label: string }[] }
);

/** Returns the bounds of a setting, such as "1 to 60". */
function range(name: keyof typeof settingBounds): string {
  const [least, most] = settingBounds[name];
  return t`${least} to ${most}`;
}

export const siteFields = (): SettingField[] => [
  {
    name: 'productName',
    label: t`Product name`,
    description: t`Shown in the title, in e-mails and at the top of every screen.`,
  },
  {
    name: 'supportEmail',
    label: t`Support address`,
    description: t`Shown where people may need help.`,
    kind: 'email',
  },
  {
    name: 'privacyUrl',
    label: t`Privacy notice`,
    description: t`Address of the page, linked before and after sign-in and in e-mails. Empty: no link.`,
  },
  {
    name: 'imprintUrl',
    label: t`Legal notice`,
    description: t`Address of the page about the operator of this site, linked in the same places.`,
  },
  {
    name: 'accentColor',
    label: t`Accent colour`,
    description: t`For buttons, links and highlights: on every screen, on the login screen and in e-mails. Empty: each theme has its own.`,
    kind: 'colour',
  },
];

export const passkeyFields = (): SettingField[] => [
  {
    name: 'passkeyRequired',
    label: t`Passkey required`,
    description: t`People who need one can use a code only to create it.`,
    kind: 'choice',
    options: [
      { value: 'none', label: t`For no one` },
      { value: 'administrators', label: t`For administrators` },
      { value: 'everybody', label: t`For everyone` },
    ],
  },
  {
    name: 'codeBeforePasskey',
    label: t`Accepting an invitation`,
    description: t`A code proves that the person with the link can read the invited mailbox. Invitations for administrators always require one.`,
    kind: 'choice',
    options: [
      { value: 'false', label: t`With the link alone` },
      { value: 'true', label: t`With the link and a mailed code` },
    ],
  },
];

export function sessionFields(): SettingField[] {
  const [hoursLeast, hoursMost] = settingBounds.sessionIdleHours;
  const [daysLeast, daysMost] = settingBounds.sessionDays;
  return [
    {
      name: 'sessionIdleHours',
      label: t`Sign out when idle (hours)`,
      description: t`After this long without activity, ${hoursLeast} to ${hoursMost} hours.`,
      kind: 'number',
    },
    {
      name: 'sessionDays',
      label: t`Sign out at the latest (days)`,
      description: t`Even when active, ${daysLeast} to ${daysMost} days after signing in.`,
      kind: 'number',
    },
    {
      name: 'signInDomains',
      label: t`Domains`,
      description: t`One per line: a domain and the provider its people sign in with, such as “example.com acme”. Add “open” to let them in without an invitation.`,
      kind: 'lines',
    },
  ];
}

export const invitationFields = (): SettingField[] => [
  {
    name: 'invitationLifetimeDays',
    label: t`Valid for (days)`,
    description: t`How long a new invitation stays open, ${range('invitationLifetimeDays')} days. Invitations already sent keep theirs.`,
    kind: 'number',
  },
  {
    name: 'reminderDays',
    label: t`Reminder before expiry (days)`,
    description: t`Anyone who has not signed up by then gets one reminder. 0 sends none.`,
    kind: 'number',
  },
  {
    name: 'invitationsPerBatch',
    label: t`Invitations per import`,
    description: t`How many addresses one import can hold, ${range('invitationsPerBatch')}.`,
    kind: 'number',
  },
  {
    name: 'resendsPerHour',
    label: t`Resends per hour`,
    description: t`How often the e-mail of one invitation can be resent per hour, ${range('resendsPerHour')}.`,
    kind: 'number',
  },
  {
    name: 'newLinkDays',
    label: t`New links after expiry (days)`,
    description: t`How long after expiry the link can be used to request a new one, which goes to the invited address. 0 allows none.`,
    kind: 'number',
  },
  {
    name: 'allowedDomains',
    label: t`Allowed domains`,
    description: t`Only addresses in these domains can be invited, such as example.com. One per line; empty allows all.`,
    kind: 'lines',
  },
];

export const languageOptions = (): readonly { value: MailLanguage; label: string }[] => [
  { value: 'en', label: t`English` },
  { value: 'de', label: t`German` },
];

export const mailFields = (): SettingField[] => [
  { name: 'senderName', label: t`Sender's name` },
  {
    name: 'senderAddress',
    label: t`Sender's address`,
    description: t`Your mail server must be allowed to send for it.`,
    kind: 'email',
  },
  {
    name: 'mailLanguage',
    label: t`Language`,
    description: t`For e-mails with no other language chosen.`,
    kind: 'choice',
    options: languageOptions(),
  },
];

export function retentionFields(): SettingField[] {
  const { minimum, maximum } = retentionDays;
  return [
    {
      name: 'keepInvitationsDays',
      label: t`Keep finished invitations (days)`,
      description: t`Counted from the day they were redeemed, revoked or expired. A revoked one is kept as long as it keeps someone out. 0, or ${minimum} to ${maximum}.`,
      kind: 'number',
    },
    {
      name: 'keepSignInsDays',
      label: t`Keep sign-ins (days)`,
      description: t`Each person’s latest sign-in stays. 0, or ${minimum} to ${maximum}.`,
      kind: 'number',
    },
    {
      name: 'keepActivityDays',
      label: t`Keep the activity log (days)`,
      description: t`The log can still be verified, and so can the archive. 0, or ${minimum} to ${maximum}.`,
      kind: 'number',
    },
  ];
}

/** Names of settings for the activity log. Separate from rules.ts, so that screens need no schemas. */
import type { MessageDefinition } from '../texts/text.ts';

export const settingNames = {
  firstSteps: { code: 'setting.firstSteps', message: 'First steps' },
  logo: { code: 'setting.logo', message: 'Logo' },
  productName: { code: 'setting.productName', message: 'Product name' },
  accentColor: { code: 'setting.accentColor', message: 'Accent colour' },
  supportEmail: { code: 'setting.supportEmail', message: 'Support address' },
  privacyUrl: { code: 'setting.privacyUrl', message: 'Privacy notice' },
  imprintUrl: { code: 'setting.imprintUrl', message: 'Legal notice' },
  senderName: { code: 'setting.senderName', message: "Sender's name" },
  senderAddress: { code: 'setting.senderAddress', message: "Sender's address" },
  mailLanguage: { code: 'setting.mailLanguage', message: 'Language of e-mails' },
  invitationLifetimeDays: { code: 'setting.invitationLifetimeDays', message: 'Lifetime of invitations' },
  reminderDays: { code: 'setting.reminderDays', message: 'Reminder' },
  invitationsPerBatch: { code: 'setting.invitationsPerBatch', message: 'Invitations per import' },
  resendsPerHour: { code: 'setting.resendsPerHour', message: 'Resends per hour' },
  newLinkDays: { code: 'setting.newLinkDays', message: 'New links' },
  allowedDomains: { code: 'setting.allowedDomains', message: 'Allowed domains' },
  sessionIdleHours: { code: 'setting.sessionIdleHours', message: 'Sign out when idle' },
  sessionDays: { code: 'setting.sessionDays', message: 'Sign out at the latest' },
  signInDomains: { code: 'setting.signInDomains', message: 'Domains' },
  passkeyRequired: { code: 'setting.passkeyRequired', message: 'Passkey required' },
  codeBeforePasskey: { code: 'setting.codeBeforePasskey', message: 'Accepting an invitation' },
  keepInvitationsDays: { code: 'setting.keepInvitationsDays', message: 'Keep finished invitations' },
  keepSignInsDays: { code: 'setting.keepSignInsDays', message: 'Keep sign-ins' },
  keepActivityDays: { code: 'setting.keepActivityDays', message: 'Keep the activity log' },
} as const satisfies Record<string, MessageDefinition>;

/** Settings of the deployment, without secrets. Defaults come from environment variables or are built in. */
import * as z from 'zod/mini';
import { fieldTexts } from './texts/field-texts.ts';
import { requestErrors } from './request-errors.ts';
import { defineErrors, defineRoute } from './route.ts';
import { MailLanguage, PasskeyRequired, SettingsChange, SettingVersion } from './settings/rules.ts';
import { schemaMessage, Message } from './texts/text.ts';
import { Moment, Picture } from './values.ts';
import { kilobyte } from './texts/size.ts';

export const logoMaximumBytes = 200 * kilobyte;

export const settingsErrors = defineErrors('settings', {
  400: {
    logoUnusable: `This file cannot be used as the logo. Choose a PNG, JPEG or WebP image of at most ${logoMaximumBytes / kilobyte} kB.`,
  },
  409: {
    changedMeanwhile:
      'Someone else has changed this in the meantime, so nothing was saved. Review the current value, and save again to replace it.',
  },
});

/** Value of a setting. Changes send its `version`, so that concurrent changes do not overwrite each other. */
const settingSchema = <S extends z.ZodMiniType>(value: S) =>
  z.object({
    value,
    default: value,
    /** Environment variable of the default; null if the default is built in. */
    variable: z.nullable(z.string()),
    version: z.number(),
    /** Last change of the value; null while the default applies. `byName` is null if the author is no longer a member. */
    changed: z.nullable(z.object({ at: Moment, by: z.string(), byName: z.nullable(z.string()) })),
  });

/**
 * Encryption of the connection to the mail server. `local`: unencrypted, on the same machine. `plain`: unencrypted, allowed by
 * SMTP_ALLOW_PLAIN_TEXT.
 */
const MailConnection = z.enum(['tls', 'starttls', 'local', 'plain']);

/** PNG, JPEG or WebP as base64. A function, so that the build of the browser can leave it out. */
export const logoUpload = () =>
  z
    .base64('Send the file as base64.')
    .check(
      z.maxLength(
        Math.ceil(logoMaximumBytes / 3) * 4,
        schemaMessage(fieldTexts.logoTooLarge, { maximum: logoMaximumBytes / kilobyte }),
      ),
    );
export const logoBodyLimit = 300_000;

export const Settings = z.object({
  productName: settingSchema(z.string()),
  accentColor: settingSchema(z.string()),
  supportEmail: settingSchema(z.string()),
  privacyUrl: settingSchema(z.string()),
  imprintUrl: settingSchema(z.string()),
  senderName: settingSchema(z.string()),
  senderAddress: settingSchema(z.string()),
  mailLanguage: settingSchema(MailLanguage),
  invitationLifetimeDays: settingSchema(z.number()),
  reminderDays: settingSchema(z.number()),
  invitationsPerBatch: settingSchema(z.number()),
  resendsPerHour: settingSchema(z.number()),
  newLinkDays: settingSchema(z.number()),
  allowedDomains: settingSchema(z.array(z.string())),
  sessionIdleHours: settingSchema(z.number()),
  sessionDays: settingSchema(z.number()),
  signInDomains: settingSchema(z.array(z.string())),
  passkeyRequired: settingSchema(PasskeyRequired),
  codeBeforePasskey: settingSchema(z.boolean()),
  keepInvitationsDays: settingSchema(z.number()),
  keepSignInsDays: settingSchema(z.number()),
  keepActivityDays: settingSchema(z.number()),
  /** Null for the product's logo. */
  logo: settingSchema(z.nullable(Picture)),
  publicUrl: z.string(),
  mail: z.enum(['smtp', 'development-mailbox', 'off']),
  mailConnection: z.nullable(MailConnection),
  provider: z.string(),
  providerIsEmbedded: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

export const getSettings = defineRoute('GET /api/settings', {
  access: 'admin',
  summary: 'The configuration of this deployment, and where each setting comes from.',
  response: Settings,
});

export const changeSettings = defineRoute('PATCH /api/settings', {
  access: 'admin',
  summary: 'Changes or resets settings, all of them or none.',
  body: SettingsChange,
  response: Settings,
  errors: [settingsErrors.changedMeanwhile],
});

export const changeLogo = defineRoute('POST /api/settings/logo', {
  access: 'admin',
  summary: "Sets the logo, or resets it to the product's logo.",
  body: z.strictObject({
    /** Null to use the product's logo again. */
    picture: z.nullable(logoUpload()),
    version: SettingVersion,
  }),
  bodyLimit: logoBodyLimit,
  response: Settings,
  errors: [settingsErrors.changedMeanwhile, settingsErrors.logoUnusable],
});

export const MailTemplateName = z.enum(['invitation', 'reminder', 'new-link', 'role-change', 'disabled']);
export type MailTemplateName = z.output<typeof MailTemplateName>;

export const getMailPreview = defineRoute('GET /api/settings/mails/:template', {
  access: 'admin',
  summary: 'A preview of an e-mail with sample contents.',
  params: z.object({ template: MailTemplateName }),
  query: z.object({
    language: z._default(MailLanguage, 'en'),
    scheme: z._default(z.enum(['light', 'dark']), 'light'),
  }),
  response: z.object({ subject: z.string(), text: z.string(), html: z.string() }),
});

export const sendTestMail = defineRoute('POST /api/settings/test-mail', {
  access: 'admin',
  summary: "Sends a test e-mail to the caller, and returns the mail server's reply.",
  body: z.strictObject({ language: z.optional(MailLanguage) }),
  response: z.object({
    to: z.string(),
    accepted: z.boolean(),
    /** Reply of the mail server, or the connection error. */
    said: z.string(),
    advice: z.string(),
    adviceText: Message,
  }),
  errors: [requestErrors.tooMany],
});

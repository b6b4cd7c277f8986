/**
 * Settings: how this deployment is configured, for administrators to read and to change. Nothing secret is among it.
 * Each setting has a default, most of them an environment variable, which holds until somebody changes the setting.
 */
import * as z from 'zod/mini';
import { fieldTexts } from './texts/field-texts.ts';
import { requestErrors } from './request-errors.ts';
import { defineErrors, defineRoute } from './route.ts';
import { MailLanguage, PasskeyRequired, SettingsChange, SettingVersion } from './settings/rules.ts';
import { schemaMessage, Message } from './texts/text.ts';
import { Moment } from './values.ts';
import { kilobyte } from './texts/size.ts';

/** The most bytes of a logo's file. */
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

/** Where one setting stands. `version` is what a change names, so that no two administrators overwrite each other. */
const settingSchema = <S extends z.ZodMiniType>(value: S) =>
  z.object({
    value,
    /** What holds after a reset. */
    default: value,
    /** The environment variable that the default comes from; null where it is built in. */
    variable: z.nullable(z.string()),
    version: z.number(),
    /** Who changed it, by name while they are inside; null while the default holds. */
    changed: z.nullable(z.object({ at: Moment, by: z.string(), byName: z.nullable(z.string()) })),
  });

/**
 * How mails travel: encrypted from the start (smtps), encrypted by STARTTLS or not at all, to a server on the same machine,
 * or in plain text because SMTP_ALLOW_PLAIN_TEXT says so.
 */
const MailConnection = z.enum(['tls', 'starttls', 'local', 'plain']);

const Logo = z.object({ path: z.string(), width: z.number(), height: z.number() });

export const Settings = z.object({
  productName: settingSchema(z.string()),
  accentColor: settingSchema(z.string()),
  supportEmail: settingSchema(z.string()),
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
  /** `path` is on this site. Null while the product's own mark is shown. */
  logo: settingSchema(z.nullable(Logo)),
  publicUrl: z.string(),
  /** Where mails go: an SMTP server, the development mailbox, or nowhere (invitations are handed over by link). */
  mail: z.enum(['smtp', 'development-mailbox', 'off']),
  /** Null while there is no mail server. */
  mailConnection: z.nullable(MailConnection),
  /** Host names of the sign-in services, with commas. */
  provider: z.string(),
  providerIsEmbedded: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

export const getSettings = defineRoute('GET /api/settings', {
  access: 'admin',
  summary: 'The configuration of this deployment, and where each setting comes from.',
  answer: Settings,
});

export const changeSettings = defineRoute('PATCH /api/settings', {
  access: 'admin',
  summary: 'Changes or resets settings, all of them or none.',
  body: SettingsChange,
  answer: Settings,
  errors: [settingsErrors.changedMeanwhile],
});

export const changeLogo = defineRoute('POST /api/settings/logo', {
  access: 'admin',
  summary: "Takes a picture as the logo, or shows the product's own mark again.",
  body: z.strictObject({
    /** The file, PNG, JPEG or WebP, as base64; null for no logo. */
    picture: z.nullable(
      z
        .base64('Send the file as base64.')
        .check(
          z.maxLength(
            Math.ceil(logoMaximumBytes / 3) * 4,
            schemaMessage(fieldTexts.logoTooLarge, { maximum: logoMaximumBytes / kilobyte }),
          ),
        ),
    ),
    version: SettingVersion,
  }),
  bodyLimit: 300_000,
  answer: Settings,
  errors: [settingsErrors.changedMeanwhile, settingsErrors.logoUnusable],
});

export const MailTemplateName = z.enum(['invitation', 'reminder', 'new-link', 'role-change', 'disabled']);
export type MailTemplateName = z.output<typeof MailTemplateName>;

export const getMailPreview = defineRoute('GET /api/settings/mails/:template', {
  access: 'admin',
  summary: 'What an e-mail looks like, with made-up contents.',
  params: z.object({ template: MailTemplateName }),
  query: z.object({
    language: z._default(MailLanguage, 'en'),
    /** As a mail program in light or dark colours shows it. */
    scheme: z._default(z.enum(['light', 'dark']), 'light'),
  }),
  answer: z.object({ subject: z.string(), text: z.string(), html: z.string() }),
});

export const sendTestMail = defineRoute('POST /api/settings/test-mail', {
  access: 'admin',
  summary: 'Sends a test e-mail to the caller, and returns what the mail server said.',
  body: z.strictObject({ language: z.optional(MailLanguage) }),
  answer: z.object({
    to: z.string(),
    accepted: z.boolean(),
    /** The mail server's own words, or what went wrong before it could say any. */
    said: z.string(),
    /** What to do next. */
    advice: z.string(),
    adviceText: Message,
  }),
  errors: [requestErrors.tooMany],
});

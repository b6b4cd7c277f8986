/** What each setting may be. Apart from settings.ts: of the screens only the form needs it. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import {
  batchMaximum,
  lifetimeMaximumDays,
  productNameMaximum,
  resendsMaximumPerHour,
} from '../rules/limits.ts';
import { LifetimeDays } from '../invitations/new-invitation.ts';
import { EmailAddress, lineOfText, wholeNumber } from '../values.ts';
import { schemaMessage } from '../texts/text.ts';

/** The languages that mails are written in. */
export const MailLanguage = z.enum(['en', 'de']);
export type MailLanguage = z.output<typeof MailLanguage>;

/** Of whom a passkey is demanded. */
export const PasskeyRequired = z.enum(['none', 'administrators', 'everybody'], 'Choose who needs a passkey.');
export type PasskeyRequired = z.output<typeof PasskeyRequired>;

/** The settings that are numbers: the least and the most that they may be. */
export const settingBounds = {
  invitationLifetimeDays: [1, lifetimeMaximumDays],
  reminderDays: [0, 30],
  newLinkDays: [0, 365],
  invitationsPerBatch: [1, batchMaximum],
  resendsPerHour: [1, resendsMaximumPerHour],
  sessionIdleHours: [1, 720],
  sessionDays: [1, 90],
} as const;

const filledLine = lineOfText(productNameMaximum).check(
  z.minLength(1, schemaMessage(fieldTexts.nameMissing)),
);

/** How long something is kept at the least and at the most, in days; 0 keeps it for ever. */
export const retentionDays = { minimum: 30, maximum: 3_650 } as const;
const keepingSentence = schemaMessage(fieldTexts.keepingDays, retentionDays);
const keeping = z.number(keepingSentence).check(
  z.int(keepingSentence),
  z.refine(
    (days) => days === 0 || (days >= retentionDays.minimum && days <= retentionDays.maximum),
    keepingSentence,
  ),
);

/** The most domains that have a way to sign in of their own. */
export const signInDomainsMaximum = 200;

/** The most domains that may be invited, where they are limited. */
export const allowedDomainsMaximum = 100;

const domain = z
  .string()
  .check(
    z.trim(),
    z.maxLength(253, schemaMessage(fieldTexts.tooLong, { maximum: 253 })),
    z.regex(
      /^[^\s@,;:<>()[\]\\"'`/?#%*]+\.[^\s@,;:<>()[\]\\"'`/?#%*]+$/,
      schemaMessage(fieldTexts.notADomain),
    ),
  );

/** What holds for the addresses of a domain: which way to sign in is theirs, and whether they need an invitation. */
type DomainRule = { domain: string; way: string; admits: boolean };

/** Reads `example.com acme`, or `example.com acme open` for a domain that needs no invitation; null for anything else. */
export function readDomainRule(text: string): DomainRule | null {
  const [, name, way, open] = /^(\S+)\s+([a-z][a-z0-9]{0,30})(\s+open)?$/.exec(text.trim()) ?? [];
  return name === undefined || way === undefined || !domain.safeParse(name).success
    ? null
    : { domain: name, way, admits: open !== undefined };
}

const domainRule = z.string().check(
  z.trim(),
  z.maxLength(300, schemaMessage(fieldTexts.tooLong, { maximum: 300 })),
  z.refine((text) => readDomainRule(text) !== null, schemaMessage(fieldTexts.notADomainRule)),
);

/** The form in the browser checks with it too. */
export const settingRules = {
  productName: filledLine,
  /** Of buttons, links and marks; empty where each theme has its own. */
  accentColor: z
    .string()
    .check(z.trim(), z.toLowerCase(), z.regex(/^(?:#[\da-f]{6})?$/, schemaMessage(fieldTexts.notAColour))),
  supportEmail: EmailAddress,
  /** The name that mails come from. */
  senderName: filledLine,
  senderAddress: EmailAddress,
  /** The language of an invitation that names none. */
  mailLanguage: z.enum(['en', 'de'], 'E-mails are written in English (en) or German (de).'),
  invitationLifetimeDays: LifetimeDays,
  /** Days before an invitation ends on which a reminder is mailed; 0 for none. */
  reminderDays: wholeNumber(settingBounds.reminderDays, fieldTexts.reminderDays),
  /** Days after its end in which whoever has the link of an invitation may ask for a new one; 0 for never. */
  newLinkDays: wholeNumber(settingBounds.newLinkDays, fieldTexts.newLinkDays),
  invitationsPerBatch: wholeNumber(settingBounds.invitationsPerBatch, fieldTexts.wholeNumber),
  resendsPerHour: wholeNumber(settingBounds.resendsPerHour, fieldTexts.wholeNumber),
  /** Domains that may be invited, in lower case; empty for all. */
  allowedDomains: z
    .array(domain)
    .check(
      z.maxLength(
        allowedDomainsMaximum,
        schemaMessage(fieldTexts.tooManyDomains, { maximum: allowedDomainsMaximum }),
      ),
    ),
  /** Hours without use, and days at most, after which a session on the server ends. */
  sessionIdleHours: wholeNumber(settingBounds.sessionIdleHours, fieldTexts.wholeHours),
  sessionDays: wholeNumber(settingBounds.sessionDays, fieldTexts.wholeDays),
  /** Lines such as `example.com acme`, which readDomainRule reads. */
  signInDomains: z
    .array(domainRule)
    .check(
      z.maxLength(
        signInDomainsMaximum,
        schemaMessage(fieldTexts.tooManyDomains, { maximum: signInDomainsMaximum }),
      ),
    ),
  /** Of whom a mailed code alone does not let in: it leads to making a passkey then. */
  passkeyRequired: PasskeyRequired,
  /** Whether an invitation needs a mailed code before the passkey; an administrator's always does. */
  codeBeforePasskey: z.boolean('Say whether a code comes first: true or false.'),
  /** Days after which finished invitations, sign-ins and entries of the log go into an archive; 0 for never. */
  keepInvitationsDays: keeping,
  keepSignInsDays: keeping,
  keepActivityDays: keeping,
} as const;

export const SettingName = z.enum(Object.keys(settingRules) as [SettingName, ...SettingName[]]);
export type SettingName = keyof typeof settingRules;

/** The version of a setting that a change is based on. */
export const SettingVersion = z
  .int('A version is a whole number, as given in the settings.')
  .check(z.minimum(0));
const change = <S extends z.ZodMiniType>(rule: S) => z.optional(z.nullable(rule));

/** New values by name; null resets a setting. `versions` says what the change is based on. */
export const SettingsChange = z.strictObject({
  productName: change(settingRules.productName),
  accentColor: change(settingRules.accentColor),
  supportEmail: change(settingRules.supportEmail),
  senderName: change(settingRules.senderName),
  senderAddress: change(settingRules.senderAddress),
  mailLanguage: change(settingRules.mailLanguage),
  invitationLifetimeDays: change(settingRules.invitationLifetimeDays),
  reminderDays: change(settingRules.reminderDays),
  invitationsPerBatch: change(settingRules.invitationsPerBatch),
  resendsPerHour: change(settingRules.resendsPerHour),
  newLinkDays: change(settingRules.newLinkDays),
  allowedDomains: change(settingRules.allowedDomains),
  sessionIdleHours: change(settingRules.sessionIdleHours),
  sessionDays: change(settingRules.sessionDays),
  signInDomains: change(settingRules.signInDomains),
  passkeyRequired: change(settingRules.passkeyRequired),
  codeBeforePasskey: change(settingRules.codeBeforePasskey),
  keepInvitationsDays: change(settingRules.keepInvitationsDays),
  keepSignInsDays: change(settingRules.keepSignInsDays),
  keepActivityDays: change(settingRules.keepActivityDays),
  versions: z.partialRecord(SettingName, SettingVersion),
});
export type SettingsChange = z.input<typeof SettingsChange>;

/** What each setting may be. Apart from settings.ts: of the screens only the form needs it. */
import * as z from 'zod/mini';
import {
  batchMaximum,
  lifetimeMaximumDays,
  productNameMaximum,
  resendsMaximumPerHour,
} from '../rules/limits.ts';
import { LifetimeDays } from '../invitations/new-invitation.ts';
import { EmailAddress, lineOfText } from '../values.ts';

/** The languages that mails are written in. */
export const MailLanguage = z.enum(['en', 'de']);
export type MailLanguage = z.output<typeof MailLanguage>;

/** The settings that are numbers: the least and the most that they may be. */
export const settingBounds = {
  invitationLifetimeDays: [1, lifetimeMaximumDays],
  reminderDays: [0, 30],
  newLinkDays: [0, 365],
  invitationsPerBatch: [1, batchMaximum],
  resendsPerHour: [1, resendsMaximumPerHour],
} as const;

const wholeNumber = ([minimum, maximum]: readonly [number, number], sentence: string) =>
  z.number(sentence).check(z.int(sentence), z.minimum(minimum, sentence), z.maximum(maximum, sentence));

const filledLine = (maximum: number, what: string) =>
  lineOfText(maximum, what).check(z.minLength(1, `${what} has at least one character.`));

/** How long something is kept at the least and at the most, in days; 0 keeps it for ever. */
export const keepingDays = { minimum: 30, maximum: 3_650 } as const;
const keepingSentence = `Write 0 to keep it for ever, or a number of days, ${keepingDays.minimum} to ${keepingDays.maximum}.`;
const keeping = z.number(keepingSentence).check(
  z.int(keepingSentence),
  z.refine(
    (days) => days === 0 || (days >= keepingDays.minimum && days <= keepingDays.maximum),
    keepingSentence,
  ),
);

export const allowedDomainsMaximum = 100;

const domain = z
  .string()
  .check(
    z.trim(),
    z.maxLength(253, 'A domain has at most 253 characters.'),
    z.regex(
      /^[^\s@,;:<>()[\]\\"'`/?#%*]+\.[^\s@,;:<>()[\]\\"'`/?#%*]+$/,
      'A domain looks like example.com, without an @ and without a star.',
    ),
  );

/** The form in the browser checks with it too. */
export const settingRules = {
  productName: filledLine(productNameMaximum, 'A name'),
  /** Of buttons, links and marks; empty where each theme has its own. */
  accentColor: z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.regex(
        /^(?:#[\da-f]{6})?$/,
        'A colour looks like #0b6653: a number sign and six digits, 0 to 9 and a to f.',
      ),
    ),
  supportEmail: EmailAddress,
  /** The name that mails come from. */
  senderName: filledLine(productNameMaximum, "A sender's name"),
  senderAddress: EmailAddress,
  /** The language of an invitation that names none. */
  mailLanguage: z.enum(['en', 'de'], 'Mails are written in English (en) or German (de).'),
  invitationLifetimeDays: LifetimeDays,
  /** Days before an invitation ends on which a reminder is mailed; 0 for none. */
  reminderDays: wholeNumber(
    settingBounds.reminderDays,
    `Write a whole number of days, ${settingBounds.reminderDays.join(' to ')}. 0 sends no reminder.`,
  ),
  /** Days after its end in which whoever has the link of an invitation may ask for a new one; 0 for never. */
  newLinkDays: wholeNumber(
    settingBounds.newLinkDays,
    `Write a whole number of days, ${settingBounds.newLinkDays.join(' to ')}. 0 gives no new links.`,
  ),
  invitationsPerBatch: wholeNumber(
    settingBounds.invitationsPerBatch,
    `A batch has ${settingBounds.invitationsPerBatch.join(' to ')} invitations.`,
  ),
  resendsPerHour: wholeNumber(
    settingBounds.resendsPerHour,
    `Write a whole number, ${settingBounds.resendsPerHour.join(' to ')}.`,
  ),
  /** Domains that may be invited, in lower case; empty for all. */
  allowedDomains: z
    .array(domain)
    .check(z.maxLength(allowedDomainsMaximum, `At most ${allowedDomainsMaximum} domains can be named.`)),
  /** Days after which finished invitations, sign-ins and entries of the log go into an archive; 0 for never. */
  keepInvitationsDays: keeping,
  keepSignInsDays: keeping,
  keepActivityDays: keeping,
} as const;

export const SettingName = z.enum(Object.keys(settingRules) as [SettingName, ...SettingName[]]);
export type SettingName = keyof typeof settingRules;

/** The version of a setting that a change is based on. */
export const SettingVersion = z
  .int('A version is a whole number, as the settings name it.')
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
  keepInvitationsDays: change(settingRules.keepInvitationsDays),
  keepSignInsDays: change(settingRules.keepSignInsDays),
  keepActivityDays: change(settingRules.keepActivityDays),
  versions: z.partialRecord(SettingName, SettingVersion),
});
export type SettingsChange = z.input<typeof SettingsChange>;

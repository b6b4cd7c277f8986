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
  sessionIdleHours: [1, 720],
  sessionDays: [1, 90],
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

/** The most domains that have a way to sign in of their own. */
export const signInDomainsMaximum = 200;

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

/** What holds for the addresses of a domain: which way to sign in is theirs, and whether they need an invitation. */
export type DomainRule = { domain: string; way: string; admits: boolean };

/** Reads `example.com acme`, or `example.com acme open` for a domain that needs no invitation; null for anything else. */
export function readDomainRule(text: string): DomainRule | null {
  const [, name, way, open] = /^(\S+)\s+([a-z][a-z0-9]{0,30})(\s+open)?$/.exec(text.trim()) ?? [];
  return name === undefined || way === undefined || !domain.safeParse(name).success
    ? null
    : { domain: name, way, admits: open !== undefined };
}

const domainRule = z.string().check(
  z.trim(),
  z.maxLength(300, 'A line has at most 300 characters.'),
  z.refine(
    (text) => readDomainRule(text) !== null,
    'Write a domain and the name of a way to sign in, such as: example.com acme. Add “open” where no invitation is needed.',
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
  /** Hours without use, and days at most, after which a session on the server ends. */
  sessionIdleHours: wholeNumber(
    settingBounds.sessionIdleHours,
    `Write a whole number of hours, ${settingBounds.sessionIdleHours.join(' to ')}.`,
  ),
  sessionDays: wholeNumber(
    settingBounds.sessionDays,
    `Write a whole number of days, ${settingBounds.sessionDays.join(' to ')}.`,
  ),
  /** Lines such as `example.com acme`, which readDomainRule reads. */
  signInDomains: z
    .array(domainRule)
    .check(z.maxLength(signInDomainsMaximum, `At most ${signInDomainsMaximum} domains can be named.`)),
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
  sessionIdleHours: change(settingRules.sessionIdleHours),
  sessionDays: change(settingRules.sessionDays),
  signInDomains: change(settingRules.signInDomains),
  keepInvitationsDays: change(settingRules.keepInvitationsDays),
  keepSignInsDays: change(settingRules.keepSignInsDays),
  keepActivityDays: change(settingRules.keepActivityDays),
  versions: z.partialRecord(SettingName, SettingVersion),
});
export type SettingsChange = z.input<typeof SettingsChange>;

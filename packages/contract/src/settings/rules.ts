/** Schemas of setting values. Separate from settings.ts, because only the form needs schemas in the browser. */
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

export const MailLanguage = z.enum(['en', 'de']);
export type MailLanguage = z.output<typeof MailLanguage>;

export const PasskeyRequired = z.enum(['none', 'administrators', 'everybody'], 'Choose who needs a passkey.');
export type PasskeyRequired = z.output<typeof PasskeyRequired>;

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

/** Bounds of retention periods. The value 0 means forever. */
export const retentionDays = { minimum: 30, maximum: 3_650 } as const;
const retentionMessage = schemaMessage(fieldTexts.keepingDays, retentionDays);
const retentionDaysRule = z.number(retentionMessage).check(
  z.int(retentionMessage),
  z.refine(
    (days) => days === 0 || (days >= retentionDays.minimum && days <= retentionDays.maximum),
    retentionMessage,
  ),
);

/** Maximum number of domains with their own sign-in method. */
export const signInDomainsMaximum = 200;

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

/** Sign-in method of a domain. If `admits` is true, people with addresses of the domain need no invitation. */
type DomainRule = { domain: string; way: string; admits: boolean };

/** Parses `example.com acme`, or `example.com acme open` for a domain without invitations. Returns null if invalid. */
export function readDomainRule(text: string): DomainRule | null {
  const [, name, methodId, open] = /^(\S+)\s+([a-z][a-z0-9]{0,30})(\s+open)?$/.exec(text.trim()) ?? [];
  return name === undefined || methodId === undefined || !domain.safeParse(name).success
    ? null
    : { domain: name, way: methodId, admits: open !== undefined };
}

const domainRule = z.string().check(
  z.trim(),
  z.maxLength(300, schemaMessage(fieldTexts.tooLong, { maximum: 300 })),
  z.refine((text) => readDomainRule(text) !== null, schemaMessage(fieldTexts.notADomainRule)),
);

const pageAddress = lineOfText(500).check(
  z.refine((text) => {
    const url = URL.parse(text);
    return text === '' || (url !== null && /^https?:$/.test(url.protocol) && url.username === '');
  }, schemaMessage(fieldTexts.notAPageAddress)),
);

export const settingRules = {
  productName: filledLine,
  /** Empty to use the color of each theme. */
  accentColor: z
    .string()
    .check(z.trim(), z.toLowerCase(), z.regex(/^(?:#[\da-f]{6})?$/, schemaMessage(fieldTexts.notAColour))),
  supportEmail: EmailAddress,
  /** Addresses of pages about the operator; empty for no link. */
  privacyUrl: pageAddress,
  imprintUrl: pageAddress,
  senderName: filledLine,
  senderAddress: EmailAddress,
  mailLanguage: z.enum(['en', 'de'], 'E-mails are written in English (en) or German (de).'),
  invitationLifetimeDays: LifetimeDays,
  /** Days between the reminder and the expiry of an invitation; 0 for no reminder. */
  reminderDays: wholeNumber(settingBounds.reminderDays, fieldTexts.reminderDays),
  /** Days after the expiry of an invitation in which a new link can be requested; 0 for never. */
  newLinkDays: wholeNumber(settingBounds.newLinkDays, fieldTexts.newLinkDays),
  invitationsPerBatch: wholeNumber(settingBounds.invitationsPerBatch, fieldTexts.wholeNumber),
  resendsPerHour: wholeNumber(settingBounds.resendsPerHour, fieldTexts.wholeNumber),
  /** Domains in lower case. If the list is empty, all domains are allowed. */
  allowedDomains: z
    .array(domain)
    .check(
      z.maxLength(
        allowedDomainsMaximum,
        schemaMessage(fieldTexts.tooManyDomains, { maximum: allowedDomainsMaximum }),
      ),
    ),
  sessionIdleHours: wholeNumber(settingBounds.sessionIdleHours, fieldTexts.wholeHours),
  sessionDays: wholeNumber(settingBounds.sessionDays, fieldTexts.wholeDays),
  signInDomains: z
    .array(domainRule)
    .check(
      z.maxLength(
        signInDomainsMaximum,
        schemaMessage(fieldTexts.tooManyDomains, { maximum: signInDomainsMaximum }),
      ),
    ),
  /** People for whom an e-mailed code does not start a session but requires creating a passkey. */
  passkeyRequired: PasskeyRequired,
  /** Whether invitees must enter an e-mailed code before they create a passkey. Invited administrators always must. */
  codeBeforePasskey: z.boolean('Say whether a code comes first: true or false.'),
  /** Retention periods in days, after which rows are moved to an archive; 0 for forever. */
  keepInvitationsDays: retentionDaysRule,
  keepSignInsDays: retentionDaysRule,
  keepActivityDays: retentionDaysRule,
} as const;

export const SettingName = z.enum(Object.keys(settingRules) as [SettingName, ...SettingName[]]);
export type SettingName = keyof typeof settingRules;

export const SettingVersion = z
  .int('A version is a whole number, as given in the settings.')
  .check(z.minimum(0));

/** New values by name; null resets a setting. `versions` contains the versions that the change is based on. */
export const SettingsChange = z.strictObject({
  ...(Object.fromEntries(
    Object.entries(settingRules).map(([name, rule]) => [name, z.optional(z.nullable(rule))]),
  ) as { [Name in SettingName]: z.ZodMiniOptional<z.ZodMiniNullable<(typeof settingRules)[Name]>> }),
  versions: z.partialRecord(SettingName, SettingVersion),
});
export type SettingsChange = z.input<typeof SettingsChange>;

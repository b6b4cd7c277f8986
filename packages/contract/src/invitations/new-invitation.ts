/** What is filled in to invite somebody. Apart from invitations.ts: only the form in the browser needs it. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { lifetimeMaximumDays } from '../rules/limits.ts';
import { Role } from '../rules/role.ts';
import { EmailAddress, Id, lineOfText, linesOfText, wholeNumber } from '../values.ts';
import { schemaMessage } from '../texts/text.ts';

/** The languages that invitations are mailed in. */
export const InvitationLanguage = z.enum(['en', 'de'], 'A language is en or de.');
export type InvitationLanguage = z.output<typeof InvitationLanguage>;

/** How long a link works, in days. */
export const LifetimeDays = wholeNumber([1, lifetimeMaximumDays], fieldTexts.wholeDays);

/** Files of the inviter that are shared with whoever redeems the invitation. */
const WelcomePack = z._default(
  z.array(Id).check(z.maxLength(20, schemaMessage(fieldTexts.tooManyFiles, { maximum: 20 }))),
  [],
);

/** The longest name and message of an invitation. */
export const nameMaximum = 100;
export const messageMaximum = 2000;

/** What an administrator fills in to invite somebody; the form in the browser checks with it too. */
export const NewInvitation = z.strictObject({
  email: EmailAddress,
  name: z._default(lineOfText(nameMaximum), ''),
  role: z._default(Role, 'member'),
  message: z._default(linesOfText(messageMaximum), ''),
  /** Left out, the settings decide. */
  lifetimeDays: z.optional(LifetimeDays),
  /** Left out, the settings decide. */
  language: z.optional(InvitationLanguage),
  attachmentIds: WelcomePack,
});
export type NewInvitation = z.output<typeof NewInvitation>;

/** What is filled in to invite somebody. Apart from invitations.ts: only the form in the browser needs it. */
import * as z from 'zod/mini';
import { lifetimeMaximumDays } from '../rules/limits.ts';
import { Role } from '../rules/role.ts';
import { EmailAddress, Id, lineOfText, linesOfText } from '../values.ts';

/** The languages that invitations are mailed in. */
export const InvitationLanguage = z.enum(['en', 'de'], 'A language is en or de.');
export type InvitationLanguage = z.output<typeof InvitationLanguage>;

const lifetimeSentence = `A lifetime is a whole number of days, 1 to ${lifetimeMaximumDays}.`;
/** How long a link works, in days. */
export const LifetimeDays = z
  .number(lifetimeSentence)
  .check(
    z.int(lifetimeSentence),
    z.minimum(1, lifetimeSentence),
    z.maximum(lifetimeMaximumDays, lifetimeSentence),
  );

/** Files of the inviter that are shared with whoever redeems the invitation. */
export const WelcomePack = z._default(
  z.array(Id).check(z.maxLength(20, 'An invitation carries at most 20 files.')),
  [],
);

/** What an administrator fills in to invite somebody; the form in the browser checks with it too. */
export const NewInvitation = z.strictObject({
  email: EmailAddress,
  name: z._default(lineOfText(100, 'A name'), ''),
  role: z._default(Role, 'member'),
  message: z._default(linesOfText(2000, 'A message'), ''),
  /** Left out, the settings decide. */
  lifetimeDays: z.optional(LifetimeDays),
  /** Left out, the settings decide. */
  language: z.optional(InvitationLanguage),
  attachmentIds: WelcomePack,
});
export type NewInvitation = z.output<typeof NewInvitation>;

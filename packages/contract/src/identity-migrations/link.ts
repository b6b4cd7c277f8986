/** Routes of the personal link of an identity migration, for visitors. Separate from identity-migrations.ts to keep the login chunk small. */
import * as z from 'zod/mini';
import { SignInMethod } from '../configuration.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { pageLanguage, signInProblems } from '../sign-in.ts';
import { linkCode } from '../values.ts';

export const migrationProblems = defineErrors('move', {
  403: {
    /** The provider confirms an address that is not the person's. */
    anotherAddress:
      'This link is for {expected}, but you signed in as {used}. Nothing was changed. Sign in as {expected}, or ask support.',
    addressUnproven:
      '{provider} does not confirm your e-mail address, so this account cannot be matched to you. Nothing was changed. Sign in here as before, then open the link again in the same browser.',
  },
  404: { ended: 'This link no longer works. Sign in as before, or ask an administrator for a new one.' },
});

const MigrationLinkState = z.enum(['open', 'moved', 'ended']);

export const getMigrationLink = defineRoute('POST /api/sign-in/move', {
  access: 'public',
  summary: 'The state of a migration link. Records that the link was opened, and does not redeem it.',
  body: z.strictObject({ code: linkCode }),
  response: z.object({
    state: MigrationLinkState,
    /** Null if the link is no longer valid. */
    way: z.nullable(SignInMethod),
    email: z.nullable(z.string()),
  }),
  errors: [requestErrors.tooMany],
});

export const startMigration = defineRoute('POST /api/sign-in/move/start', {
  access: 'public',
  sameOrigin: true,
  summary: 'Starts the sign-in that completes a migration, and returns the address to open.',
  body: z.strictObject({ code: linkCode, language: pageLanguage }),
  response: z.object({ url: z.string() }),
  errors: [migrationProblems.ended, signInProblems.providerDown, requestErrors.tooMany],
});

/** What the personal link of a move leads to. Apart from identity-migrations.ts: nobody is signed in yet, and needs none of that. */
import * as z from 'zod/mini';
import { SignInMethod } from '../configuration.ts';
import { requestErrors } from '../request-errors.ts';
import { defineErrors, defineRoute } from '../route.ts';
import { pageLanguage, signInProblems } from '../sign-in.ts';
import { linkCode } from '../values.ts';

export const migrationProblems = defineErrors('move', {
  403: {
    /** The provider vouches for another address than the person's. */
    anotherAddress:
      'This link is for {expected}, but you signed in as {used}. Nothing was changed. Sign in as {expected}, or ask support.',
    addressUnproven:
      '{provider} does not confirm your e-mail address, so this account cannot be matched to you. Nothing was changed. Sign in here as before, then open the link again in the same browser.',
  },
  404: { ended: 'This link no longer works. Sign in as before, or ask an administrator for a new one.' },
});

/** What the code of a link leads to. */
const MoveLinkState = z.enum(['open', 'moved', 'ended']);

export const getMigrationLink = defineRoute('POST /api/sign-in/move', {
  access: 'public',
  summary: 'Says where the link of a move leads, and records that it was opened. Does not use it up.',
  body: z.strictObject({ code: linkCode }),
  answer: z.object({
    state: MoveLinkState,
    /** Null unless it is open or done. */
    way: z.nullable(SignInMethod),
    /** Whose link it is; null unless it is open. */
    email: z.nullable(z.string()),
  }),
  errors: [requestErrors.tooMany],
});

export const startMigration = defineRoute('POST /api/sign-in/move/start', {
  access: 'public',
  sameOrigin: true,
  summary: 'Starts the sign-in that moves a person, and returns the address to open.',
  body: z.strictObject({ code: linkCode, language: pageLanguage }),
  answer: z.object({ url: z.string() }),
  errors: [migrationProblems.ended, signInProblems.providerDown, requestErrors.tooMany],
});

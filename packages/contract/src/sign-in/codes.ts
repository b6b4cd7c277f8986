/** Signing in by a code of six digits that is mailed to somebody's address. It is entered by `verifyEmail`. */
import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { emailMaximumLength } from '../rules/limits.ts';
import { lineOfText, linkCode } from '../values.ts';
import { returnTo, signInStartErrors } from '../sign-in.ts';

/** How many codes are mailed within an hour: to one address, and asked for by one network. */
export const codesPerHour = { address: 5, network: 30 } as const;

/** What people call themselves. */
export const ownName = lineOfText(100);

/** Under which the code is entered (`verifyEmail`) and another one asked for (`resendVerificationCode`), in this browser only. */
export const CodeAsked = z.object({
  attempt: z.string(),
  /** When another code may be asked for, in seconds from now; null when no further one is sent. */
  resendInSeconds: z.nullable(z.number()),
});

export const requestCode = defineRoute('POST /api/sign-in/code', {
  access: 'public',
  sameOrigin: true,
  summary:
    'E-mails a sign-in code. The response is the same whether or not anybody has the address, and only people who may sign in get an e-mail.',
  body: z
    .strictObject({
      address: z.optional(
        z
          .string()
          .check(
            z.trim(),
            z.minLength(1, 'Enter your e-mail address.'),
            z.maxLength(
              emailMaximumLength,
              `An e-mail address has at most ${emailMaximumLength} characters.`,
            ),
          ),
      ),
      /** The code goes to the invited address then. */
      invitation: z.optional(linkCode),
      /** What whoever comes with an invitation calls themselves. */
      name: z.optional(ownName),
      returnTo,
    })
    .check(
      z.refine(
        ({ address, invitation }) => (address ?? invitation) !== undefined,
        'Provide an address or an invitation.',
      ),
    ),
  answer: CodeAsked,
  errors: [
    signInStartErrors.wayUnknown,
    signInStartErrors.notAnAddress,
    personErrors.invitationExpired,
    signInStartErrors.codesAsked,
    requestErrors.tooMany,
  ],
});

/** Sign-in with an e-mailed code. `verifyEmail` checks the code. */
import * as z from 'zod/mini';
import { personErrors } from '../people.ts';
import { requestErrors } from '../request-errors.ts';
import { defineRoute, errorsOf } from '../route.ts';
import { lineOfText, linkCode } from '../values.ts';
import { returnTo, signInAddress, signInStartErrors } from '../sign-in.ts';

/**
 * Limits of requested codes. The limit of a network counts only codes that have not been entered, because hundreds of people in an
 * office or of a mobile carrier may share an address.
 */
export const codesPerHour = { address: 5, network: 200 } as const;

export const ownName = lineOfText(100);

/** `attempt` is valid in this browser for `verifyEmail` and `resendVerificationCode`. */
export const CodeRequest = z.object({
  attempt: z.string(),
  /** Seconds until another code can be requested; null if no further code can be requested. */
  resendInSeconds: z.nullable(z.number()),
});

export const requestCode = defineRoute('POST /api/sign-in/code', {
  access: 'public',
  sameOrigin: true,
  signInMethod: 'code',
  summary:
    'E-mails a sign-in code. The response is the same for unknown addresses. Only people who may sign in get an e-mail.',
  body: z
    .strictObject({
      address: z.optional(signInAddress.check(z.minLength(1, 'Enter your e-mail address.'))),
      invitation: z.optional(linkCode),
      name: z.optional(ownName),
      returnTo,
    })
    .check(
      z.refine(
        ({ address, invitation }) => (address ?? invitation) !== undefined,
        'Provide an address or an invitation.',
      ),
    ),
  response: CodeRequest,
  errors: [
    ...errorsOf(signInStartErrors, 'wayUnknown', 'notAnAddress', 'codesAsked'),
    personErrors.invitationExpired,
    requestErrors.tooMany,
  ],
});

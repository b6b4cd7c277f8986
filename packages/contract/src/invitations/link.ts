/** What the link of an invitation leads to. Apart from invitations.ts: nobody is signed in yet, and needs none of that. */
import * as z from 'zod/mini';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { linkCode } from '../values.ts';

/**
 * Answer to the short code of an invitation link (statement H2, in the customer's spelling).
 * `ErrorMessage` is `Expired`, `AlreadySignedUp` or `Invalid`; empty on success.
 */
const InviteTokenAnswer = z.object({
  Succeeded: z.boolean(),
  Data: z.nullable(z.string()),
  ErrorMessage: z.string(),
});

export const getInviteToken = defineRoute('POST /api/users/invite-token', {
  access: 'public',
  summary: 'Exchanges the short code of an invitation link for an invite token. Does not use it up.',
  body: z.strictObject({ code: linkCode }),
  answer: InviteTokenAnswer,
  errors: [requestErrors.tooMany],
});

/** What the code of a link leads to. */
export const LinkState = z.enum(['open', 'expired', 'signedUp', 'invalid']);
export type LinkState = z.output<typeof LinkState>;

export const getInvitationLinkState = defineRoute('POST /api/sign-in/invitation', {
  access: 'public',
  summary: 'Says who invited which address, given the link of an invitation. Does not use it up.',
  body: z.strictObject({ code: linkCode }),
  answer: z.object({
    state: LinkState,
    /** The name, or else the address, of who invited. Null unless it is open, and for the first administrator. */
    inviter: z.nullable(z.string()),
    /** The address that was invited; null unless it is open. */
    email: z.nullable(z.string()),
    /** What the invitation calls the person; empty where it does not. */
    name: z.string(),
    /** Whether a mailed code comes before a passkey: always for an administrator's invitation. */
    codeFirst: z.boolean(),
  }),
  errors: [requestErrors.tooMany],
});

export const reportInviteCancelled = defineRoute('POST /api/users/invite-cancelled', {
  access: 'public',
  summary:
    'Records in the timeline that someone cancelled at the sign-in service. The response is always the same.',
  body: z.strictObject({
    /** One of the two, whichever the browser still has. */
    code: z.optional(linkCode),
    token: z.optional(z.string().check(z.maxLength(4000, 'A token has at most 4000 characters.'))),
  }),
  answer: z.object({ received: z.literal(true) }),
  errors: [requestErrors.tooMany],
});

export const requestNewLink = defineRoute('POST /api/users/new-link', {
  access: 'public',
  summary:
    'E-mails a new link to the invited address of an expired invitation (D15). The response is always the same, whatever the code.',
  body: z.strictObject({ code: linkCode }),
  answer: z.object({ received: z.literal(true) }),
  errors: [requestErrors.tooMany],
});

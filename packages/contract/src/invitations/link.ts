/** Routes of the invitation link, for visitors. Separate from invitations.ts to keep the login chunk small. */
import * as z from 'zod/mini';
import { SignInMethod } from '../configuration.ts';
import { requestErrors } from '../request-errors.ts';
import { defineRoute } from '../route.ts';
import { Id, linkCode, Picture } from '../values.ts';

/** Response in the spelling of statement H2. `ErrorMessage` is `Expired`, `AlreadySignedUp`, `Suspended` or `Invalid`; empty on success. */
const InviteTokenResponse = z.object({
  Succeeded: z.boolean(),
  Data: z.nullable(z.string()),
  ErrorMessage: z.string(),
});

export const getInviteToken = defineRoute('POST /api/users/invite-token', {
  access: 'public',
  signInMethod: 'invitation',
  summary:
    'Exchanges the short code of an invitation link for an invite token. Does not redeem the invitation.',
  body: z.strictObject({ code: linkCode }),
  response: InviteTokenResponse,
  errors: [requestErrors.tooMany],
});

/** `suspended`: the organization of the invitation is closed to its members at present. */
export const LinkState = z.enum(['open', 'expired', 'signedUp', 'suspended', 'invalid']);
export type LinkState = z.output<typeof LinkState>;

export const getInvitationLinkState = defineRoute('POST /api/sign-in/invitation', {
  access: 'public',
  signInMethod: 'invitation',
  summary: 'The inviter, the invited address and the state of an invitation link. Does not redeem it.',
  body: z.strictObject({ code: linkCode }),
  response: z.object({
    state: LinkState,
    /** Name or address of the inviter; null if the invitation is not open or is that of the first administrator, which has no inviter. */
    inviter: z.nullable(z.string()),
    email: z.nullable(z.string()),
    name: z.string(),
    /** Whether an e-mailed code is required before a passkey can be created. Always true for invitations of administrators. */
    codeFirst: z.boolean(),
    /** Name of the organization that the invitee joins; null for an invitation to the site only. */
    organization: z.nullable(z.string()),
    organizationLogo: z.nullable(Picture),
    /** Connection of the organization that has verified the domain of the address; null if there is none. */
    connection: z.nullable(SignInMethod),
    /** Id of an invitation to an organization whose address has an account: it is accepted after the sign-in. Otherwise null. */
    acceptAfterSignIn: z.nullable(Id),
  }),
  errors: [requestErrors.tooMany],
});

export const reportInviteCancelled = defineRoute('POST /api/users/invite-cancelled', {
  access: 'public',
  summary:
    'Records in the timeline that someone cancelled at the sign-in service. The response is always the same.',
  body: z.strictObject({
    /** Either `code` or `token` is required. */
    code: z.optional(linkCode),
    token: z.optional(z.string().check(z.maxLength(4000, 'A token has at most 4000 characters.'))),
  }),
  response: z.object({ received: z.literal(true) }),
  errors: [requestErrors.tooMany],
});

export const requestNewLink = defineRoute('POST /api/users/new-link', {
  access: 'public',
  signInMethod: 'invitation',
  summary:
    'E-mails a new link to the invited address of an expired invitation. The response is always the same, whatever the code.',
  body: z.strictObject({ code: linkCode }),
  response: z.object({ received: z.literal(true) }),
  errors: [requestErrors.tooMany],
});

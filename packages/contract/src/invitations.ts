/** Invitations: the only way in. */
import * as z from 'zod/mini';
import { Role } from './people.ts';
import { requestErrors } from './request-errors.ts';
import { defineErrors, defineRoute } from './route.ts';
import { EmailAddress, Id, lineOfText, linesOfText, listQuery, Moment, page } from './values.ts';

export const invitationErrors = defineErrors({
  notFound: { code: 'invitation.not_found', status: 404, message: 'There is no such invitation.' },
  alreadyInvited: {
    code: 'invitation.already_invited',
    status: 409,
    message: 'This address has an invitation that is still open. Copy its link, or revoke it first.',
  },
  alreadyMember: {
    code: 'invitation.already_member',
    status: 409,
    message: 'This address belongs to somebody who is already inside.',
  },
  notPending: {
    code: 'invitation.not_pending',
    status: 409,
    message: 'This invitation is no longer open: it was redeemed, revoked, or has expired.',
  },
});

/**
 * Answer to the short code of an invitation link (statement H2, in the customer's spelling).
 * `ErrorMessage` is `Expired`, `AlreadySignedUp` or `Invalid`; empty on success.
 */
export const InviteTokenAnswer = z.object({
  Succeeded: z.boolean(),
  Data: z.nullable(z.string()),
  ErrorMessage: z.string(),
});
export type InviteTokenAnswer = z.output<typeof InviteTokenAnswer>;

export const getInviteToken = defineRoute({
  method: 'POST',
  path: '/api/users/invite-token',
  access: 'public',
  summary: 'Exchanges the short code of an invitation link for an invite token. Consumes nothing.',
  body: z.strictObject({ code: z.string().check(z.maxLength(200, 'A code has at most 200 characters.')) }),
  answer: InviteTokenAnswer,
  errors: [requestErrors.tooMany],
});

export const InvitationStatus = z.enum(['pending', 'opened', 'redeemed', 'expired', 'revoked']);
export type InvitationStatus = z.output<typeof InvitationStatus>;

export const MailState = z.enum(['none', 'queued', 'sent', 'failed']);
export type MailState = z.output<typeof MailState>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  role: Role,
  message: z.string(),
  status: InvitationStatus,
  mailState: MailState,
  /** What the mail server said, where sending failed. */
  mailError: z.nullable(z.string()),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  expiresAt: Moment,
  redeemedAt: z.nullable(Moment),
});
export type Invitation = z.output<typeof Invitation>;

export const listInvitations = defineRoute({
  method: 'GET',
  path: '/api/invitations',
  access: 'admin',
  summary: 'Invitations by page, sorted and searched.',
  query: listQuery(['email', 'name', 'role', 'status', 'mailState', 'createdAt', 'expiresAt', 'redeemedAt']),
  answer: page(Invitation),
});

/** What an administrator fills in to invite somebody; the form in the browser checks with it too. */
export const NewInvitation = z.strictObject({
  email: EmailAddress,
  name: z._default(lineOfText(100, 'A name'), ''),
  role: z._default(Role, 'member'),
  message: z._default(linesOfText(2000, 'A message'), ''),
});

export const invite = defineRoute({
  method: 'POST',
  path: '/api/invitations',
  access: 'admin',
  summary: 'Invites an e-mail address and mails the link.',
  body: NewInvitation,
  answer: Invitation,
  errors: [invitationErrors.alreadyInvited, invitationErrors.alreadyMember],
});

const oneInvitation = z.object({ invitationId: Id });

export const revokeInvitation = defineRoute({
  method: 'POST',
  path: '/api/invitations/:invitationId/revoke',
  access: 'admin',
  summary: 'Revokes an open invitation. Its link stops working at once.',
  params: oneInvitation,
  answer: Invitation,
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

export const getInvitationLink = defineRoute({
  method: 'POST',
  path: '/api/invitations/:invitationId/link',
  access: 'admin',
  summary: 'The link of an open invitation, to hand over by other means. Written to the activity log.',
  params: oneInvitation,
  answer: z.object({ link: z.string() }),
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

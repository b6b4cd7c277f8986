import * as z from 'zod/mini';
import { InvitationLanguage, LifetimeDays, NewInvitation } from './invitations/new-invitation.ts';
import { NamedPerson } from './people/named-person.ts';
import { requestErrors } from './request-errors.ts';
import { organizationInvitationsPerHour, soonDays } from './rules/limits.ts';
import { Role } from './rules/role.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { Message } from './texts/text.ts';
import {
  InvitedAddress,
  exportOf,
  groupColumn,
  groupCounts,
  groupCountsSummary,
  Id,
  listQuery,
  Moment,
  page,
  selectionResult,
  selectionErrors,
  selectionSchema,
} from './values.ts';

export const invitationErrors = defineErrors('invitation', {
  403: {
    linkIsProof:
      'The link proves the address, so it is only e-mailed there. Verify the domain of the address under “Domains” to copy links, or ask the administrators of this site.',
  },
  404: { notFound: 'This invitation does not exist.' },
  409: {
    alreadyInvited: 'This address already has an open invitation. Resend it, or copy its link.',
    alreadyMember: 'This address belongs to someone who is already a member.',
    notPending: 'This invitation is no longer open: it was redeemed, revoked or replaced, or has expired.',
    notExpired:
      'Only expired invitations can be renewed. Resend an open one; after revoking, send a new invitation.',
    replaced:
      'A later invitation to this address replaced this one for good. Renew the later one, or invite the address again.',
    domainNotAllowed:
      'Addresses at this domain cannot be invited. Choose another address, or allow the domain in the settings.',
    mailOnItsWay:
      'The e-mail for this invitation has not been sent yet. It will be sent automatically. Check again in a minute.',
    mailsAreOff: 'This site does not send e-mail. Copy the link and pass it on.',
    inviterLostRole:
      'The inviter may no longer give the role of this invitation. Ask a manager of the organization to revoke it, and to invite you again.',
    organizationSuspended:
      'This organization is suspended or has expired, so people cannot join. Change that first, then invite them.',
    sameAddress: 'The invitation already goes to this address. Resend it if the e-mail was lost.',
  },
  429: {
    sentTooOften: 'Resent too often; wait a while. You can also copy the link and pass it on.',
    tooManyOfOrganization: `Members of an organization send at most ${organizationInvitationsPerHour} invitations an hour. Wait an hour, or ask the administrators of this site.`,
  },
});

/**
 * `opened` and `expired` are derived from the times of a pending invitation. `redeemed`, `revoked` and `replaced` (by a later
 * invitation to the same address) are final.
 */
export const InvitationStatus = z.enum(['pending', 'opened', 'redeemed', 'expired', 'revoked', 'replaced']);
export type InvitationStatus = z.output<typeof InvitationStatus>;

export const MailState = z.enum(['none', 'queued', 'sent', 'failed']);
export type MailState = z.output<typeof MailState>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  role: Role,
  message: z.string(),
  language: InvitationLanguage,
  status: InvitationStatus,
  mailState: MailState,
  /** Reply of the mail server (`isSmtpReply`) or connection error of the last failed attempt. */
  mailError: z.nullable(z.string()),
  mailAdvice: z.nullable(z.string()),
  mailAdviceText: z.nullable(Message),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  expiresAt: Moment,
  mailedAt: z.nullable(Moment),
  /** Time when the link was first opened. Mail scanners do not count. */
  openedAt: z.nullable(Moment),
  redeemedAt: z.nullable(Moment),
  /** Batch in which the invitation was created; null for an invitation outside of a batch. */
  batchId: z.nullable(Id),
  /** Organization that the invitee joins; null for an invitation to the site only. */
  organizationId: z.nullable(Id),
  /** Role in the organization; null for the role `member`, if the role was deleted. */
  organizationRoleId: z.nullable(z.string()),
});
export type Invitation = z.output<typeof Invitation>;

/**
 * Invitation with the current member who has the invited address, the current member who created it, and the name of the organization.
 * `person` is null for a manager of an organization.
 */
export const ListedInvitation = z.extend(Invitation, {
  person: z.nullable(NamedPerson),
  inviter: z.nullable(NamedPerson),
  organizationName: z.nullable(z.string()),
});
export type ListedInvitation = z.output<typeof ListedInvitation>;

const sortColumns = [
  'email',
  'name',
  'role',
  'status',
  'mailState',
  'createdAt',
  'createdBy',
  'expiresAt',
  'openedAt',
  'redeemedAt',
] as const;

export const invitationColumns = [
  ...sortColumns,
  'mailedAt',
  'language',
  'batchId',
  'organizationId',
] as const;
export type InvitationColumn = (typeof invitationColumns)[number];

/**
 * Groups for counts and filters. `waiting`: can be redeemed. `expiring`: waiting and expires within `soonDays`. `failed`: waiting
 * and its mail failed.
 */
const invitationGroups = ['waiting', 'expiring', 'failed', 'expired', 'joined'] as const;
export type InvitationGroup = (typeof invitationGroups)[number];

const invitationFilters = [...invitationColumns, groupColumn] as const;

export const countInvitations = defineRoute('GET /api/invitations/counts', {
  access: 'admin',
  scope: 'invitations:read',
  summary: `How many invitations there are in total and in each group the list can be filtered by (expiring: within ${soonDays} days; failed: open, but its e-mail failed); ${groupCountsSummary}`,
  response: groupCounts(invitationGroups),
});

export const listInvitations = defineRoute('GET /api/invitations', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'Invitations, paged, sorted, searched and filtered.',
  query: listQuery(sortColumns, invitationFilters),
  response: page(ListedInvitation),
});

export const exportInvitations = defineRoute('POST /api/invitations/export', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'All matching invitations, as CSV or as a workbook.',
  ...exportOf(sortColumns, invitationColumns, invitationFilters),
});

export const InvitationEvent = z.object({
  kind: z.enum([
    'created',
    'mailed',
    'mail_failed',
    'opened',
    'token_issued',
    'cancelled',
    'refused',
    'redeemed',
    'sent_again',
    'reminded',
    'renewed',
    'new_link_sent',
    'address_changed',
    'link_copied',
    'revoked',
  ]),
  at: Moment,
  /** Number of combined events; `lastAt` is the time of the last one. Repeated events are combined. */
  times: z.number(),
  lastAt: Moment,
  /** Address of the actor; null for the server and for visitors. */
  by: z.nullable(z.string()),
  byName: z.nullable(z.string()),
  /** Likely kind of client that opened the link; null for other events. */
  agent: z.nullable(z.enum(['person', 'scanner'])),
  note: z.nullable(z.string()),
  noteText: z.nullable(Message),
});
export type InvitationEvent = z.output<typeof InvitationEvent>;

export const InvitationDetails = z.extend(Invitation, {
  explanation: z.string(),
  explanationTexts: z.array(Message),
  person: z.nullable(NamedPerson),
  /** Member who created the invitation; null if no longer a member. */
  inviter: z.nullable(NamedPerson),
  /** Member who redeemed the invitation; null after the removal of this member. */
  personId: z.nullable(Id),
  organizationName: z.nullable(z.string()),
  /** The newest 200 events, oldest first. */
  timeline: z.array(InvitationEvent),
});
export type InvitationDetails = z.output<typeof InvitationDetails>;

const invitationParams = z.object({ invitationId: Id });

export const getInvitation = defineRoute('GET /api/invitations/:invitationId', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'One invitation with its timeline, and why it has not been used so far.',
  params: invitationParams,
  response: InvitationDetails,
  errors: [invitationErrors.notFound],
});

export const invite = defineRoute('POST /api/invitations', {
  access: 'admin',
  scope: 'invitations:write',
  requiresRecentAuth: ({ role }: { role: Role }) => role === 'admin',
  summary: 'Invites an e-mail address and e-mails the link.',
  body: NewInvitation,
  response: Invitation,
  errors: errorsOf(invitationErrors, 'alreadyInvited', 'alreadyMember', 'domainNotAllowed'),
});

export const resendInvitation = defineRoute('POST /api/invitations/:invitationId/resend', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Resends the link of an open invitation. A few times an hour, then 429 with Retry-After.',
  params: invitationParams,
  response: Invitation,
  errors: errorsOf(
    invitationErrors,
    'notFound',
    'notPending',
    'organizationSuspended',
    'mailOnItsWay',
    'mailsAreOff',
    'sentTooOften',
  ),
});

export const renewInvitation = defineRoute('POST /api/invitations/:invitationId/renew', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Reopens an expired invitation and e-mails a new link. The old link stays expired.',
  params: invitationParams,
  /** If absent, the previous lifetime is used. */
  body: z.strictObject({ lifetimeDays: z.optional(LifetimeDays) }),
  response: Invitation,
  errors: errorsOf(
    invitationErrors,
    'notFound',
    'notExpired',
    'replaced',
    'organizationSuspended',
    'alreadyMember',
    'domainNotAllowed',
  ),
});

export const changeInvitationAddress = defineRoute('POST /api/invitations/:invitationId/address', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Sends an open invitation to another address. The old link stops working at once.',
  params: invitationParams,
  body: z.strictObject({ email: InvitedAddress }),
  response: Invitation,
  errors: [
    // For invitations of administrators.
    requestErrors.notFresh,
    requestErrors.administratorScopeMissing,
    invitationErrors.notFound,
    invitationErrors.notPending,
    invitationErrors.organizationSuspended,
    invitationErrors.sameAddress,
    invitationErrors.alreadyInvited,
    invitationErrors.alreadyMember,
    invitationErrors.domainNotAllowed,
  ],
});

export const revokeInvitation = defineRoute('POST /api/invitations/:invitationId/revoke', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Revokes an open or expired invitation for good. Its link stops working at once.',
  params: invitationParams,
  response: Invitation,
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

export const getInvitationLink = defineRoute('POST /api/invitations/:invitationId/link', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'The link of an open invitation, to share by other means. Recorded in the activity log.',
  params: invitationParams,
  response: z.object({ link: z.string() }),
  errors: [
    // For invitations of administrators.
    requestErrors.administratorScopeMissing,
    invitationErrors.notFound,
    invitationErrors.notPending,
  ],
});

export const InvitationsAction = z.enum(['resend', 'revoke', 'renew']);
export type InvitationsAction = z.output<typeof InvitationsAction>;

export const actOnInvitations = defineRoute('POST /api/invitations/actions', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Resends, revokes or renews the selected invitations. Returns the skipped ones with the reason.',
  body: z.strictObject({ action: InvitationsAction, selection: selectionSchema(invitationFilters) }),
  response: selectionResult(invitationFilters),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});

/** Invitations: the only way in. */
import * as z from 'zod/mini';
import { InvitationLanguage, LifetimeDays, NewInvitation } from './invitations/new-invitation.ts';
import { NamedPerson } from './people/named-person.ts';
import { requestErrors } from './request-errors.ts';
import { soonDays } from './rules/limits.ts';
import { Role } from './rules/role.ts';
import { defineErrors, defineRoute } from './route.ts';
import { Message } from './texts/text.ts';
import {
  EmailAddress,
  exportErrors,
  exportMedia,
  exportOf,
  groupColumn,
  groupCounts,
  groupCountsSummary,
  Id,
  listQuery,
  Moment,
  page,
  selectionAnswer,
  selectionErrors,
  selectionOf,
  streamed,
} from './values.ts';

export const invitationErrors = defineErrors('invitation', {
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
    fileUnknown: 'A file in the welcome pack was deleted or is not yours. Choose the files again.',
    sameAddress: 'The invitation already goes to this address. Resend it if the e-mail was lost.',
  },
  429: { sentTooOften: 'Resent too often; wait a while. You can also copy the link and pass it on.' },
});

/**
 * `opened` and `expired` follow from the times of what is pending; `redeemed`, `revoked` and `replaced` (by a later one to
 * the same address) are final.
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
  /** What the mail server said, or what kept us from hearing it (`isAutomaticReply`), where sending failed or has to be tried again. */
  mailError: z.nullable(z.string()),
  /** What to do about `mailError`, in a sentence. */
  mailAdvice: z.nullable(z.string()),
  mailAdviceText: z.nullable(Message),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  expiresAt: Moment,
  /** When the mail server last took its mail. */
  mailedAt: z.nullable(Moment),
  /** When somebody, not a mail scanner, first opened the link. */
  openedAt: z.nullable(Moment),
  redeemedAt: z.nullable(Moment),
  /** The batch that it was created in; null when it was invited alone. */
  batchId: z.nullable(Id),
});
export type Invitation = z.output<typeof Invitation>;

/** In the list, with who is inside by the invited address, and who invited them; null for nobody. */
export const ListedInvitation = z.extend(Invitation, {
  person: z.nullable(NamedPerson),
  inviter: z.nullable(NamedPerson),
});
export type ListedInvitation = z.output<typeof ListedInvitation>;

/** What the list is sorted by. `status` is the one that is shown. */
const sortedBy = [
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

/** What the list is filtered by. */
export const invitationColumns = [...sortedBy, 'mailedAt', 'language', 'batchId'] as const;
export type InvitationColumn = (typeof invitationColumns)[number];

/**
 * Questions that are asked of invitations as a whole. `waiting` can still lead in; of these `expiring` ends within `soonDays`,
 * and the mail of `failed` did not get through.
 */
const invitationGroups = ['waiting', 'expiring', 'failed', 'expired', 'joined'] as const;
export type InvitationGroup = (typeof invitationGroups)[number];

const filters = [...invitationColumns, groupColumn] as const;

export const countInvitations = defineRoute('GET /api/invitations/counts', {
  access: 'admin',
  scope: 'invitations:read',
  summary: `How many invitations there are in total and in each group the list can be filtered by (expiring: within ${soonDays} days; failed: open, but its e-mail failed); ${groupCountsSummary}`,
  answer: groupCounts(invitationGroups),
});

export const listInvitations = defineRoute('GET /api/invitations', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'Invitations, paged, sorted, searched and filtered.',
  query: listQuery(sortedBy, filters),
  answer: page(ListedInvitation),
});

export const exportInvitations = defineRoute('POST /api/invitations/export', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'All matching invitations, as CSV or as a workbook.',
  body: exportOf(sortedBy, invitationColumns, filters),
  answer: streamed,
  media: exportMedia,
  errors: [exportErrors.busy],
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
  /** What happens often is one event: how often, and when last. */
  times: z.number(),
  lastAt: Moment,
  /** Who did it; null for the server and for whoever is not signed in. */
  by: z.nullable(z.string()),
  /** Their name while they are inside. */
  byName: z.nullable(z.string()),
  /** Of `opened`: whether it looks like a person or like a mail scanner. */
  agent: z.nullable(z.enum(['person', 'scanner'])),
  /** More about it in words: the mail server's answer, why somebody was refused, the former address. */
  note: z.nullable(z.string()),
  /** The note where it is a sentence of the server. */
  noteText: z.nullable(Message),
});
export type InvitationEvent = z.output<typeof InvitationEvent>;

export const InvitationDetails = z.extend(Invitation, {
  /** Why it has not worked so far, or that it has, and what to do next, in a sentence or two. */
  explanation: z.string(),
  /** The same, sentence by sentence. */
  explanationTexts: z.array(Message),
  /** Who is inside by the invited address; null for nobody. */
  person: z.nullable(NamedPerson),
  /** Who invited; null for nobody who is still inside. */
  inviter: z.nullable(NamedPerson),
  /** Who signed up with it; null for nobody, or nobody who is still inside. */
  personId: z.nullable(Id),
  /** What happened, oldest first; at most the newest 200 events. */
  timeline: z.array(InvitationEvent),
});
export type InvitationDetails = z.output<typeof InvitationDetails>;

const oneInvitation = z.object({ invitationId: Id });

export const getInvitation = defineRoute('GET /api/invitations/:invitationId', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'One invitation with its timeline, and why it has not been used so far.',
  params: oneInvitation,
  answer: InvitationDetails,
  errors: [invitationErrors.notFound],
});

export const invite = defineRoute('POST /api/invitations', {
  access: 'admin',
  scope: 'invitations:write',
  fresh: ({ role }: { role: Role }) => role === 'admin',
  summary: 'Invites an e-mail address and e-mails the link.',
  body: NewInvitation,
  answer: Invitation,
  errors: [
    invitationErrors.fileUnknown,
    invitationErrors.alreadyInvited,
    invitationErrors.alreadyMember,
    invitationErrors.domainNotAllowed,
  ],
});

export const resendInvitation = defineRoute('POST /api/invitations/:invitationId/resend', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Resends the link of an open invitation. A few times an hour, then 429 with Retry-After.',
  params: oneInvitation,
  answer: Invitation,
  errors: [
    invitationErrors.notFound,
    invitationErrors.notPending,
    invitationErrors.mailOnItsWay,
    invitationErrors.mailsAreOff,
    invitationErrors.sentTooOften,
  ],
});

export const renewInvitation = defineRoute('POST /api/invitations/:invitationId/renew', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Reopens an expired invitation and e-mails a new link. The old link stays expired.',
  params: oneInvitation,
  /** Left out, the new lifetime is the one it had. */
  body: z.strictObject({ lifetimeDays: z.optional(LifetimeDays) }),
  answer: Invitation,
  errors: [
    invitationErrors.notFound,
    invitationErrors.notExpired,
    invitationErrors.replaced,
    invitationErrors.alreadyMember,
    invitationErrors.domainNotAllowed,
  ],
});

export const changeInvitationAddress = defineRoute('POST /api/invitations/:invitationId/address', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Sends an open invitation to another address. The old link stops working at once.',
  params: oneInvitation,
  body: z.strictObject({ email: EmailAddress }),
  answer: Invitation,
  errors: [
    // Of an administrator's invitation.
    requestErrors.notFresh,
    invitationErrors.notFound,
    invitationErrors.notPending,
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
  params: oneInvitation,
  answer: Invitation,
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

export const getInvitationLink = defineRoute('POST /api/invitations/:invitationId/link', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'The link of an open invitation, to share by other means. Recorded in the activity log.',
  params: oneInvitation,
  answer: z.object({ link: z.string() }),
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

/** What is done to many at once. */
export const InvitationsAction = z.enum(['resend', 'revoke', 'renew']);
export type InvitationsAction = z.output<typeof InvitationsAction>;

export const actOnInvitations = defineRoute('POST /api/invitations/actions', {
  access: 'admin',
  scope: 'invitations:write',
  summary: 'Resends, revokes or renews many invitations. Lists those that were skipped, with the reason.',
  body: z.strictObject({
    action: InvitationsAction,
    selection: selectionOf(filters),
  }),
  answer: selectionAnswer(filters),
  errors: [selectionErrors.tooLarge, selectionErrors.changed],
});

/** Joining an organization by the verified domain of one's address: at once, or by a request that a manager approves (R7). */
import * as z from 'zod/mini';
import { invitationErrors } from '../invitations.ts';
import { organizationErrors } from '../organizations.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { Id, Moment } from '../values.ts';
import { organizationPermissions, RoleId } from './permissions.ts';

/** Days after which a person whose request was declined can ask again. */
export const requestAgainDays = 30;
/** Days after which requests without a decision are deleted. */
export const requestLifetimeDays = 90;
export const shownRequests = 100;

export const joiningErrors = defineErrors('joining', {
  403: {
    declined:
      'Your request was declined, or you were removed from this organization. Ask a manager for an invitation.',
  },
  404: {
    notOffered:
      'You cannot join this organization by your address any more. Ask its managers for an invitation.',
    requestNotFound: 'This request was answered in the meantime.',
  },
});

/** `declined`: a manager has declined a request, or removed the person. */
const JoiningState = z.enum(['open', 'requested', 'declined']);

const JoinableOrganization = z.object({
  organizationId: Id,
  name: z.string(),
  enrolment: z.enum(['request', 'automatic']),
  state: JoiningState,
});
export type JoinableOrganization = z.output<typeof JoinableOrganization>;

export const listJoinableOrganizations = defineRoute('GET /api/users/me/joinable-organizations', {
  access: 'member',
  summary: "Organizations that the caller can join because of the verified domain of the caller's address.",
  response: z.object({ rows: z.array(JoinableOrganization) }),
});

export const joinOrganization = defineRoute('POST /api/users/me/joinable-organizations/:organizationId', {
  access: 'member',
  summary: 'Joins an organization with automatic enrolment, or asks its managers.',
  params: z.object({ organizationId: Id }),
  response: z.object({ outcome: z.enum(['joined', 'requested']), slug: z.string(), name: z.string() }),
  errors: [joiningErrors.notOffered, joiningErrors.declined, organizationErrors.full],
});

const MembershipRequest = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  /** Without an account, an approval sends an invitation. */
  hasAccount: z.boolean(),
  requestedAt: Moment,
  /** Role that the domain suggests. */
  roleId: z.string(),
});
export type MembershipRequest = z.output<typeof MembershipRequest>;

export const listMembershipRequests = defineRoute('GET /api/organizations/:organizationId/requests', {
  access: { permission: organizationPermissions.readInvitations.name },
  summary: `Requests to join an organization, oldest first (at most ${shownRequests}), and how many there are.`,
  params: z.object({ organizationId: Id }),
  response: z.object({ rows: z.array(MembershipRequest), total: z.number() }),
});

const params = z.object({ organizationId: Id, requestId: Id });
const access = { permission: organizationPermissions.writeInvitations.name };

export const approveMembershipRequest = defineRoute(
  'POST /api/organizations/:organizationId/requests/:requestId/approve',
  {
    access,
    summary: 'Makes a person with an account a member, and invites a person without one.',
    params,
    body: z.strictObject({ roleId: z._default(RoleId, 'member') }),
    response: z.object({ outcome: z.enum(['joined', 'invited']), email: z.string() }),
    errors: [
      joiningErrors.requestNotFound,
      ...errorsOf(organizationErrors, 'roleNotFound', 'roleTooHigh', 'full'),
      ...errorsOf(invitationErrors, 'domainNotAllowed', 'tooManyOfOrganization'),
    ],
  },
);

export const declineMembershipRequest = defineRoute(
  'POST /api/organizations/:organizationId/requests/:requestId/decline',
  {
    access,
    summary: `Declines a request. The person gets a mail, and can ask again after ${requestAgainDays} days.`,
    params,
    response: z.object({ id: Id, email: z.string() }),
    errors: [joiningErrors.requestNotFound],
  },
);

/** Invitations to organizations for people who have an account already. */
import * as z from 'zod/mini';
import { invitationErrors } from '../invitations.ts';
import { organizationErrors } from '../organizations.ts';
import { organizationAccessErrors } from '../organizations/permissions.ts';
import { defineRoute, errorsOf } from '../route.ts';
import { Id, Moment, Picture } from '../values.ts';

const MyInvitation = z.object({
  id: Id,
  organizationName: z.string(),
  organizationLogo: z.nullable(Picture),
  /** `manager`, `member`, or the id of another role. */
  roleId: z.string(),
  /** Null for built-in roles. */
  roleName: z.nullable(z.string()),
  message: z.string(),
  /** Name or address of the inviter. */
  inviter: z.nullable(z.string()),
  expiresAt: Moment,
  /** Whether the organization is suspended or has expired, so that the invitation cannot be accepted now. */
  isSuspended: z.boolean(),
});

export const listMyInvitations = defineRoute('GET /api/users/me/invitations', {
  access: 'member',
  summary:
    "Open invitations to organizations that were sent to the caller's address, newest first (at most 50).",
  response: z.object({ rows: z.array(MyInvitation) }),
});

const params = z.object({ invitationId: Id });

export const acceptMyInvitation = defineRoute('POST /api/users/me/invitations/:invitationId/accept', {
  access: 'member',
  summary: 'Makes the caller a member of the organization, with the role of the invitation.',
  params,
  response: z.object({ organizationId: Id, slug: z.string(), name: z.string() }),
  errors: [
    ...errorsOf(invitationErrors, 'notFound', 'notPending', 'inviterLostRole'),
    organizationAccessErrors.suspended,
    organizationErrors.full,
  ],
});

export const declineMyInvitation = defineRoute('POST /api/users/me/invitations/:invitationId/decline', {
  access: 'member',
  summary: 'Revokes an invitation to the caller for good.',
  params,
  response: z.object({ id: Id }),
  errors: [invitationErrors.notFound, invitationErrors.notPending],
});

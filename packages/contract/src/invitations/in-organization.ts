/** Invitations to an organization: the routes of invitations to the site, limited to one organization, with its roles. */
import * as z from 'zod/mini';
import {
  actOnInvitations,
  changeInvitationAddress,
  countInvitations,
  exportInvitations,
  getInvitation,
  getInvitationLink,
  invitationErrors,
  invite,
  listInvitations,
  renewInvitation,
  resendInvitation,
  revokeInvitation,
} from '../invitations.ts';
import { organizationErrors } from '../organizations.ts';
import { organizationPermissions } from '../organizations/permissions.ts';
import type { ErrorDefinition, RouteDefinition } from '../route.ts';
import { Id, lineOfText } from '../values.ts';
import { checkInvitations, createBatch, getBatch, listBatches, undoBatch } from './batches.ts';
import { NewInvitation } from './new-invitation.ts';
import { previewInvitation } from './preview.ts';

type ShapeOf<R> = R extends { params: z.ZodMiniObject<infer Shape> } ? Shape : unknown;
type BodyOf<R> = R extends { body: infer Body extends z.ZodMiniObject } ? { body: Body } : unknown;

/** Route within an organization. It has the organization in its path, and no scope for tokens. */
type InOrganization<R extends RouteDefinition, Body> = Omit<
  R,
  'access' | 'scope' | 'requiresRecentAuth' | 'params' | 'body' | 'errors'
> & {
  access: { permission: string };
  params: z.ZodMiniObject<{ organizationId: typeof Id } & ShapeOf<R>>;
  errors: readonly ErrorDefinition[];
} & Body;

const sitePath = '/api/invitations';
const { readInvitations, writeInvitations } = organizationPermissions;

function inOrganization<const R extends RouteDefinition, Body = BodyOf<R>>(
  route: R,
  permission: { name: string },
  { body, errors = [] }: { body?: z.ZodMiniObject; errors?: readonly ErrorDefinition[] } = {},
): InOrganization<R, Body> {
  const { scope: _scope, requiresRecentAuth: _requires, access: _access, ...rest } = route;
  return {
    ...rest,
    path: `/api/organizations/:organizationId/invitations${route.path.slice(sitePath.length)}`,
    access: { permission: permission.name },
    summary: `In one organization: ${route.summary}`,
    params: z.object({ organizationId: Id, ...route.params?.shape }),
    errors: [...(route.errors ?? []), ...errors],
    ...(body && { body }),
  } as unknown as InOrganization<R, Body>;
}

/** Id or name of a role of the organization, such as `manager`. */
const role = z._default(lineOfText(100), 'member');

const withRole = <Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniObject<Omit<Shape, 'role'> & { role: typeof role }, z.core.$strict> =>
  z.strictObject({ ...shape, role });

const inviteBody = withRole(NewInvitation.shape);
const checkBody = withRole(checkInvitations.body.shape);
const batchBody = withRole(createBatch.body.shape);
const roleErrors = [organizationErrors.roleNotFound, organizationErrors.roleTooHigh];
const sendingErrors = [invitationErrors.tooManyOfOrganization];

export const listOrganizationInvitations = inOrganization(listInvitations, readInvitations);
export const countOrganizationInvitations = inOrganization(countInvitations, readInvitations);
export const exportOrganizationInvitations = inOrganization(exportInvitations, readInvitations);
export const getOrganizationInvitation = inOrganization(getInvitation, readInvitations);
export const inviteToOrganization = inOrganization<typeof invite, { body: typeof inviteBody }>(
  invite,
  writeInvitations,
  { body: inviteBody, errors: [...roleErrors, ...sendingErrors] },
);
export const resendOrganizationInvitation = inOrganization(resendInvitation, writeInvitations);
export const renewOrganizationInvitation = inOrganization(renewInvitation, writeInvitations, {
  errors: sendingErrors,
});
export const changeOrganizationInvitationAddress = inOrganization(changeInvitationAddress, writeInvitations, {
  errors: sendingErrors,
});
export const revokeOrganizationInvitation = inOrganization(revokeInvitation, writeInvitations);
export const getOrganizationInvitationLink = inOrganization(getInvitationLink, writeInvitations, {
  errors: [invitationErrors.linkIsProof],
});
export const actOnOrganizationInvitations = inOrganization(actOnInvitations, writeInvitations);
export const previewOrganizationInvitation = inOrganization(previewInvitation, writeInvitations);
export const checkOrganizationInvitations = inOrganization<
  typeof checkInvitations,
  { body: typeof checkBody }
>(checkInvitations, writeInvitations, { body: checkBody, errors: roleErrors });
export const createOrganizationBatch = inOrganization<typeof createBatch, { body: typeof batchBody }>(
  createBatch,
  writeInvitations,
  { body: batchBody, errors: [...roleErrors, ...sendingErrors] },
);
export const listOrganizationBatches = inOrganization(listBatches, readInvitations);
export const getOrganizationBatch = inOrganization(getBatch, readInvitations);
export const undoOrganizationBatch = inOrganization(undoBatch, writeInvitations);

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
import { inOrganization } from '../organizations/in-organization.ts';
import { organizationPermissions } from '../organizations/permissions.ts';
import { requestErrors } from '../request-errors.ts';
import { lineOfText } from '../values.ts';
import { checkInvitations, createBatch, getBatch, listBatches, undoBatch } from './batches.ts';
import { NewInvitation } from './new-invitation.ts';
import { previewInvitation } from './preview.ts';

const { readInvitations, writeInvitations } = organizationPermissions;

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
const invitingErrors = [...roleErrors, invitationErrors.organizationSuspended];
const sendingErrors = [invitationErrors.tooManyOfOrganization, requestErrors.tooMany];

export const listOrganizationInvitations = inOrganization(listInvitations, readInvitations);
export const countOrganizationInvitations = inOrganization(countInvitations, readInvitations);
export const exportOrganizationInvitations = inOrganization(exportInvitations, readInvitations);
export const getOrganizationInvitation = inOrganization(getInvitation, readInvitations);
export const inviteToOrganization = inOrganization<typeof invite, { body: typeof inviteBody }>(
  invite,
  writeInvitations,
  { body: inviteBody, errors: [...invitingErrors, ...sendingErrors] },
);
export const resendOrganizationInvitation = inOrganization(resendInvitation, writeInvitations);
export const renewOrganizationInvitation = inOrganization(renewInvitation, writeInvitations, {
  errors: sendingErrors,
});
export const changeOrganizationInvitationAddress = inOrganization(changeInvitationAddress, writeInvitations, {
  errors: [...roleErrors, ...sendingErrors],
});
export const revokeOrganizationInvitation = inOrganization(revokeInvitation, writeInvitations);
export const getOrganizationInvitationLink = inOrganization(getInvitationLink, writeInvitations, {
  errors: [...roleErrors, invitationErrors.linkIsProof],
});
export const actOnOrganizationInvitations = inOrganization(actOnInvitations, writeInvitations);
export const previewOrganizationInvitation = inOrganization(previewInvitation, writeInvitations);
export const checkOrganizationInvitations = inOrganization<
  typeof checkInvitations,
  { body: typeof checkBody }
>(checkInvitations, writeInvitations, { body: checkBody, errors: invitingErrors });
export const createOrganizationBatch = inOrganization<typeof createBatch, { body: typeof batchBody }>(
  createBatch,
  writeInvitations,
  { body: batchBody, errors: [...invitingErrors, ...sendingErrors] },
);
export const listOrganizationBatches = inOrganization(listBatches, readInvitations);
export const getOrganizationBatch = inOrganization(getBatch, readInvitations);
export const undoOrganizationBatch = inOrganization(undoBatch, writeInvitations);

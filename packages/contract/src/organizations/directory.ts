/** SCIM of an organization: its own directory, such as Entra ID or Okta, adds and removes its members (R9). */
import * as z from 'zod/mini';
import { Directory, tokenOverlapHours } from '../directory.ts';
import { defineRoute } from '../route.ts';
import { Id } from '../values.ts';
import { organizationPermissions } from './permissions.ts';

export const OrganizationDirectory = z.pick(Directory, {
  address: true,
  token: true,
  lastUsedAt: true,
  lastAddress: true,
  users: true,
});
export type OrganizationDirectory = z.output<typeof OrganizationDirectory>;

const access = { permission: organizationPermissions.writeDirectory.name };
const organizationParams = z.object({ organizationId: Id });

export const getOrganizationDirectory = defineRoute('GET /api/organizations/:organizationId/scim-token', {
  access,
  summary: 'The SCIM address and token of an organization, and its last request.',
  params: organizationParams,
  response: OrganizationDirectory,
});

export const createOrganizationDirectoryToken = defineRoute(
  'POST /api/organizations/:organizationId/scim-token',
  {
    access,
    requiresRecentAuth: true,
    summary: `Creates a new SCIM token that adds and removes members of this organization only. It is shown only in this response. The previous one works for ${tokenOverlapHours} more hours.`,
    params: organizationParams,
    response: z.object({ token: z.string(), directory: OrganizationDirectory }),
  },
);

export const revokeOrganizationDirectoryToken = defineRoute(
  'DELETE /api/organizations/:organizationId/scim-token',
  {
    access,
    summary: 'Revokes the SCIM token of an organization, also the previous one. Members stay members.',
    params: organizationParams,
    response: OrganizationDirectory,
  },
);

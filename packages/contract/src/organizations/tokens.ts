/** Personal access tokens that are limited to one organization (R9). */
import * as z from 'zod/mini';
import { NewToken, PersonalToken, tokenErrors } from '../profile/tokens.ts';
import { defineErrors, defineRoute, errorsOf } from '../route.ts';
import { schemaMessage } from '../texts/text.ts';
import { fieldTexts } from '../texts/field-texts.ts';
import { Id } from '../values.ts';
import { organizationPermissions } from './permissions.ts';

export const organizationTokenErrors = defineErrors('organization_token', {
  403: {
    membersOnly: 'Only members of the organization can create access tokens for it.',
    permissionTooHigh: 'You do not have one of these permissions, or access tokens cannot have it.',
  },
});

export const OrganizationToken = z.extend(z.omit(PersonalToken, { scopes: true }), {
  permissions: z.array(z.string()),
});
export type OrganizationToken = z.output<typeof OrganizationToken>;

const organizationParams = z.object({ organizationId: Id });
const access = { permission: organizationPermissions.writeTokens.name };
const permissionsMaximum = 100;

export const listOrganizationTokens = defineRoute('GET /api/organizations/:organizationId/tokens', {
  access,
  summary:
    'The access tokens that are limited to an organization, newest first, and when each was last used.',
  params: organizationParams,
  response: z.object({ rows: z.array(OrganizationToken) }),
});

const NewOrganizationToken = z.extend(z.omit(NewToken, { scopes: true }), {
  permissions: z
    .array(z.string().check(z.maxLength(100)), 'Permissions are a list of texts.')
    .check(
      z.minLength(1, schemaMessage(fieldTexts.scopeMissing)),
      z.maxLength(permissionsMaximum, 'Choose each permission once.'),
    ),
});

export const createOrganizationToken = defineRoute('POST /api/organizations/:organizationId/tokens', {
  access,
  requiresRecentAuth: true,
  summary:
    'Creates an access token for the caller that works only in this organization, with permissions of the caller. It is shown only in this response.',
  params: organizationParams,
  body: NewOrganizationToken,
  response: z.object({ token: z.string(), details: OrganizationToken }),
  errors: [tokenErrors.tooMany, ...errorsOf(organizationTokenErrors, 'membersOnly', 'permissionTooHigh')],
});

export const revokeOrganizationToken = defineRoute(
  'POST /api/organizations/:organizationId/tokens/:tokenId/revoke',
  {
    access,
    summary: 'Revokes an access token of the organization. Its next call is refused.',
    params: z.object({ organizationId: Id, tokenId: Id }),
    response: OrganizationToken,
    errors: [tokenErrors.notFound],
  },
);

/**
 * Permissions within an organization. A route names the permission it needs; a role of an organization is a set of permissions.
 * An extension lists its own in its area.
 */

import * as z from 'zod/mini';
import { defineErrors } from '../route.ts';
import { Id } from '../values.ts';

/** Errors of every route with a permission. */
export const organizationAccessErrors = defineErrors('organization', {
  400: { notChosen: 'Choose an organization: send its id in the header Vestibule-Organization.' },
  403: {
    singleSignOnNeeded:
      'This organization requires that you sign in through its provider. Open it to sign in there.',
    suspended: 'This organization is suspended. Ask the administrators of this site.',
    permissionNeeded:
      'Your role in this organization does not allow this. Ask a manager of the organization.',
    tokenPermissionMissing: 'This access token lacks the permission for this call. Create one that has it.',
  },
  404: { notFound: 'This organization does not exist, or you are not a member of it.' },
});

/** Permission within an organization. `name` is `area.action`, such as `tickets.write`. */
export type PermissionDefinition<Name extends string = string> = {
  readonly name: Name;
  /** Label of a check box, such as "Change roles". */
  readonly label: string;
  /** Whether the built-in role `member` has it. The built-in role `manager` has all permissions. */
  readonly memberHasIt: boolean;
};

const definePermission = <const Name extends `${string}.${string}`>(
  name: Name,
  label: string,
  { memberHasIt = false }: { memberHasIt?: boolean } = {},
): PermissionDefinition<Name> => ({ name, label, memberHasIt });

export const organizationPermissions = {
  read: definePermission('organization.read', 'See the organization', { memberHasIt: true }),
  write: definePermission('organization.write', 'Change the logo of the organization'),
  readMembers: definePermission('members.read', 'See all members'),
  writeMembers: definePermission('members.write', 'Change roles and remove members'),
  readInvitations: definePermission('invitations.read', 'See all invitations'),
  writeInvitations: definePermission('invitations.write', 'Invite, resend, renew and revoke'),
  writeDomains: definePermission('domains.write', 'Verify domains, and choose who joins by them'),
  writeConnection: definePermission(
    'connection.write',
    'Set up single sign-on, and so decide who signs in as a member of the verified domains',
  ),
  writeTokens: definePermission('tokens.write', 'Create and revoke access tokens of the organization'),
  writeWebhooks: definePermission('webhooks.write', 'Manage webhooks of the organization'),
  writeDirectory: definePermission('directory.write', 'Let a directory add and remove members (SCIM)'),
  readActivity: definePermission('activity.read', 'See the activity of the organization'),
} as const;

/** Permissions that an access token cannot have: what it created with them would outlive it. */
export const permissionsWithoutTokens: readonly string[] = [
  organizationPermissions.writeConnection.name,
  organizationPermissions.writeTokens.name,
  organizationPermissions.writeWebhooks.name,
  organizationPermissions.writeDirectory.name,
];

/** Ids of the roles that always exist. Other roles have a UUID. */
export const builtInRoles = ['manager', 'member'] as const;
export const RoleId = z.union([z.enum(builtInRoles), Id], 'This is not the id of a role.');

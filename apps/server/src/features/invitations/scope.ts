/** Scope of invitation routes: the whole site, or one organization with its own roles. */
import { invitationErrors } from '@vestibule/contract/invitations';
import { getRowRole } from '@vestibule/contract/invitations/batches';
import { rowTexts } from '@vestibule/contract/invitations/texts';
import { organizationErrors, type OrganizationRole } from '@vestibule/contract/organizations';
import { organizationInvitationsPerHour } from '@vestibule/contract/rules/limits';
import type { Role } from '@vestibule/contract/rules/role';
import { createMessage, type Message } from '@vestibule/contract/texts/text';
import type { DatabaseDeps, Queryable } from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit, fail } from '../../platform/errors/failure.ts';
import type { Caller, CallerOrganization } from '../../platform/http/implement.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import type { Scope } from '../../platform/lists/list-source.ts';

export const scopeOf = (organization: CallerOrganization | null): Scope =>
  organization === null ? 'site' : { organizationId: organization.id };

export type InvitedRole = { role: Role; organizationRoleId: string | null };

/** Returns the role of a row of a list, or why it cannot be given. Without a text, the role of the list applies. */
export type ReadRole = (text: string | undefined, listRole: string) => InvitedRole | Message;

export type RoleReaderDeps = {
  permissions: Permissions;
  readOrganizationRoles: () => Promise<OrganizationRole[]>;
};

/** Members of an organization give only roles whose permissions they have. Roles are read by id or name. */
export async function createRoleReader(
  { permissions, readOrganizationRoles }: RoleReaderDeps,
  organization: CallerOrganization | null,
): Promise<ReadRole> {
  if (organization === null)
    return (text, listRole) => {
      const role = getRowRole({ email: '', ...(text !== undefined && { role: text }) }, listRole as Role);
      return role ? { role, organizationRoleId: null } : createMessage(rowTexts.unknownRole);
    };
  const roles = new Map<string, OrganizationRole>();
  for (const role of await readOrganizationRoles())
    for (const key of [role.id, role.name]) if (key !== null) roles.set(key.toLowerCase(), role);
  return (text, listRole) => {
    const key = text?.trim() || listRole;
    const role = roles.get(key.toLowerCase());
    if (!role) return createMessage(rowTexts.unknownOrganizationRole, { role: key });
    if (permissions.permissionsOf(role).some((name) => !organization.permissions.has(name)))
      return createMessage(rowTexts.roleTooHigh, { role: key });
    return { role: 'member', organizationRoleId: role.id };
  };
}

/** Returns the role of a single invitation or of a whole list; throws if it cannot be given. */
export function requireRole(read: ReadRole, role: string): InvitedRole {
  const result = read(undefined, role);
  if (!('code' in result)) return result;
  throw fail(
    result.code === rowTexts.roleTooHigh.code
      ? organizationErrors.roleTooHigh
      : organizationErrors.roleNotFound,
  );
}

/**
 * Throws if the caller could not give the role of an invitation: a caller who copies its link or changes its address chooses who gets the role.
 */
export async function requireGivableRole(
  deps: RoleReaderDeps,
  organization: CallerOrganization | null,
  { organization_role_id: roleId }: { organization_role_id: string | null },
): Promise<void> {
  if (organization) requireRole(await createRoleReader(deps, organization), roleId ?? 'member');
}

/** Throws if invited people could not join. */
export function requireOpenOrganization(organization: CallerOrganization | null): void {
  if (organization?.isSuspended) throw fail(invitationErrors.organizationSuspended);
}

/** Invitations of one organization to one address: revoking and inviting again could flood a mailbox. */
const invitationsToAddressPerHour = 10;

export type CountSending = ReturnType<typeof createCountSending>;

/** Creates a function that throws if the members of an organization have sent too many invitations in the last hour. Addresses are canonical. */
export function createCountSending(deps: DatabaseDeps) {
  const limit = createRateLimit(
    deps,
    perHour('invitations of an organization', organizationInvitationsPerHour),
  );
  const addressLimit = createRateLimit(
    deps,
    perHour('invitations of an organization to an address', invitationsToAddressPerHour),
  );
  return async (
    caller: Caller,
    organization: CallerOrganization | null,
    addresses: readonly string[],
    /** A rollback undoes the count. */
    transaction?: Queryable,
  ): Promise<void> => {
    if (organization === null || caller.isAdmin) return;
    const keys = [...new Set(addresses)].map((address) => `${organization.id} ${address}`);
    assertWithinRateLimit(Math.max(0, ...(await addressLimit.takeEach(keys, transaction))));
    assertWithinRateLimit(
      await limit.take(organization.id, addresses.length, transaction),
      invitationErrors.tooManyOfOrganization,
    );
  };
}

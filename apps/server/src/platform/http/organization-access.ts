/** Checks the permission of a caller within an organization (statements R3 to R6). */
import {
  organizationAccessErrors,
  organizationPermissions,
  type PermissionDefinition,
} from '@vestibule/contract/organizations/permissions';
import type { FastifyRequest } from 'fastify';
import { rowOf, type Database } from '../database/database.ts';
import { fail } from '../errors/failure.ts';
import type { Caller, CallerMembership, CallerOrganization } from './implement.ts';

/** Request header with the id of the active organization, for routes without it in their path. */
const organizationHeader = 'vestibule-organization';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the caller's organization; throws a Failure if the caller does not have the permission in it. */
export type AuthorizeInOrganization = (
  caller: Caller,
  organizationId: string,
  permission: string,
) => Promise<CallerOrganization>;

/** Returns the permissions of a membership. Every role has those of the built-in role `member`. */
type PermissionsOf = (membership: Pick<CallerMembership, 'roleId' | 'rolePermissions'>) => string[];

/** Permissions of the product and of the extensions. */
export function createPermissions(ofExtensions: readonly PermissionDefinition[]) {
  const all = [...Object.values(organizationPermissions), ...ofExtensions];
  const namesOf = (permissions: readonly PermissionDefinition[]) => permissions.map(({ name }) => name);
  const builtIn = new Map([
    ['manager', namesOf(all)],
    ['member', namesOf(all.filter(({ memberHasIt }) => memberHasIt))],
  ]);
  const permissionsOf: PermissionsOf = ({ roleId, rolePermissions }) =>
    builtIn.get(roleId) ??
    namesOf(all.filter(({ name, memberHasIt }) => memberHasIt || rolePermissions.includes(name)));
  return { all, permissionsOf };
}

export type Permissions = ReturnType<typeof createPermissions>;

/** Returns the id in the path, otherwise the id in the header. */
export function organizationIdOf({ params, headers }: FastifyRequest): string {
  const id = (params as Record<string, string | undefined>)['organizationId'] ?? headers[organizationHeader];
  if (id === undefined) throw fail(organizationAccessErrors.notChosen);
  if (typeof id !== 'string' || !uuid.test(id)) throw fail(organizationAccessErrors.notFound);
  return id.toLowerCase();
}

/** Site administrators have all permissions in every organization, also in suspended ones, and are no members. */
export function createAuthorizeInOrganization(
  database: Database,
  { all, permissionsOf }: Permissions,
): AuthorizeInOrganization {
  return async (caller, organizationId, permission) => {
    const membership = caller.memberships?.find((one) => one.organizationId === organizationId);
    if (caller.isAdmin) {
      const found = await rowOf<{ name: string }>(database, {
        name: 'find-organization-name',
        text: 'select name from organizations where id = $1',
        values: [organizationId],
      });
      if (!found) throw fail(organizationAccessErrors.notFound);
      const permissions = new Set(all.map(({ name }) => name));
      return { id: organizationId, name: found.name, permissions, asSiteAdministrator: !membership };
    }
    if (!membership) throw fail(organizationAccessErrors.notFound);
    if (membership.isSuspended) throw fail(organizationAccessErrors.suspended);
    const permissions = new Set(permissionsOf(membership));
    if (!permissions.has(permission)) throw fail(organizationAccessErrors.permissionNeeded);
    return { id: organizationId, name: membership.name, permissions, asSiteAdministrator: false };
  };
}

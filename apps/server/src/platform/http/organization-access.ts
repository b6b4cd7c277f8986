/** Checks the permission of a caller within an organization (statements R3 to R6). */
import {
  organizationAccessErrors,
  organizationPermissions,
  type PermissionDefinition,
} from '@vestibule/contract/organizations/permissions';
import type { FastifyRequest } from 'fastify';
import { rawSql, rowOf, type DatabaseDeps } from '../database/database.ts';
import { fail } from '../errors/failure.ts';
import type { Caller, CallerOrganization } from './implement.ts';
import { isUuid } from '../database/new-id.ts';

/** Request header with the id of the active organization, for routes without it in their path. */
const organizationHeader = 'vestibule-organization';

/** Returns the caller's organization; throws a Failure if the caller does not have the permission in it. Null needs a membership only. */
export type AuthorizeInOrganization = (
  caller: Pick<Caller, 'id' | 'isAdmin' | 'limitedTo' | 'signInMethod'>,
  organizationId: string,
  permission: string | null,
) => Promise<CallerOrganization>;

/** Returns the permissions of a role. Every role has those of the built-in role `member`. */
type PermissionsOf = (role: { id: string; permissions: readonly string[] }) => string[];

/** Permissions of the product and of the extensions. */
export function createPermissions(ofExtensions: readonly PermissionDefinition[]) {
  const all = [...Object.values(organizationPermissions), ...ofExtensions];
  const namesOf = (permissions: readonly PermissionDefinition[]) => permissions.map(({ name }) => name);
  const builtIn = new Map([
    ['manager', namesOf(all)],
    ['member', namesOf(all.filter(({ memberHasIt }) => memberHasIt))],
  ]);
  const permissionsOf: PermissionsOf = ({ id, permissions }) =>
    builtIn.get(id) ??
    namesOf(all.filter(({ name, memberHasIt }) => memberHasIt || permissions.includes(name)));
  return { all, permissionsOf };
}

export type Permissions = ReturnType<typeof createPermissions>;

/** Returns the id in the path, otherwise the id in the header. */
export function organizationIdOf({ params, headers }: FastifyRequest): string {
  const id = (params as Record<string, string | undefined>)['organizationId'] ?? headers[organizationHeader];
  if (id === undefined) throw fail(organizationAccessErrors.notChosen);
  const lowerCase = typeof id === 'string' ? id.toLowerCase() : '';
  if (!isUuid(lowerCase)) throw fail(organizationAccessErrors.notFound);
  return lowerCase;
}

type MembershipRow = {
  name: string;
  is_suspended: boolean;
  /** Sign-in method that the organization requires; null if any is sufficient. */
  required_method: string | null;
  /** Null if the caller is no member. */
  role_id: string | null;
  permissions: string[];
};

/** SQL condition of organizations that are closed to their members; `at` is a parameter. */
export const isSuspendedSql = (at: string) =>
  `(organizations.status = 'suspended' or coalesce(organizations.expires_at <= ${at}, false))`;

/** SQL of the sign-in method without which members cannot open an organization. */
export const requiredMethodSql =
  '(select way from organization_connections where organization_id = organizations.id and is_required)';

/** Throws if the organization requires another sign-in. Its own access tokens were created by a manager who had that. */
function requireSignInMethod(
  { signInMethod, limitedTo }: Pick<Caller, 'limitedTo' | 'signInMethod'>,
  required: string | null,
): void {
  if (required !== null && !limitedTo && signInMethod !== required)
    throw fail(organizationAccessErrors.singleSignOnNeeded);
}

/**
 * Reads the membership for each call. Site administrators have all permissions in every organization, also in suspended ones, and are no
 * members.
 */
export const createAuthorizeInOrganization =
  ({ database, now }: DatabaseDeps, { all, permissionsOf }: Permissions): AuthorizeInOrganization =>
  async (caller, organizationId, permission) => {
    const { limitedTo } = caller;
    if (limitedTo && limitedTo.organizationId !== organizationId)
      throw fail(organizationAccessErrors.notFound);
    const found = await rowOf<MembershipRow>(database, { name: 'find-membership' })`
      select organizations.name, ${rawSql(isSuspendedSql, new Date(now()))} as is_suspended, role_id, permissions,
        ${rawSql(requiredMethodSql)} as required_method
      from organizations left join memberships on organization_id = organizations.id and person_id = ${caller.id}
        left join organization_roles on organization_roles.id = role_id
      where organizations.id = ${organizationId}`;
    if (!found || (found.role_id === null && !caller.isAdmin)) throw fail(organizationAccessErrors.notFound);
    const result = { id: organizationId, name: found.name };
    if (caller.isAdmin)
      return {
        ...result,
        permissions: new Set(all.map(({ name }) => name)),
        asSiteAdministrator: found.role_id === null,
        isSuspended: found.is_suspended,
      };
    if (found.is_suspended) throw fail(organizationAccessErrors.suspended);
    requireSignInMethod(caller, found.required_method);
    const ofRole = new Set(permissionsOf({ id: found.role_id as string, permissions: found.permissions }));
    if (permission !== null && !ofRole.has(permission)) throw fail(organizationAccessErrors.permissionNeeded);
    const permissions = limitedTo
      ? new Set(limitedTo.permissions.filter((name) => ofRole.has(name)))
      : ofRole;
    if (permission !== null && !permissions.has(permission))
      throw fail(organizationAccessErrors.tokenPermissionMissing);
    return { ...result, permissions, asSiteAdministrator: false };
  };

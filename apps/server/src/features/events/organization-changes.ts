/** Changes of extensions' records in organizations: which members are notified of them. */
import type { Area } from '../../platform/area.ts';
import { rowsOf, type DatabaseDeps } from '../../platform/database/database.ts';
import {
  isSuspendedSql,
  requiredMethodSql,
  type Permissions,
} from '../../platform/http/organization-access.ts';

type Change = { organizationId: string; area: string };

/** Role of a person in an organization that is open to its members. */
type RoleRow = {
  personId: string;
  organizationId: string;
  role: { id: string; permissions: string[] };
  /** Sign-in method that the organization requires; null if any is sufficient. */
  requiredMethod: string | null;
};

/** Returns the permission to read each list of an extension, such as `/api/organizations/:organizationId/tickets`, by its area. */
export function listOrganizationAreas(areas: Area[]): Map<string, string> {
  const routes = areas.flatMap((area) =>
    area.extension === undefined ? [] : area.routes.map(({ route }) => route),
  );
  return new Map(
    routes.flatMap(({ method, path, access }) => {
      const area = /^\/api\/organizations\/:\w+\/([\w-]+)$/.exec(path)?.[1];
      return area !== undefined && method === 'GET' && typeof access === 'object'
        ? [[area.replaceAll('-', '_'), access.permission]]
        : [];
    }),
  );
}

/** Returns the current roles of these people in the organizations of the changes. */
const readRoles = (
  { database, now }: DatabaseDeps,
  changes: readonly Change[],
  personIds: readonly string[],
): Promise<RoleRow[]> =>
  rowsOf<RoleRow>(database, {
    name: 'find-organization-listeners',
    text: `select person_id as "personId", organization_id as "organizationId", ${requiredMethodSql} as "requiredMethod",
             jsonb_build_object('id', role_id, 'permissions', permissions) as role
           from memberships join organizations on organizations.id = organization_id
             join organization_roles on organization_roles.id = role_id
           where organization_id = any($1) and person_id = any($2) and not ${isSuspendedSql('$3')}`,
    values: [
      [...new Set(changes.map(({ organizationId }) => organizationId))],
      [...new Set(personIds)],
      new Date(now()),
    ],
  });

/** Returns the areas of the changes whose lists each listener may read. */
export async function findReadableAreas<Listener extends { personId: string; signInMethod: string | null }>(
  deps: DatabaseDeps & { permissions: Permissions },
  permissionByArea: ReadonlyMap<string, string>,
  changes: readonly Change[],
  listeners: readonly Listener[],
): Promise<Map<Listener, string[]>> {
  const listed = changes.filter(({ area }) => permissionByArea.has(area));
  if (listed.length === 0 || listeners.length === 0) return new Map();
  const roles = await readRoles(
    deps,
    listed,
    listeners.map(({ personId }) => personId),
  );
  const readable = ({ organizationId, role }: RoleRow) => {
    const permissions = deps.permissions.permissionsOf(role);
    return listed
      .filter((change) => change.organizationId === organizationId)
      .map(({ area }) => area)
      .filter((area) => permissions.includes(permissionByArea.get(area) as string));
  };
  return new Map(
    listeners.map((listener) => {
      const own = roles.filter(
        ({ personId, requiredMethod }) =>
          personId === listener.personId &&
          (requiredMethod === null || requiredMethod === listener.signInMethod),
      );
      return [listener, [...new Set(own.flatMap(readable))]];
    }),
  );
}

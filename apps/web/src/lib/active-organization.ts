/**
 * The organization of the address (`/layout/organization/…`). It belongs to the tab and to the link, never to the session: two tabs can
 * show two organizations.
 */
import type { OpenOrganization } from '@vestibule/contract/organizations/mine';
import type { RouteDefinition } from '@vestibule/contract/route';
import { addHeaders } from './call.ts';

/** `label` is the translated name of a role. */
export type ActiveOrganization = Omit<OpenOrganization, 'roles'> & {
  roles: readonly { id: string; label: string; mayGive: boolean }[];
};

const opened = new Map<string, ActiveOrganization>();

/** Stores an organization that the screen of its address has loaded. */
export function rememberOrganization(organization: ActiveOrganization): void {
  opened.set(organization.slug, organization);
}

/** Returns null outside of an organization's screens. */
export function activeOrganization(): ActiveOrganization | null {
  const slug = /^\/layout\/organization\/([^/]+)/.exec(globalThis.location?.pathname ?? '')?.[1];
  return (slug && opened.get(slug)) || null;
}

// For routes whose path names no organization.
addHeaders(() => {
  const organization = activeOrganization();
  return organization ? { 'vestibule-organization': organization.organizationId } : {};
});

/** Returns a route with the id of the organization in its path. */
export const routeOf = <R extends RouteDefinition>(
  route: R,
  { organizationId }: { organizationId: string },
): R => ({ ...route, path: route.path.replace(':organizationId', organizationId) });

/** Returns the same route within the active organization, if there is one: requests and answers are the same. */
export function routeHere<R extends RouteDefinition>(route: R): R {
  const organization = activeOrganization();
  if (!organization) return route;
  const path = route.path.replace(/^\/api\//, `/api/organizations/${organization.organizationId}/`);
  return { ...route, path: path as R['path'] };
}

/** Label of a role in the active organization; a deleted role gives what a member has. */
export function organizationRoleLabel(roleId: string | null): string {
  const roles = activeOrganization()?.roles ?? [];
  return (roles.find(({ id }) => id === roleId) ?? roles.find(({ id }) => id === 'member'))?.label ?? '';
}

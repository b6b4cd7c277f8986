/** Routes of the site, limited to one organization. */
import * as z from 'zod/mini';
import type { ErrorDefinition, RouteDefinition } from '../route.ts';
import { Id } from '../values.ts';

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

/** Returns the route of the site within one organization. Does not inherit `requiresRecentAuth`. */
export function inOrganization<const R extends RouteDefinition, Body = BodyOf<R>>(
  route: R,
  permission: { name: string },
  { errors = [], ...changes }: Pick<RouteDefinition, 'body' | 'errors' | 'requiresRecentAuth'> = {},
): InOrganization<R, Body> {
  const { scope: _scope, requiresRecentAuth: _requires, access: _access, ...rest } = route;
  return {
    ...rest,
    path: route.path.replace('/api/', '/api/organizations/:organizationId/'),
    access: { permission: permission.name },
    summary: `In one organization: ${route.summary}`,
    params: z.object({ organizationId: Id, ...route.params?.shape }),
    errors: [...(route.errors ?? []), ...errors],
    ...changes,
  } as unknown as InOrganization<R, Body>;
}

/** Organizations of the caller. Separate from organizations.ts, because the frame of every screen loads it. */
import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { Id, Moment, pathText, Picture } from '../values.ts';
import { organizationAccessErrors } from './permissions.ts';

/** Membership of the caller, with up to 20 active managers of the organization. */
const Membership = z.object({
  organizationId: Id,
  name: z.string(),
  slug: z.string(),
  logo: z.nullable(Picture),
  /** Whether the organization is suspended or has expired. */
  isSuspended: z.boolean(),
  roleId: z.string(),
  roleName: z.nullable(z.string()),
  permissions: z.array(z.string()),
  managers: z.array(z.object({ id: Id, email: z.string(), displayName: z.string() })),
});
export type Membership = z.output<typeof Membership>;

export const listMyOrganizations = defineRoute('GET /api/users/me/organizations', {
  access: 'member',
  summary: "The caller's memberships, with their permissions and the managers of each organization.",
  response: z.object({ rows: z.array(Membership) }),
});

/** Organization as the caller sees it. Site administrators have all permissions, and no role unless they are members. */
const OpenOrganization = z.extend(Membership, {
  roleId: z.nullable(z.string()),
  /** Time from which the organization is treated as suspended. */
  expiresAt: z.nullable(Moment),
  /** Whether its managers may connect an OpenID Provider. */
  singleSignOn: z.boolean(),
  /** Whether the organization requires a sign-in through its provider first. `permissions` is then empty. */
  isSignInNeeded: z.boolean(),
  /** Whether the caller can end this requirement with the recovery code. */
  mayRecover: z.boolean(),
  roles: z.array(z.object({ id: z.string(), name: z.nullable(z.string()), mayGive: z.boolean() })),
});
export type OpenOrganization = z.output<typeof OpenOrganization>;

export const openOrganization = defineRoute('GET /api/users/me/organizations/:slug', {
  access: 'member',
  summary:
    "An organization by its short name: the caller's role and permissions in it, its managers, and the roles that exist.",
  params: z.object({ slug: pathText(100) }),
  response: OpenOrganization,
  errors: [organizationAccessErrors.notFound],
});

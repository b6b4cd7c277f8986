/** Organizations: customers, partners or departments with members and roles. */
import * as z from 'zod/mini';
import { Role } from './rules/role.ts';
import { RoleId, organizationAccessErrors, organizationPermissions } from './organizations/permissions.ts';
import { defineErrors, defineRoute, errorsOf } from './route.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { schemaMessage } from './texts/text.ts';
import {
  exportOf,
  expectedVersion,
  groupColumn,
  groupCounts,
  groupCountsSummary,
  Id,
  lineOfText,
  listQuery,
  Moment,
  page,
  pathText,
} from './values.ts';

export const seatLimitMaximum = 1_000_000;
export const rolesMaximum = 50;

export const organizationErrors = defineErrors(
  'organization',
  {
    403: {
      roleTooHigh: 'You can only give and take roles whose permissions you have yourself.',
      siteAdministrator:
        'This person is an administrator of this site. Only another administrator of the site can change the membership.',
    },
    404: {
      memberNotFound: 'This person is not a member of the organization.',
      roleNotFound: 'This role does not exist.',
      personNotFound: 'This person does not exist or was removed.',
    },
    400: { builtInRole: 'The roles manager and member cannot be changed or deleted.' },
    409: {
      slugTaken: 'Another organization has this short name. Choose another one.',
      changed: 'This organization was changed in the meantime. Review the change, then try again.',
      alreadyMember: 'This person is already a member of the organization.',
      full: 'All seats of this organization are taken. Ask one of its managers to free one, or the administrators of this site for more.',
      lastManager: 'This is the last active manager of the organization. Make someone else a manager first.',
      roleTaken: 'Another role has this name. Choose another one.',
      roleInUse:
        'Some members or open invitations have this role. Give members another role, and revoke the invitations.',
      tooManyRoles: `A site has at most ${rolesMaximum} roles for organizations. Delete one first.`,
    },
  },
  { slugTaken: 'slug', roleTaken: 'name' },
);

/** Short name in addresses. */
const Slug = z
  .string()
  .check(z.trim(), z.regex(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/, schemaMessage(fieldTexts.slugInvalid)));

export const OrganizationStatus = z.enum(['active', 'suspended'], 'A status is active or suspended.');
export type OrganizationStatus = z.output<typeof OrganizationStatus>;

export const Organization = z.object({
  id: Id,
  name: z.string(),
  slug: z.string(),
  status: OrganizationStatus,
  /** Maximum number of members; null if there is none. */
  seatLimit: z.nullable(z.number()),
  /** Time from which the organization is treated as suspended. */
  expiresAt: z.nullable(Moment),
  /** Whether its managers may connect an OpenID Provider. */
  singleSignOn: z.boolean(),
  memberCount: z.number(),
  createdAt: Moment,
  createdBy: z.nullable(z.string()),
  /** Incremented with each change. */
  version: z.number(),
});
export type Organization = z.output<typeof Organization>;

const seatLimitText = schemaMessage(fieldTexts.wholeNumber, { minimum: 1, maximum: seatLimitMaximum });
const fields = {
  name: lineOfText(100).check(z.minLength(1, schemaMessage(fieldTexts.nameMissing))),
  slug: Slug,
  seatLimit: z.nullable(
    z
      .number(seatLimitText)
      .check(z.int(seatLimitText), z.minimum(1, seatLimitText), z.maximum(seatLimitMaximum, seatLimitText)),
  ),
  expiresAt: z.nullable(Moment),
};

export const NewOrganization = z.strictObject({
  name: fields.name,
  slug: fields.slug,
  seatLimit: z._default(fields.seatLimit, null),
  expiresAt: z._default(fields.expiresAt, null),
});

const organizationColumns = [
  'name',
  'slug',
  'status',
  'memberCount',
  'seatLimit',
  'expiresAt',
  'createdAt',
  'createdBy',
] as const;
export type OrganizationColumn = (typeof organizationColumns)[number];

const organizationGroups = ['active', 'suspended', 'expired', 'withoutManager'] as const;
export type OrganizationGroup = (typeof organizationGroups)[number];

const organizationFilters = [...organizationColumns, groupColumn] as const;

export const listOrganizations = defineRoute('GET /api/organizations', {
  access: 'admin',
  summary: 'Organizations, paged, sorted, searched and filtered.',
  query: listQuery(organizationColumns, organizationFilters),
  response: page(Organization),
});

export const countOrganizations = defineRoute('GET /api/organizations/counts', {
  access: 'admin',
  summary: `How many organizations there are in total and in each group the list can be filtered by; ${groupCountsSummary}`,
  response: groupCounts(organizationGroups),
});

export const exportOrganizations = defineRoute('POST /api/organizations/export', {
  access: 'admin',
  summary: 'All matching organizations, as CSV or as a workbook.',
  ...exportOf(organizationColumns, organizationColumns, organizationFilters),
});

export const createOrganization = defineRoute('POST /api/organizations', {
  access: 'admin',
  summary: 'Creates an organization without members.',
  body: NewOrganization,
  response: Organization,
  errors: [organizationErrors.slugTaken],
});

const organizationParams = z.object({ organizationId: Id });

export const getOrganization = defineRoute('GET /api/organizations/:organizationId', {
  access: { permission: organizationPermissions.read.name },
  summary: 'One organization.',
  params: organizationParams,
  response: Organization,
});

export const changeOrganization = defineRoute('PATCH /api/organizations/:organizationId', {
  access: 'admin',
  summary: 'Renames, suspends or limits an organization. Absent fields are not changed.',
  params: organizationParams,
  query: expectedVersion,
  body: z.strictObject({
    name: z.optional(fields.name),
    slug: z.optional(fields.slug),
    status: z.optional(OrganizationStatus),
    seatLimit: z.optional(fields.seatLimit),
    expiresAt: z.optional(fields.expiresAt),
    singleSignOn: z.optional(z.boolean()),
  }),
  response: Organization,
  errors: [organizationAccessErrors.notFound, organizationErrors.slugTaken, organizationErrors.changed],
});

export const deleteOrganization = defineRoute('DELETE /api/organizations/:organizationId', {
  access: 'admin',
  requiresRecentAuth: true,
  summary:
    'Deletes an organization and its memberships, and revokes its open invitations. The people remain on the site.',
  params: organizationParams,
  query: expectedVersion,
  response: z.object({ id: Id }),
  errors: [organizationAccessErrors.notFound, organizationErrors.changed],
});

export const OrganizationRole = z.object({
  id: z.string(),
  /** Absent for built-in roles, whose names clients translate. */
  name: z.nullable(z.string()),
  permissions: z.array(z.string()),
});
export type OrganizationRole = z.output<typeof OrganizationRole>;

/** Member of an organization. `id` is the id of the person. */
export const Member = z.object({
  id: Id,
  email: z.string(),
  displayName: z.string(),
  siteRole: Role,
  status: z.enum(['active', 'disabled']),
  roleId: z.string(),
  /** Null for built-in roles. */
  roleName: z.nullable(z.string()),
  joinedAt: Moment,
  addedBy: z.nullable(z.string()),
  lastSeenAt: z.nullable(Moment),
});
export type Member = z.output<typeof Member>;

const memberColumns = [
  'email',
  'displayName',
  'roleId',
  'status',
  'joinedAt',
  'addedBy',
  'lastSeenAt',
] as const;
export type MemberColumn = (typeof memberColumns)[number];
const memberFilters = memberColumns;

export const listMembers = defineRoute('GET /api/organizations/:organizationId/members', {
  access: { permission: organizationPermissions.readMembers.name },
  summary: 'Members of an organization, paged, sorted, searched and filtered.',
  params: organizationParams,
  query: listQuery(memberColumns, memberFilters),
  response: page(Member),
});

export const exportMembers = defineRoute('POST /api/organizations/:organizationId/members/export', {
  access: { permission: organizationPermissions.readMembers.name },
  summary: 'All matching members of an organization, as CSV or as a workbook.',
  params: organizationParams,
  ...exportOf(memberColumns, memberColumns, memberFilters),
});

export const addMember = defineRoute('POST /api/organizations/:organizationId/members', {
  access: 'admin',
  summary: 'Makes a person of this site a member of an organization.',
  params: organizationParams,
  body: z.strictObject({ personId: Id, roleId: z._default(RoleId, 'member') }),
  response: Member,
  errors: [
    organizationAccessErrors.notFound,
    ...errorsOf(organizationErrors, 'personNotFound', 'roleNotFound', 'alreadyMember', 'full'),
  ],
});

const memberParams = z.object({ organizationId: Id, personId: Id });

export const changeMember = defineRoute('PATCH /api/organizations/:organizationId/members/:personId', {
  access: { permission: organizationPermissions.writeMembers.name },
  summary: 'Gives a member another role.',
  params: memberParams,
  body: z.strictObject({ roleId: RoleId }),
  response: Member,
  errors: errorsOf(
    organizationErrors,
    'memberNotFound',
    'roleNotFound',
    'roleTooHigh',
    'siteAdministrator',
    'lastManager',
  ),
});

export const removeMember = defineRoute('DELETE /api/organizations/:organizationId/members/:personId', {
  access: { permission: organizationPermissions.writeMembers.name },
  summary: 'Ends a membership. The person and their other memberships remain.',
  params: memberParams,
  response: z.object({ id: Id, email: z.string() }),
  errors: errorsOf(organizationErrors, 'memberNotFound', 'roleTooHigh', 'siteAdministrator', 'lastManager'),
});

export const leaveOrganization = defineRoute('DELETE /api/users/me/organizations/:slug', {
  access: 'member',
  summary: "Ends the caller's membership. Their account and other memberships remain.",
  params: z.object({ slug: pathText(100) }),
  response: z.object({ id: Id, email: z.string() }),
  errors: [organizationAccessErrors.notFound, organizationErrors.lastManager],
});

export const listOrganizationRoles = defineRoute('GET /api/organizations/:organizationId/roles', {
  access: { permission: organizationPermissions.readMembers.name },
  summary: 'Roles that members of an organization can have, and whether the caller may give them.',
  params: organizationParams,
  response: z.object({ rows: z.array(z.extend(OrganizationRole, { mayGive: z.boolean() })) }),
});

export const listRoles = defineRoute('GET /api/organization-roles', {
  access: 'admin',
  summary: 'Roles of all organizations, and the permissions that exist.',
  response: z.object({
    rows: z.array(z.extend(OrganizationRole, { members: z.number() })),
    permissions: z.array(z.object({ name: z.string(), label: z.string() })),
  }),
});

const roleFields = {
  name: lineOfText(60).check(z.minLength(1, 'Enter a name.')),
  permissions: z
    .array(z.string().check(z.maxLength(100)), 'Permissions are a list of names.')
    .check(z.maxLength(200, 'Choose each permission once.')),
};
const roleParams = z.object({ roleId: RoleId });

export const createRole = defineRoute('POST /api/organization-roles', {
  access: 'admin',
  summary: 'Creates a role that members of organizations can have.',
  body: z.strictObject(roleFields),
  response: OrganizationRole,
  errors: [organizationErrors.roleTaken, organizationErrors.tooManyRoles],
});

export const replaceRole = defineRoute('PUT /api/organization-roles/:roleId', {
  access: 'admin',
  summary: 'Changes the name and the permissions of a role, for all members who have it.',
  params: roleParams,
  body: z.strictObject(roleFields),
  response: OrganizationRole,
  errors: [organizationErrors.roleNotFound, organizationErrors.builtInRole, organizationErrors.roleTaken],
});

export const deleteRole = defineRoute('DELETE /api/organization-roles/:roleId', {
  access: 'admin',
  summary: 'Deletes a role that no member and no open invitation has.',
  params: roleParams,
  response: z.object({ id: z.string() }),
  errors: [organizationErrors.roleNotFound, organizationErrors.builtInRole, organizationErrors.roleInUse],
});

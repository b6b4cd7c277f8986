/** Reads and writes organizations and their roles. Permissions are checked before (platform/http/organization-access.ts). */
import type { RouteBody } from '@vestibule/contract/route';
import {
  Organization,
  organizationErrors,
  type OrganizationColumn,
  type OrganizationGroup,
  type OrganizationRole,
  type OrganizationStatus,
  type changeOrganization,
} from '@vestibule/contract/organizations';
import { execute, rawSql, rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';
import {
  boolean,
  defineTable,
  integer,
  text,
  timestamptz,
  uuid,
} from '../../platform/database/define-table.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import { onUniqueViolation } from '../../platform/errors/failure.ts';
import type { ExportedColumn, ListSource } from '../../platform/lists/list-source.ts';
import { activeManagersSql } from './membership-store.ts';

const organizationTable = defineTable('organizations', {
  inserted: {
    id: uuid(),
    name: text(),
    slug: text(),
    seatLimit: integer<number | null>(),
    expiresAt: timestamptz<Date | null>(),
    createdAt: timestamptz(),
    createdBy: text<string | null>(),
  },
  unread: {},
  defaulted: {
    status: text<OrganizationStatus>(),
    singleSignOn: boolean(),
    memberCount: integer(),
    version: integer(),
  },
  otherColumns: [],
});

export type OrganizationRow = typeof organizationTable.types.row;
type NewOrganization = typeof organizationTable.types.newRow;

export const toOrganization: (row: OrganizationRow) => Organization = toContract(Organization);

const isExpired = 'expires_at <= $now';

export const organizationList: ListSource<OrganizationColumn, ExportedColumn, OrganizationGroup> = {
  table: 'organizations',
  columns: {
    name: { kind: 'text', searched: true, folded: true, label: 'Name' },
    slug: { kind: 'text', searched: true, label: 'Short name' },
    status: { kind: 'set', label: 'Status', words: { active: 'Active', suspended: 'Suspended' } },
    memberCount: { kind: 'number', label: 'Members' },
    seatLimit: { kind: 'number', label: 'Seats' },
    expiresAt: { kind: 'date', label: 'Expires' },
    createdAt: { kind: 'date', label: 'Created' },
    createdBy: { kind: 'text', label: 'Created by' },
  },
  groups: {
    active: `status = 'active' and coalesce(expires_at > $now, true)`,
    suspended: `status = 'suspended'`,
    expired: isExpired,
    withoutManager: `id not in (select organization_id ${activeManagersSql})`,
  },
  newestFirst: 'created_at',
};

/** Returns those of the short names that are taken. */
export async function findTakenSlugs(database: Queryable, slugs: string[]): Promise<Set<string>> {
  const rows = await rowsOf<{ slug: string }>(database)`
    select slug from organizations where slug = any(${slugs})`;
  return new Set(rows.map(({ slug }) => slug));
}

const refuseTakenSlug = onUniqueViolation('organizations_slug', organizationErrors.slugTaken);

export const insertOrganizations = (transaction: Queryable, organizations: NewOrganization[]) =>
  rowsOf<OrganizationRow>(transaction, {
    name: 'insert-organizations',
    text: `${organizationTable.insert} returning ${organizationTable.columns}`,
    values: [organizationTable.parameter(organizations)],
  }).catch(refuseTakenSlug);

export const findOrganization = (database: Queryable, id: string) =>
  rowOf<OrganizationRow>(database, { name: 'find-organization' })`
    select ${rawSql(organizationTable.columns)} from organizations where id = ${id}`;

/** Locks an organization and its memberships against other changes until the transaction ends. */
export const lockOrganization = (transaction: Queryable, id: string) =>
  rowOf<OrganizationRow>(transaction, { name: 'lock-organization' })`
    select ${rawSql(organizationTable.columns)} from organizations where id = ${id} for update`;

export async function updateOrganization(
  transaction: Queryable,
  id: string,
  change: RouteBody<typeof changeOrganization>,
): Promise<OrganizationRow> {
  const [row] = await rowsOf<OrganizationRow>(transaction, { name: 'update-organization' })`
    update organizations set version = version + 1, name = coalesce(${change.name}, name),
      slug = coalesce(${change.slug}, slug),
      status = coalesce(${change.status}, status),
        seat_limit = case when ${change.seatLimit !== undefined} then ${change.seatLimit} else seat_limit end,
      expires_at = case when ${change.expiresAt !== undefined} then ${change.expiresAt} else expires_at end,
        single_sign_on = coalesce(${change.singleSignOn}, single_sign_on)
    where id = ${id} returning ${rawSql(organizationTable.columns)}`.catch(refuseTakenSlug);
  if (change.singleSignOn === false) await deactivateConnection(transaction, id);
  return row as OrganizationRow;
}

/** Ends single sign-on of an organization, and the sessions that it started. The connection itself is kept. */
async function deactivateConnection(transaction: Queryable, organizationId: string): Promise<void> {
  await execute(transaction)`
    with deactivated as (
      update organization_connections set is_active = false, is_required = false, recovery_code_hash = null
      where organization_id = ${organizationId} and is_active returning way)
    delete from sessions using deactivated where sessions.way = deactivated.way and sessions.way like 'org-%'`;
}

const roleColumns = 'id, name, permissions';

export const readRoles = (database: Queryable) =>
  rowsOf<OrganizationRole>(database, { name: 'read-organization-roles' })`
    select ${rawSql(roleColumns)} from organization_roles order by name is not null, created_at, id`;

/** Counts the members of custom roles only: built-in roles cannot be deleted. */
export const readRolesWithMembers = (database: Queryable) =>
  rowsOf<OrganizationRole & { members: number }>(database)`
    select ${rawSql(roleColumns)}, (select count(*)::integer from memberships
      where role_id = organization_roles.id) as members
    from organization_roles order by name is not null, created_at, id`;

export const findRole = (database: Queryable, id: string) =>
  rowOf<OrganizationRole>(database, {
    name: 'find-organization-role',
    // Prevents the deletion of the role until the transaction ends.
    text: `select ${roleColumns} from organization_roles where id = $1 for key share`,
    values: [id],
  });

/** Members of an organization: lists, and changes that keep a manager. */
import {
  addMember,
  changeMember,
  exportMembers,
  leaveOrganization,
  listMembers,
  Member,
  organizationErrors,
  type OrganizationRole,
  removeMember,
  type MemberColumn,
} from '@vestibule/contract/organizations';
import {
  listMyOrganizations,
  type Membership,
  openOrganization,
} from '@vestibule/contract/organizations/mine';
import {
  organizationAccessErrors,
  organizationPermissions,
} from '@vestibule/contract/organizations/permissions';
import { personAudit } from '../../platform/audit/audit-log.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail, required } from '../../platform/errors/failure.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import {
  implement,
  type Actor,
  type CallerOrganization,
  type Implementation,
} from '../../platform/http/implement.ts';
import {
  isSuspendedSql,
  requiredMethodSql,
  type Permissions,
} from '../../platform/http/organization-access.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import { foldedText, type ExportedColumn, type ListSource } from '../../platform/lists/list-source.ts';
import { organizationLogoSql } from '../invitations/organization-logos.ts';
import {
  deleteMembership,
  findMember,
  insertMembership,
  memberRows,
  type MemberRow,
  requireOtherManager,
} from './membership-store.ts';
import { findRole, lockOrganization, readRoles } from './organization-store.ts';
import { keepFromRejoining } from './request-store.ts';

const memberList: ListSource<MemberColumn, ExportedColumn> = {
  table: 'members',
  rows: memberRows,
  organization: 'organization_id',
  organizationOrders: ['joined_at', foldedText('display_name'), foldedText('email')],
  siteOrders: {
    table: 'people',
    columns: ['status', 'last_seen_at'],
    condition:
      'exists (select from memberships where organization_id = $organization and person_id = ordered.id)',
  },
  columns: {
    displayName: { kind: 'text', searched: true, folded: true, label: 'Name' },
    email: { kind: 'text', searched: true, folded: true, label: 'E-mail' },
    roleId: { kind: 'set', label: 'Role', words: { manager: 'Manager', member: 'Member' } },
    status: { kind: 'set', label: 'Status', words: { active: 'Active', disabled: 'Disabled' } },
    joinedAt: { kind: 'date', label: 'Member since' },
    addedBy: { kind: 'text', label: 'Added by' },
    lastSeenAt: { kind: 'date', label: 'Last seen' },
  },
  newestFirst: 'joined_at',
};

type Deps = CoreDeps & { exportList: ExportList; permissions: Permissions };

export const memberRoutes = (deps: Deps): Implementation[] => [
  ...readingRoutes(deps),
  ...changingRoutes(deps),
];

function readingRoutes({ database, exportList, permissions, now }: Deps): Implementation[] {
  const list = createListReader<MemberRow, typeof memberList>(database, memberList, now);

  return [
    implement(listMembers, async ({ organization, query }) => {
      const { rows, total } = await list.in({ organizationId: organization.id }).page(query);
      return { rows: rows.map(toMember), total };
    }),

    implement(exportMembers, (call) =>
      exportList(
        { name: 'members', title: 'Members', list: list.in({ organizationId: call.organization.id }) },
        call,
      ),
    ),

    implement(listMyOrganizations, async ({ caller }) => {
      const memberships = await readMemberships(database, caller.id, new Date(now()));
      return {
        rows: memberships.map(({ permissions: ofRole, ...membership }) => ({
          ...membership,
          permissions: permissions.permissionsOf({ id: membership.roleId, permissions: ofRole }),
        })),
      };
    }),

    implement(openOrganization, async ({ params: { slug }, caller }) => {
      const [found, roles] = await Promise.all([
        readOrganizationOf(database, caller.id, slug, new Date(now())),
        readRoles(database),
      ]);
      if (!found || (found.roleId === null && !caller.isAdmin)) throw fail(organizationAccessErrors.notFound);
      const { requiredMethod, expiresAt, ...membership } = found;
      const isSignInNeeded =
        !caller.isAdmin && requiredMethod !== null && requiredMethod !== caller.signInMethod;
      const own = caller.isAdmin
        ? permissions.all.map(({ name }) => name)
        : permissions.permissionsOf({ id: found.roleId as string, permissions: found.permissions });
      const mayGive = (role: OrganizationRole) =>
        permissions.permissionsOf(role).every((name) => own.includes(name));
      return {
        ...membership,
        expiresAt: expiresAt && expiresAt.toISOString(),
        permissions: isSignInNeeded ? [] : own,
        isSignInNeeded,
        mayRecover: isSignInNeeded && own.includes(organizationPermissions.writeConnection.name),
        roles: roles.map((role) => ({ id: role.id, name: role.name, mayGive: mayGive(role) })),
      };
    }),
  ];
}

function changingRoutes({ database, permissions, now, newId }: Deps): Implementation[] {
  /** Locks a member, and throws if the caller may not change the membership. */
  async function lockMember(
    transaction: Queryable,
    {
      params: { personId },
      organization,
      caller,
    }: Actor & { params: { personId: string }; organization: CallerOrganization },
  ): Promise<MemberRow> {
    const locked = await lockOrganization(transaction, organization.id);
    const member = await findMember(transaction, organization.id, personId);
    if (!locked || !member) throw fail(organizationErrors.memberNotFound);
    if (member.site_role === 'admin' && !caller.isAdmin) throw fail(organizationErrors.siteAdministrator);
    const role = await findRole(transaction, member.role_id);
    if (role) requireGivable(permissions, organization, role);
    return member;
  }

  async function endMembership(
    transaction: Queryable,
    member: MemberRow,
    actor: Actor & { organization: Pick<CallerOrganization, 'id' | 'name' | 'asSiteAdministrator'> },
  ): Promise<{ id: string; email: string }> {
    const { id, email } = member;
    const { organization } = actor;
    await requireOtherManager(transaction, organization.id, member);
    await deleteMembership(transaction, organization.id, id);
    await keepFromRejoining(transaction, organization.id, id, { id: newId(), at: new Date(now()) });
    await personAudit.record(transaction, member, 'member.removed', actor);
    return { id, email };
  }

  return [
    implement(addMember, ({ params: { organizationId }, body: { personId, roleId }, ...actor }) =>
      database.transaction(async (transaction) => {
        const organization = await lockOrganization(transaction, organizationId);
        if (!organization) throw fail(organizationAccessErrors.notFound);
        if (!(await findRole(transaction, roleId))) throw fail(organizationErrors.roleNotFound);
        await insertMembership(transaction, {
          organizationId,
          personId,
          roleId,
          at: new Date(now()),
          addedBy: actor.caller.email,
        });
        const member = await findMember(transaction, organizationId, personId);
        if (!member) throw fail(organizationErrors.personNotFound);
        await personAudit.record(
          transaction,
          member,
          'member.added',
          { ...actor, organization: { ...organization, asSiteAdministrator: true } },
          { role: roleId },
        );
        return toMember(member);
      }),
    ),

    implement(changeMember, ({ body: { roleId }, ...call }) =>
      database.transaction(async (transaction) => {
        const before = await lockMember(transaction, call);
        const role = required(await findRole(transaction, roleId), organizationErrors.roleNotFound);
        requireGivable(permissions, call.organization, role);
        if (before.role_id === roleId) return toMember(before);
        await requireOtherManager(transaction, call.organization.id, before);
        await execute(transaction)`
          update memberships set role_id = ${roleId} where organization_id = ${call.organization.id}
            and person_id = ${before.id}`;
        await personAudit.record(transaction, before, 'member.role_changed', call, {
          before: { role: before.role_name ?? before.role_id },
          after: { role: role.name ?? role.id },
        });
        return toMember({ ...before, role_id: roleId, role_name: role.name });
      }),
    ),

    implement(removeMember, (call) =>
      database.transaction(async (transaction) => {
        const member = await lockMember(transaction, call);
        return endMembership(transaction, member, call);
      }),
    ),

    implement(leaveOrganization, ({ params: { slug }, ...actor }) =>
      database.transaction(async (transaction) => {
        const { id } = actor.caller;
        const opened = await readOrganizationOf(transaction, id, slug, new Date(now()));
        const locked = opened && (await lockOrganization(transaction, opened.organizationId));
        const member = locked && (await findMember(transaction, locked.id, id));
        if (!member) throw fail(organizationAccessErrors.notFound);
        const organization = { ...locked, asSiteAdministrator: false };
        return endMembership(transaction, member, { ...actor, organization });
      }),
    ),
  ];
}

/** Throws if the role has a permission that the caller does not have. */
export function requireGivable(
  { permissionsOf }: Permissions,
  organization: CallerOrganization,
  role: { id: string; permissions: string[] },
): void {
  if (permissionsOf(role).some((name) => !organization.permissions.has(name)))
    throw fail(organizationErrors.roleTooHigh);
}

const managersShown = 20;

const membershipColumns = (
  at: string,
) => `organizations.id as "organizationId", organizations.name, slug, ${organizationLogoSql} as logo, ${isSuspendedSql(at)} as "isSuspended",
  role_id as "roleId", role.name as "roleName", coalesce(permissions, '{}') as permissions,
  coalesce((select jsonb_agg(manager) from (
    select people.id, email, display_name as "displayName" from memberships managed join people on people.id = managed.person_id
    where managed.organization_id = organizations.id and managed.role_id = 'manager' and people.status = 'active'
    order by display_name_folded collate alphabetical, people.id limit ${managersShown}) manager), '[]') as managers`;

/** Returns the memberships of a person, with up to 20 active managers of each organization. */
const readMemberships = (database: Queryable, personId: string, at: Date) =>
  rowsOf<Membership>(database, { name: 'read-memberships' })`
    select ${rawSql(membershipColumns, at)}
    from memberships join organizations on organizations.id = organization_id join organization_roles role on role.id = role_id
    where person_id = ${personId} order by organizations.name_folded collate alphabetical, slug`;

type OpenedRow = Omit<Membership, 'roleId'> & {
  roleId: string | null;
  expiresAt: Date | null;
  singleSignOn: boolean;
  requiredMethod: string | null;
};

/** Returns an organization with the membership of a person; `roleId` is null without one. */
const readOrganizationOf = (database: Queryable, personId: string, slug: string, at: Date) =>
  rowOf<OpenedRow>(database, { name: 'read-organization-of' })`
    select ${rawSql(membershipColumns, at)}, expires_at as "expiresAt", single_sign_on as "singleSignOn",
      ${rawSql(requiredMethodSql)} as "requiredMethod"
    from organizations left join memberships on organization_id = organizations.id and person_id = ${personId}
      left join organization_roles role on role.id = role_id
    where slug = ${slug}`;

const toMember: (row: MemberRow) => Member = toContract(Member);

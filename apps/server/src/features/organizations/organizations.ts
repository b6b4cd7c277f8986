/** Organizations and the roles of their members. Changes of members are in members.ts. */
import {
  changeOrganization,
  countOrganizations,
  createOrganization,
  createRole,
  deleteOrganization,
  deleteRole,
  exportOrganizations,
  getOrganization,
  listOrganizationRoles,
  listOrganizations,
  listRoles,
  organizationErrors,
  replaceRole,
  rolesMaximum,
} from '@vestibule/contract/organizations';
import {
  createOrganizations,
  organizationRowTexts,
  readOrganizationRow,
  type OrganizationRow as OrganizationListRow,
  type RowProblem,
} from '@vestibule/contract/organizations/batch';
import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import { builtInRoles, organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import type { Area } from '../../platform/area.ts';
import { auditOf, organizationAudit, recordEach } from '../../platform/audit/audit-log.ts';
import {
  execute,
  onlyRowOf,
  retryOnDeadlock,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail, onUniqueViolation, required } from '../../platform/errors/failure.ts';
import type { Hooks } from '../../platform/extensions/hooks.ts';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FindTxtRecords } from '../../platform/dns/txt-records.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement, type Actor, type Implementation } from '../../platform/http/implement.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { every } from '../../platform/timers.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import { hourMs } from '../../platform/time-units.ts';
import { revokeAndRecord } from '../invitations/lifecycle/lifecycle.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { domainMails } from './domain-mail.ts';
import { checkDomains } from './check-domains.ts';
import { domainRoutes } from './domains.ts';
import { expiryMails, queueExpiryMails } from './expiry-mails.ts';
import { joiningRoutes } from './joining.ts';
import { logoRoutes, serveOrganizationLogos } from './logo.ts';
import { memberRoutes } from './members.ts';
import {
  findOrganization,
  findRole,
  findTakenSlugs,
  insertOrganizations,
  lockOrganization,
  organizationList,
  readRoles,
  readRolesWithMembers,
  toOrganization,
  updateOrganization,
  type OrganizationRow,
} from './organization-store.ts';
import { requestMails } from './request-mails.ts';
import { deleteOldRequests } from './request-store.ts';

type NewOrganizationBody = RouteBody<typeof createOrganization>;
type Deps = CoreDeps & {
  exportList: ExportList;
  permissions: Permissions;
  findTxtRecords: FindTxtRecords;
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
  hooks: Hooks;
  publicUrl: string;
};

const checkDomainsEveryMs = 10 * 60_000;
const deleteRequestsEveryMs = 6 * hourMs;

export const organizations = (deps: Deps): Area => ({
  routes: [
    ...organizationRoutes(deps),
    ...memberRoutes(deps),
    ...roleRoutes(deps),
    ...domainRoutes(deps),
    ...joiningRoutes(deps),
    ...logoRoutes(deps),
  ],
  plugin: (app) => serveOrganizationLogos(app, deps.database),
  mails: { ...domainMails(deps), ...requestMails(deps), ...expiryMails(deps) },
  timers: [
    every(deleteRequestsEveryMs, 'deleting old requests to join', () =>
      deleteOldRequests(deps.database, new Date(deps.now())),
    ),
    every(checkDomainsEveryMs, 'checking the domains of organizations', (stopped) =>
      checkDomains(deps, stopped),
    ),
    every(hourMs, 'mails before organizations expire', () => queueExpiryMails(deps)),
  ],
});

function organizationRoutes(deps: Deps): Implementation[] {
  const { database, exportList, hooks, now, newId } = deps;
  const list = createListReader<OrganizationRow, typeof organizationList>(database, organizationList, now).in(
    'site',
  );

  function insert(added: NewOrganizationBody[], actor: Actor): Promise<OrganizationRow[]> {
    const [createdAt, createdBy] = [new Date(now()), actor.caller.email];
    return database.transaction(async (transaction) => {
      const created = await insertOrganizations(
        transaction,
        added.map(({ expiresAt, ...fields }) => ({
          ...fields,
          id: newId(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt),
          createdAt,
          createdBy,
        })),
      );
      await recordEach(transaction, created, (row) =>
        organizationAudit.entry(row, 'organization.created', inOrganization(row, actor), loggedFields(row)),
      );
      await hooks.call(
        'organizationCreated',
        transaction,
        created.map(({ id: organizationId }) => ({ organizationId })),
      );
      return created;
    });
  }

  return [
    implement(listOrganizations, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { rows: rows.map(toOrganization), total };
    }),

    implement(countOrganizations, () => list.countGroups()),

    implement(exportOrganizations, (call) =>
      exportList({ name: 'organizations', title: 'Organizations', list }, call),
    ),

    implement(createOrganization, async ({ body, ...actor }) => {
      const [created] = await insert([body], actor);
      return toOrganization(created as OrganizationRow);
    }),

    implement(createOrganizations, async ({ body: { rows, dryRun }, ...actor }) => {
      const { organizations: read, problems } = await readRows(database, rows);
      if (problems.length > 0 || dryRun) return { created: 0, problems };
      return { created: (await insert(read, actor)).length, problems };
    }),

    implement(getOrganization, async ({ organization }) => {
      const found = await findOrganization(database, organization.id);
      if (!found) throw fail(organizationAccessErrors.notFound);
      return toOrganization(found);
    }),

    implement(changeOrganization, ({ params: { organizationId }, query: { version }, body, ...actor }) =>
      database.transaction(async (transaction) => {
        const before = await lockOrganization(transaction, organizationId);
        if (!before) throw fail(organizationAccessErrors.notFound);
        if (version !== undefined && version !== before.version) throw fail(organizationErrors.changed);
        const after = await updateOrganization(transaction, organizationId, body);
        const detail = { before: loggedFields(before), after: loggedFields(after) };
        const context = inOrganization(after, actor);
        await organizationAudit.record(transaction, after, 'organization.changed', context, detail);
        return toOrganization(after);
      }),
    ),

    implement(deleteOrganization, ({ params: { organizationId }, query: { version }, ...actor }) =>
      retryOnDeadlock(database, async (transaction) => {
        const organization = await lockOrganization(transaction, organizationId);
        if (!organization) throw fail(organizationAccessErrors.notFound);
        if (version !== undefined && version !== organization.version) throw fail(organizationErrors.changed);
        const revoked = await revokeAndRecord(
          deps,
          transaction,
          { organizationId },
          { ...actor, organization: null },
        );
        await hooks.call('organizationDeleted', transaction, [{ organizationId }]);
        await execute(transaction)`delete from organizations where id = ${organizationId}`;
        const { slug, member_count: members } = organization;
        const detail = { slug, members, revokedInvitations: revoked.length };
        const context = inOrganization(organization, actor);
        await organizationAudit.record(transaction, organization, 'organization.deleted', context, detail);
        return { id: organizationId };
      }),
    ),
  ];
}

/** Reads the rows of a list, and reports unreadable values and short names that are repeated or taken. */
async function readRows(database: Queryable, rows: OrganizationListRow[]) {
  const problems: ({ row: number } & RowProblem)[] = [];
  const read: NewOrganizationBody[] = [];
  const rowOfSlug = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const result = readOrganizationRow(row);
    const position = index + 1;
    if (Array.isArray(result)) {
      problems.push(...result.map((problem) => ({ row: position, ...problem })));
      continue;
    }
    const { slug } = result;
    const earlier = rowOfSlug.get(slug);
    if (earlier === undefined) rowOfSlug.set(slug, position);
    else
      problems.push({
        row: position,
        field: 'slug',
        problem: createMessage(organizationRowTexts.slugRepeated, { row: earlier, slug }),
      });
    read.push(result);
  }
  for (const slug of await findTakenSlugs(database, [...rowOfSlug.keys()]))
    problems.push({
      row: rowOfSlug.get(slug) as number,
      field: 'slug',
      problem: createMessage(organizationRowTexts.slugTaken, { slug }),
    });
  return { organizations: read, problems: problems.toSorted((one, other) => one.row - other.row) };
}

function roleRoutes({ database, permissions, now, newId }: Deps): Implementation[] {
  const names = new Set(permissions.all.map(({ name }) => name));
  const refuseTakenName = onUniqueViolation('organization_roles_name', organizationErrors.roleTaken);

  function requireKnown(permissionNames: string[]): void {
    const unknown = permissionNames.find((name) => !names.has(name));
    if (unknown !== undefined)
      throw fail(requestErrors.invalid, { fields: { permissions: `There is no permission ${unknown}.` } });
  }

  /** Access lists of applications and lists of invitations name roles, so a custom role must not have the name of a built-in one. */
  function requireOwnName(name: string): void {
    if (isBuiltIn(name.toLowerCase())) throw fail(organizationErrors.roleTaken);
  }

  return [
    implement(listOrganizationRoles, async ({ organization }) => ({
      rows: (await readRoles(database)).map((role) => {
        const own = permissions.permissionsOf(role);
        return {
          ...role,
          permissions: own,
          mayGive: own.every((name) => organization.permissions.has(name)),
        };
      }),
    })),

    implement(listRoles, async () => ({
      rows: (await readRolesWithMembers(database)).map((role) => ({
        ...role,
        permissions: permissions.permissionsOf(role),
      })),
      permissions: permissions.all.map(({ name, label }) => ({ name, label })),
    })),

    implement(createRole, ({ body, ...actor }) => {
      requireKnown(body.permissions);
      requireOwnName(body.name);
      return database.transaction(async (transaction) => {
        const { count } = await onlyRowOf<{ count: number }>(
          transaction,
          'select count(*)::integer as count from organization_roles',
        );
        if (count >= rolesMaximum) throw fail(organizationErrors.tooManyRoles);
        const role = { id: newId(), name: body.name, permissions: [...new Set(body.permissions)] };
        await execute(transaction)`
          insert into organization_roles (id, name, permissions, created_at)
            values (${role.id}, ${role.name}, ${role.permissions}, ${new Date(now())})`.catch(
          refuseTakenName,
        );
        await roleAudit.record(transaction, role, 'organization_role.created', actor, body);
        return role;
      });
    }),

    implement(replaceRole, ({ params: { roleId }, body, ...actor }) => {
      if (isBuiltIn(roleId)) throw fail(organizationErrors.builtInRole);
      requireKnown(body.permissions);
      requireOwnName(body.name);
      return database.transaction(async (transaction) => {
        const before = required(await findRole(transaction, roleId), organizationErrors.roleNotFound);
        const role = { id: roleId, name: body.name, permissions: [...new Set(body.permissions)] };
        await execute(transaction)`
          update organization_roles set name = ${role.name}, permissions = ${role.permissions} where id = ${roleId}`.catch(
          refuseTakenName,
        );
        await roleAudit.record(transaction, role, 'organization_role.changed', actor, {
          before: { name: before.name, permissions: before.permissions },
          after: { name: role.name, permissions: role.permissions },
        });
        return role;
      });
    }),

    implement(deleteRole, ({ params: { roleId }, ...actor }) => {
      if (isBuiltIn(roleId)) throw fail(organizationErrors.builtInRole);
      return database.transaction(async (transaction) => {
        const role = required(await findRole(transaction, roleId), organizationErrors.roleNotFound);
        const promised = await rowsOf(transaction)`
          select from invitations where organization_role_id = ${roleId} and status = 'pending'
            and expires_at > ${new Date(now())} limit 1`;
        if (promised.length > 0) throw fail(organizationErrors.roleInUse);
        await execute(transaction)`delete from organization_roles where id = ${roleId}`.catch(
          onUniqueViolation('memberships_role', organizationErrors.roleInUse),
        );
        await roleAudit.record(transaction, role, 'organization_role.deleted', actor);
        return { id: roleId };
      });
    }),
  ];
}

const isBuiltIn = (roleId: string) => (builtInRoles as readonly string[]).includes(roleId);

const inOrganization = ({ id, name }: OrganizationRow, actor: Actor) => ({
  ...actor,
  organization: { id, name, asSiteAdministrator: true },
});
const roleAudit = auditOf('organization_role', 'name');

const loggedFields = ({ name, slug, status, seat_limit, expires_at, single_sign_on }: OrganizationRow) => ({
  name,
  slug,
  status,
  seatLimit: seat_limit,
  expiresAt: expires_at?.toISOString() ?? null,
  ...(single_sign_on && { singleSignOn: true }),
});

/** Directory sync: settings for administrators. The protocol is in protocol/, its effects are in users.ts and groups.ts. */
import { isDeepStrictEqual } from 'node:util';
import {
  changeDirectory,
  changeDirectoryGroup,
  directoryErrors,
  shownGroupsMaximum,
  getDirectory,
  createDirectoryToken,
  scimPath,
  tokenOverlapHours,
  type Directory,
} from '@vestibule/contract/directory';
import type { Area } from '../../platform/area.ts';
import { auditOf } from '../../platform/audit/audit-log.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type CallerOrganization, type Implementation } from '../../platform/http/implement.ts';
import { hourMs } from '../../platform/time-units.ts';
import { createDirectoryGroups } from './groups.ts';
import { type DirectoryTokens, describeToken, type TokenRow } from './scim-token.ts';
import type { DirectoryAccessDeps } from './directory-access.ts';
import { createDirectoryUsers } from './users.ts';
import { findGroup } from './group-store.ts';
import { serveScim } from './protocol/scim-routes.ts';
import {
  createOrganizationDirectoryToken,
  getOrganizationDirectory,
  revokeOrganizationDirectoryToken,
  type OrganizationDirectory,
} from '@vestibule/contract/organizations/directory';

type Row = TokenRow & { last_used_at: Date | null; last_address: string | null; users: number };
type DirectoryRow = Row & {
  id: string;
  is_on: boolean;
  on_create: Directory['onCreate'];
  groups: Directory['groups'];
};

const label = 'Directory';
const directoryAudit = auditOf('directory', 'label');

export function scim(
  deps: DirectoryAccessDeps & { directoryTokens: DirectoryTokens; publicUrl: string },
): Area {
  const { database, publicUrl, now } = deps;
  const users = createDirectoryUsers(deps);
  const groups = createDirectoryGroups(deps);
  const show = async (): Promise<Directory> => {
    const row = await readDirectory(database);
    const { is_on: isOn, on_create: onCreate, groups: shownGroups } = row;
    return { ...describeSync(row, publicUrl, now()), isOn, onCreate, groups: shownGroups };
  };

  const routes = [
    ...organizationDirectoryRoutes(deps),

    implement(getDirectory, show),

    implement(changeDirectory, async ({ body: { isOn, onCreate }, ...call }) => {
      await database.transaction(async (transaction) => {
        const { id, ...row } = await lockDirectory(transaction);
        const before = { isOn: row.is_on, onCreate: row.on_create };
        const after = { isOn: isOn ?? before.isOn, onCreate: onCreate ?? before.onCreate };
        if (isOn && row.token_made_at === null) throw fail(directoryErrors.tokenMissing);
        if (isDeepStrictEqual(after, before)) return;
        await execute(transaction)`
          update directory set is_on = ${after.isOn}, on_create = ${after.onCreate}`;
        await directoryAudit.record(transaction, { id, label }, 'directory.changed', call, { before, after });
      });
      return show();
    }),

    implement(createDirectoryToken, async (call) => {
      const { token, hash } = deps.directoryTokens.make();
      await database.transaction(async (transaction) => {
        const { id } = await lockDirectory(transaction);
        await execute(transaction)`
          update directory set earlier_token_hash = token_hash,
          earlier_token_until = case when token_hash is null then null else
            ${new Date(now() + tokenOverlapHours * hourMs)}::timestamptz end,
          token_hash = ${hash}, token_made_at = ${new Date(now())}, token_made_by = ${call.caller.email}`;
        await directoryAudit.record(transaction, { id, label }, 'directory.token_made', call);
      });
      return { token, directory: await show() };
    }),

    implement(changeDirectoryGroup, async ({ params, body, ...call }) => {
      if (!(await findGroup(database, params.groupId))) throw fail(directoryErrors.groupNotFound);
      await groups.mark(params.groupId, body.givesAdministrator, { ...call, organization: null });
      return show();
    }),
  ];
  return { routes, plugin: (app) => serveScim(app, { ...deps, users, groups }) };
}

const columns = `id, is_on, on_create, token_made_at, token_made_by, earlier_token_until, last_used_at, last_address`;

async function lockDirectory(transaction: Queryable): Promise<DirectoryRow> {
  const rows = await rowsOf<DirectoryRow>(transaction)`select ${rawSql(columns)} from directory for update`;
  return rows[0] as DirectoryRow;
}

const readDirectory = (database: Queryable) =>
  onlyRowOf<DirectoryRow>(database)`
    select ${rawSql(columns)}, (select count(*) from directory_users) as users,
      coalesce((select json_agg(shown) from (
        select id, display_name as name, gives_administrator as "givesAdministrator",
          (select count(*) from directory_members where group_id = directory_groups.id) as members
        from directory_groups order by gives_administrator desc, lower(display_name) collate alphabetical
        limit ${rawSql(shownGroupsMaximum)}) shown), '[]') as groups
    from directory`;

const describeSync = (row: Row, publicUrl: string, now: number): OrganizationDirectory => ({
  address: publicUrl + scimPath,
  token: describeToken(row, now),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  lastAddress: row.last_address,
  users: row.users,
});

/** SCIM token of an organization: routes for its managers. */
function organizationDirectoryRoutes(
  deps: CoreDeps & { directoryTokens: DirectoryTokens; publicUrl: string },
): Implementation[] {
  const { database, publicUrl, now } = deps;

  async function show({ id }: CallerOrganization): Promise<OrganizationDirectory> {
    const row = await onlyRowOf<Row>(database)`
      select token_made_at, token_made_by, earlier_token_until, last_used_at, last_address,
        (select count(*) from organization_directory_users where organization_id = ${id}) as users
      from (select ${id}::uuid as organization_id) asked left join organization_directories using (organization_id)`;
    return describeSync(row, publicUrl, now());
  }

  return [
    implement(getOrganizationDirectory, ({ organization }) => show(organization)),

    implement(createOrganizationDirectoryToken, async (call) => {
      const { organization, caller } = call;
      const { token, hash } = deps.directoryTokens.make();
      await database.transaction(async (transaction) => {
        const until = new Date(now() + tokenOverlapHours * hourMs);
        const { id } = await onlyRowOf<{ id: string }>(transaction)`
          insert into organization_directories as stored (organization_id, id, token_hash, token_made_at, token_made_by)
          values (${organization.id}, ${deps.newId()}, ${hash}, ${new Date(now())}, ${caller.email})
          on conflict (organization_id) do update set earlier_token_hash = stored.token_hash,
            earlier_token_until = case when stored.token_hash is null then null else ${until}::timestamptz end,
            token_hash = excluded.token_hash, token_made_at = excluded.token_made_at, token_made_by = excluded.token_made_by
          returning id`;
        await directoryAudit.record(transaction, { id, label }, 'directory.token_made', call);
      });
      return { token, directory: await show(organization) };
    }),

    implement(revokeOrganizationDirectoryToken, async (call) => {
      const { organization } = call;
      await database.transaction(async (transaction) => {
        const revoked = await rowOf<{ id: string }>(transaction)`
          update organization_directories set token_hash = null, token_made_at = null, token_made_by = null,
            earlier_token_hash = null, earlier_token_until = null
          where organization_id = ${organization.id} and token_hash is not null returning id`;
        if (!revoked) return;
        const target = { id: revoked.id, label };
        await directoryAudit.record(transaction, target, 'directory.token_revoked', call);
      });
      return show(organization);
    }),
  ];
}

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
import { recordChange } from '../../platform/audit/audit-log.ts';
import { onlyRowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement } from '../../platform/http/implement.ts';
import { createDirectoryGroups } from './groups.ts';
import type { DirectoryTokens } from './scim-token.ts';
import type { DirectoryAccessDeps } from './directory-access.ts';
import { createDirectoryUsers } from './users.ts';
import { findGroup } from './group-store.ts';
import { organizationDirectoryRoutes } from './organization-directory.ts';
import { serveScim } from './protocol/scim-routes.ts';
import { describeToken, type TokenRow } from './token-state.ts';

type DirectoryRow = TokenRow & {
  id: string;
  is_on: boolean;
  on_create: Directory['onCreate'];
  last_used_at: Date | null;
  last_address: string | null;
  users: number;
  groups: Directory['groups'];
};

const target = (id: string) => ({ type: 'directory', id, label: 'Directory' });

export function scim(
  deps: DirectoryAccessDeps & { directoryTokens: DirectoryTokens; publicUrl: string },
): Area {
  const { database, publicUrl, now } = deps;
  const users = createDirectoryUsers(deps);
  const groups = createDirectoryGroups(deps);
  const show = async () => toDirectory(await readDirectory(database), publicUrl, now());

  const routes = [
    ...organizationDirectoryRoutes(deps),

    implement(getDirectory, show),

    implement(changeDirectory, async ({ body: { isOn, onCreate }, caller, origin }) => {
      await database.transaction(async (transaction) => {
        const row = await lockDirectory(transaction);
        const before = { isOn: row.is_on, onCreate: row.on_create };
        const after = { isOn: isOn ?? before.isOn, onCreate: onCreate ?? before.onCreate };
        if (isOn && row.token_made_at === null) throw fail(directoryErrors.tokenMissing);
        if (isDeepStrictEqual(after, before)) return;
        await transaction.query({
          text: 'update directory set is_on = $1, on_create = $2',
          values: [after.isOn, after.onCreate],
        });
        await recordChange(transaction, {
          action: 'directory.changed',
          actor: caller,
          target: target(row.id),
          origin,
          detail: { before, after },
        });
      });
      return show();
    }),

    implement(createDirectoryToken, async ({ caller, origin }) => {
      const { token, hash } = deps.directoryTokens.make();
      await database.transaction(async (transaction) => {
        const { id } = await lockDirectory(transaction);
        await transaction.query({
          text: `update directory set earlier_token_hash = token_hash,
                   earlier_token_until = case when token_hash is null then null else $2::timestamptz end,
                   token_hash = $1, token_made_at = $3, token_made_by = $4`,
          values: [hash, new Date(now() + tokenOverlapHours * 3_600_000), new Date(now()), caller.email],
        });
        await recordChange(transaction, {
          action: 'directory.token_made',
          actor: caller,
          target: target(id),
          origin,
        });
      });
      return { token, directory: await show() };
    }),

    implement(changeDirectoryGroup, async ({ params, body, caller, origin }) => {
      if (!(await findGroup(database, params.groupId))) throw fail(directoryErrors.groupNotFound);
      await groups.mark(params.groupId, body.givesAdministrator, {
        caller,
        origin,
        organization: null,
      });
      return show();
    }),
  ];
  return { routes, plugin: (app) => serveScim(app, { ...deps, users, groups }) };
}

const columns = `id, is_on, on_create, token_made_at, token_made_by, earlier_token_until, last_used_at, last_address`;

async function lockDirectory(transaction: Queryable): Promise<DirectoryRow> {
  const rows = await rowsOf<DirectoryRow>(transaction, `select ${columns} from directory for update`);
  return rows[0] as DirectoryRow;
}

async function readDirectory(database: Queryable): Promise<DirectoryRow> {
  return onlyRowOf<DirectoryRow>(database, {
    text: `select ${columns}, (select count(*) from directory_users) as users,
             coalesce((select json_agg(shown) from (
               select id, display_name as name, gives_administrator as "givesAdministrator",
                 (select count(*) from directory_members where group_id = directory_groups.id) as members
               from directory_groups order by gives_administrator desc, lower(display_name) collate alphabetical
               limit ${shownGroupsMaximum}) shown), '[]') as groups
           from directory`,
  });
}

function toDirectory(row: DirectoryRow, publicUrl: string, now: number): Directory {
  return {
    isOn: row.is_on,
    onCreate: row.on_create,
    address: publicUrl + scimPath,
    token: describeToken(row, now),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastAddress: row.last_address,
    users: row.users,
    groups: row.groups,
  };
}

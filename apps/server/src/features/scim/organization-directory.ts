/** SCIM token of an organization: routes for its managers. */
import { scimPath, tokenOverlapHours } from '@vestibule/contract/directory';
import {
  createOrganizationDirectoryToken,
  getOrganizationDirectory,
  revokeOrganizationDirectoryToken,
  type OrganizationDirectory,
} from '@vestibule/contract/organizations/directory';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { onlyRowOf, rowOf, type CoreDeps, type Queryable } from '../../platform/database/database.ts';
import {
  implement,
  type Caller,
  type CallerOrganization,
  type Implementation,
  type Origin,
} from '../../platform/http/implement.ts';
import type { DirectoryTokens } from './scim-token.ts';
import { describeToken, type TokenRow } from './token-state.ts';

type Row = TokenRow & { last_used_at: Date | null; last_address: string | null; users: number };
type Change = { caller: Caller; origin: Origin; organization: CallerOrganization };

export function organizationDirectoryRoutes(
  deps: CoreDeps & { directoryTokens: DirectoryTokens; publicUrl: string },
): Implementation[] {
  const { database, publicUrl, now } = deps;

  async function show({ id }: CallerOrganization): Promise<OrganizationDirectory> {
    const row = await onlyRowOf<Row>(database, {
      text: `select token_made_at, token_made_by, earlier_token_until, last_used_at, last_address,
               (select count(*) from organization_directory_users where organization_id = $1) as users
             from (select $1::uuid as organization_id) asked left join organization_directories using (organization_id)`,
      values: [id],
    });
    return {
      address: publicUrl + scimPath,
      token: describeToken(row, now()),
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
      lastAddress: row.last_address,
      users: row.users,
    };
  }

  const record = (transaction: Queryable, action: string, id: string, change: Change) =>
    recordChange(transaction, {
      action,
      actor: change.caller,
      target: { type: 'directory', id, label: 'Directory' },
      origin: change.origin,
      organization: change.organization,
    });

  return [
    implement(getOrganizationDirectory, ({ organization }) => show(organization)),

    implement(createOrganizationDirectoryToken, async ({ organization, caller, origin }) => {
      const { token, hash } = deps.directoryTokens.make();
      await database.transaction(async (transaction) => {
        const { id } = await onlyRowOf<{ id: string }>(transaction, {
          text: `insert into organization_directories as stored (organization_id, id, token_hash, token_made_at, token_made_by)
                 values ($1, $2, $3, $4, $5)
                 on conflict (organization_id) do update set earlier_token_hash = stored.token_hash,
                   earlier_token_until = case when stored.token_hash is null then null else $6::timestamptz end,
                   token_hash = $3, token_made_at = $4, token_made_by = $5
                 returning id`,
          values: [
            organization.id,
            deps.newId(),
            hash,
            new Date(now()),
            caller.email,
            new Date(now() + tokenOverlapHours * 3_600_000),
          ],
        });
        await record(transaction, 'directory.token_made', id, { caller, origin, organization });
      });
      return { token, directory: await show(organization) };
    }),

    implement(revokeOrganizationDirectoryToken, async ({ organization, caller, origin }) => {
      await database.transaction(async (transaction) => {
        const revoked = await rowOf<{ id: string }>(transaction, {
          text: `update organization_directories set token_hash = null, token_made_at = null, token_made_by = null,
                   earlier_token_hash = null, earlier_token_until = null
                 where organization_id = $1 and token_hash is not null returning id`,
          values: [organization.id],
        });
        if (revoked)
          await record(transaction, 'directory.token_revoked', revoked.id, { caller, origin, organization });
      });
      return show(organization);
    }),
  ];
}

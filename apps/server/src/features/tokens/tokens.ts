import {
  createOrganizationToken,
  listOrganizationTokens,
  organizationTokenErrors,
  revokeOrganizationToken,
  OrganizationToken,
} from '@vestibule/contract/organizations/tokens';
import { permissionsWithoutTokens } from '@vestibule/contract/organizations/permissions';
import {
  createToken,
  listTokens,
  revokeToken,
  tokenErrors,
  tokensPerPerson,
  PersonalToken,
  type TokenScope,
} from '@vestibule/contract/profile/tokens';
import type { Area } from '../../platform/area.ts';
import { aboutToken, recordChange } from '../../platform/audit/audit-log.ts';
import { execute, rowOf, rowsOf, type CoreDeps } from '../../platform/database/database.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import { fail } from '../../platform/errors/failure.ts';
import {
  implement,
  type Caller,
  type CallerOrganization,
  type Origin,
} from '../../platform/http/implement.ts';
import type { PersonalTokens } from './personal-token.ts';

type TokenRow = {
  id: string;
  name: string;
  owner: string;
  scopes: TokenScope[];
  permissions: string[];
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  last_address: string | null;
};

const columns =
  't.id, t.name, t.scopes, t.permissions, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.last_address, p.email as owner';
/** Maximum number of listed tokens. Active tokens come first, so that only inactive ones are omitted. */
const listLimit = 500;
const dayMs = 24 * 3_600_000;

type Actor = { caller: Caller; origin: Origin };
/** Null for tokens of administrators, which work on the whole site. */
type Scoped = CallerOrganization | null;
type NewToken = { name: string; days: number; scopes: TokenScope[]; permissions: string[] };

export function tokens(deps: CoreDeps & { personalTokens: PersonalTokens }): Area {
  const { database, now } = deps;

  async function list(organization: Scoped): Promise<TokenRow[]> {
    return rowsOf<TokenRow>(database, {
      text: `select ${columns} from personal_tokens t join people p on p.id = t.person_id
             where t.organization_id is not distinct from $2
             order by (t.revoked_at is null and t.expires_at > $1) desc, t.created_at desc, t.id limit ${listLimit}`,
      values: [new Date(now()), organization?.id ?? null],
    });
  }

  async function create(added: NewToken, organization: Scoped, { caller, origin }: Actor) {
    const { token, hash } = deps.personalTokens.make();
    const at = new Date(now());
    const id = deps.newId();
    const [scopes, permissions] = [uniqueOf(added.scopes), uniqueOf(added.permissions)];
    const expiresAt = new Date(at.getTime() + added.days * dayMs);
    const row = await database.transaction(async (transaction) => {
      const found = await rowOf<{ count: number }>(transaction, {
        text: `select count(*) from personal_tokens
               where person_id = $1 and revoked_at is null and expires_at > $2`,
        values: [caller.id, at],
      });
      if ((found?.count ?? 0) >= tokensPerPerson) throw fail(tokenErrors.tooMany);
      const [, applicationId] = /^application:(.*)/.exec(scopes[0] ?? '') ?? [];
      if (
        applicationId !== undefined &&
        !(await rowOf(transaction, 'select from applications where id = $1', [applicationId]))
      )
        throw fail(tokenErrors.applicationUnknown);
      const rows = await rowsOf<TokenRow>(transaction, {
        text: `with t as (
                 insert into personal_tokens (id, person_id, name, token_hash, scopes, created_at, expires_at, organization_id, permissions)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *)
               select ${columns} from t join people p on p.id = t.person_id`,
        values: [
          id,
          caller.id,
          added.name,
          hash,
          scopes,
          at,
          expiresAt,
          organization?.id ?? null,
          permissions,
        ],
      });
      const detail = { ...(organization ? { permissions } : { scopes }), expiresAt: expiresAt.toISOString() };
      const context = { caller, origin, organization };
      await recordChange(transaction, aboutToken({ ...added, id }, 'token.created', context, detail));
      return rows[0] as TokenRow;
    });
    return { token, row };
  }

  function revoke(tokenId: string, organization: Scoped, actor: Actor): Promise<TokenRow> {
    return database.transaction(async (transaction) => {
      const row = await rowOf<TokenRow>(transaction, {
        text: `select ${columns} from personal_tokens t join people p on p.id = t.person_id
               where t.id = $1 and t.organization_id is not distinct from $2 for update of t`,
        values: [tokenId, organization?.id ?? null],
      });
      if (!row) throw fail(tokenErrors.notFound);
      if (row.revoked_at) return row;
      const at = new Date(now());
      await execute(transaction, 'update personal_tokens set revoked_at = $2 where id = $1', [row.id, at]);
      const context = { ...actor, organization };
      await recordChange(transaction, aboutToken(row, 'token.revoked', context, { owner: row.owner }));
      return { ...row, revoked_at: at };
    });
  }

  const routes = [
    implement(listTokens, async () => ({ rows: (await list(null)).map((row) => toToken(row, now())) })),

    implement(createToken, async ({ body, ...actor }) => {
      const { token, row } = await create({ ...body, permissions: [] }, null, actor);
      return { token, details: toToken(row, now()) };
    }),

    implement(revokeToken, async ({ params, ...actor }) =>
      toToken(await revoke(params.tokenId, null, actor), now()),
    ),

    implement(listOrganizationTokens, async ({ organization }) => ({
      rows: (await list(organization)).map((row) => toOrganizationToken(row, now())),
    })),

    implement(createOrganizationToken, async ({ body, organization, ...actor }) => {
      if (organization.asSiteAdministrator) throw fail(organizationTokenErrors.membersOnly);
      if (
        body.permissions.some(
          (name) => !organization.permissions.has(name) || permissionsWithoutTokens.includes(name),
        )
      )
        throw fail(organizationTokenErrors.permissionTooHigh);
      const { token, row } = await create({ ...body, scopes: [] }, organization, actor);
      return { token, details: toOrganizationToken(row, now()) };
    }),

    implement(revokeOrganizationToken, async ({ params, organization, ...actor }) =>
      toOrganizationToken(await revoke(params.tokenId, organization, actor), now()),
    ),
  ];
  return { routes };
}

const uniqueOf = <Name extends string>(names: Name[]): Name[] => [...new Set(names)].sort();

const storedToken = toContract(PersonalToken);
const storedOrganizationToken = toContract(OrganizationToken);

const toToken = (row: TokenRow, now: number): PersonalToken => ({
  ...storedToken(row),
  state: stateOf(row, now),
});

const toOrganizationToken = (row: TokenRow, now: number): OrganizationToken => ({
  ...storedOrganizationToken(row),
  state: stateOf(row, now),
});

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: TokenRow, now: number) {
  if (revokedAt) return 'revoked';
  return expiresAt.getTime() <= now ? 'expired' : 'active';
}

import {
  createOrganizationToken,
  listOrganizationTokens,
  organizationTokenErrors,
  revokeOrganizationToken,
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
import { tokenAudit } from '../../platform/audit/audit-log.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
} from '../../platform/database/database.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import { fail } from '../../platform/errors/failure.ts';
import {
  implementInScopes,
  type CallerOrganization,
  type ScopedActor,
} from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { dayMs } from '../../platform/time-units.ts';
import type { MailDeps } from '../mail/mail-from-row.ts';
import type { PersonalTokens } from './personal-token.ts';
import { expiryMail, ownerHasAccess, tokenMails } from './token-mails.ts';

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
  owner_has_access: boolean;
};

const columns = `t.id, t.name, t.scopes, t.permissions, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.last_address,
  p.email as owner, ${ownerHasAccess} as owner_has_access`;
/** Maximum number of listed tokens. Active tokens come first, so that only inactive ones are omitted. */
const listLimit = 500;

type NewToken = { name: string; days: number; scopes?: TokenScope[]; permissions?: string[] };

/** Tokens of administrators work on the whole site, and their organization is null. */
export function tokens(
  deps: CoreDeps & MailDeps & { mail: MailQueue; personalTokens: PersonalTokens },
): Area {
  const { database, now } = deps;

  const toToken = (row: TokenRow) => ({
    ...storedToken(row),
    permissions: row.permissions,
    state: stateOf(row, now()),
  });

  async function create(added: NewToken, { caller, origin, organization }: ScopedActor) {
    const { token, hash } = deps.personalTokens.make();
    const at = new Date(now());
    const id = deps.newId();
    const [scopes, permissions] = [uniqueOf(added.scopes), uniqueOf(added.permissions)];
    const expiresAt = new Date(at.getTime() + added.days * dayMs);
    return database.transaction(async (transaction) => {
      const found = await rowOf<{ count: number }>(transaction)`
        select count(*) from personal_tokens
        where person_id = ${caller.id} and revoked_at is null and expires_at > ${at}`;
      if ((found?.count ?? 0) >= tokensPerPerson) throw fail(tokenErrors.tooMany);
      const [, applicationId] = /^application:(.*)/.exec(scopes[0] ?? '') ?? [];
      if (
        applicationId !== undefined &&
        !(await rowOf(transaction)`select from applications where id = ${applicationId}`)
      )
        throw fail(tokenErrors.applicationUnknown);
      const row = await onlyRowOf<TokenRow>(transaction)`
        with t as (
          insert into personal_tokens (id, person_id, name, token_hash, scopes, created_at, expires_at, organization_id,
            permissions)
          values (${id}, ${caller.id}, ${added.name}, ${hash}, ${scopes}, ${at}, ${expiresAt}, ${organization?.id},
            ${permissions}) returning *)
        select ${rawSql(columns)} from t join people p on p.id = t.person_id`;
      const detail = { ...(organization ? { permissions } : { scopes }), expiresAt: expiresAt.toISOString() };
      const context = { caller, origin, organization };
      await tokenAudit.record(transaction, row, 'token.created', context, detail);
      await deps.mail.queue(transaction, expiryMail(row.id, added.days));
      return { token, details: toToken(row) };
    });
  }

  const routes = [
    ...implementInScopes(listTokens, listOrganizationTokens, async ({ organization }) => {
      const rows = await rowsOf<TokenRow>(database)`
        select ${rawSql(columns)} from personal_tokens t join people p on p.id = t.person_id
        where t.organization_id is not distinct from ${organization?.id}
        order by (t.revoked_at is null and t.expires_at > ${new Date(now())}) desc, t.created_at desc, t.id
          limit ${rawSql(listLimit)}`;
      return { rows: rows.map(toToken) };
    }),

    ...implementInScopes(createToken, createOrganizationToken, async ({ body, ...actor }) => {
      const added: NewToken = body;
      if (actor.organization) requireGivable(actor.organization, added.permissions);
      return create(added, actor);
    }),

    ...implementInScopes(revokeToken, revokeOrganizationToken, ({ params: { tokenId }, ...actor }) =>
      database.transaction(async (transaction) => {
        const row = await rowOf<TokenRow>(transaction)`
          select ${rawSql(columns)} from personal_tokens t join people p on p.id = t.person_id
          where t.id = ${tokenId} and t.organization_id is not distinct from ${actor.organization?.id} for update of t`;
        if (!row) throw fail(tokenErrors.notFound);
        if (row.revoked_at) return toToken(row);
        const at = new Date(now());
        await execute(transaction)`update personal_tokens set revoked_at = ${at} where id = ${row.id}`;
        await tokenAudit.record(transaction, row, 'token.revoked', actor, { owner: row.owner });
        return toToken({ ...row, revoked_at: at });
      }),
    ),
  ];
  return { routes, mails: tokenMails(deps) };
}

function requireGivable(
  { permissions: own, asSiteAdministrator }: CallerOrganization,
  permissions: string[] = [],
): void {
  if (asSiteAdministrator) throw fail(organizationTokenErrors.membersOnly);
  if (permissions.some((name) => !own.has(name) || permissionsWithoutTokens.includes(name)))
    throw fail(organizationTokenErrors.permissionTooHigh);
}

const uniqueOf = <Name extends string>(names: Name[] = []): Name[] => [...new Set(names)].sort();

const storedToken = toContract(PersonalToken);

function stateOf(token: TokenRow, now: number): PersonalToken['state'] {
  if (token.revoked_at) return 'revoked';
  if (token.expires_at.getTime() <= now) return 'expired';
  return token.owner_has_access ? 'active' : 'suspended';
}

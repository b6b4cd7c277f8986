import {
  createToken,
  listTokens,
  revokeToken,
  tokenErrors,
  tokensPerPerson,
  type PersonalToken,
  type Scope,
} from '@vestibule/contract/profile/tokens';
import type { Area } from '../../platform/area.ts';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { execute, rowOf, rowsOf, type CoreDeps } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement } from '../../platform/http/implement.ts';
import type { PersonalTokens } from './personal-token.ts';

type TokenRow = {
  id: string;
  name: string;
  owner: string;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  last_address: string | null;
};

const columns =
  't.id, t.name, t.scopes, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.last_address, p.email as owner';
/** Maximum number of listed tokens. Active tokens come first, so that only inactive ones are omitted. */
const listLimit = 500;
const dayMs = 24 * 3_600_000;

export function tokens(deps: CoreDeps & { personalTokens: PersonalTokens }): Area {
  const { database, now } = deps;

  const routes = [
    implement(listTokens, async () => {
      const rows = await rowsOf<TokenRow>(database, {
        text: `select ${columns} from personal_tokens t join people p on p.id = t.person_id
               order by (t.revoked_at is null and t.expires_at > $1) desc, t.created_at desc, t.id limit ${listLimit}`,
        values: [new Date(now())],
      });
      return { rows: rows.map((row) => toToken(row, now())) };
    }),

    implement(createToken, async ({ body, caller, origin }) => {
      const { token, hash } = deps.personalTokens.make();
      const at = new Date(now());
      const id = deps.newId();
      const scopes = [...new Set(body.scopes)].sort();
      const expiresAt = new Date(at.getTime() + body.days * dayMs);
      const row = await database.transaction(async (transaction) => {
        // Locks the person, so that concurrent requests are counted correctly.
        await execute(transaction, 'select from people where id = $1 for update', [caller.id]);
        const found = await rowOf<{ count: number }>(transaction, {
          text: `select count(*) from personal_tokens
                 where person_id = $1 and revoked_at is null and expires_at > $2`,
          values: [caller.id, at],
        });
        if ((found?.count ?? 0) >= tokensPerPerson) throw fail(tokenErrors.tooMany);
        const rows = await rowsOf<TokenRow>(transaction, {
          text: `with t as (
                   insert into personal_tokens (id, person_id, name, token_hash, scopes, created_at, expires_at)
                   values ($1, $2, $3, $4, $5, $6, $7) returning *)
                 select ${columns} from t join people p on p.id = t.person_id`,
          values: [id, caller.id, body.name, hash, scopes, at, expiresAt],
        });
        await recordChange(transaction, {
          action: 'token.created',
          actor: caller,
          target: { type: 'token', id, label: body.name },
          origin,
          detail: { scopes, expiresAt: expiresAt.toISOString() },
        });
        return rows[0] as TokenRow;
      });
      return { token, details: toToken(row, now()) };
    }),

    implement(revokeToken, ({ params, caller, origin }) =>
      database.transaction(async (transaction) => {
        const row = await rowOf<TokenRow>(transaction, {
          text: `select ${columns} from personal_tokens t join people p on p.id = t.person_id
                 where t.id = $1 for update of t`,
          values: [params.tokenId],
        });
        if (!row) throw fail(tokenErrors.notFound);
        if (row.revoked_at) return toToken(row, now());
        const at = new Date(now());
        await execute(transaction, 'update personal_tokens set revoked_at = $2 where id = $1', [row.id, at]);
        await recordChange(transaction, {
          action: 'token.revoked',
          actor: caller,
          target: { type: 'token', id: row.id, label: row.name },
          origin,
          detail: { owner: row.owner },
        });
        return toToken({ ...row, revoked_at: at }, now());
      }),
    ),
  ];
  return { routes };
}

function toToken(row: TokenRow, now: number): PersonalToken {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner,
    scopes: row.scopes,
    state: row.revoked_at ? 'revoked' : row.expires_at.getTime() <= now ? 'expired' : 'active',
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastAddress: row.last_address,
  };
}

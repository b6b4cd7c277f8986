/**
 * Personal access tokens, with the prefix `vst_`. A token has the current rights of its owner and is rejected if the owner is disabled or
 * no longer an administrator. A token of an organization has at most the rights of its owner's role there, also if the owner is an
 * administrator of the site.
 */
import { personErrors } from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { tokenErrors, tokenPrefix } from '@vestibule/contract/profile/tokens';
import { execute, rowOf, type DatabaseDeps } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { CallerKind } from '../../platform/http/access.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import { bearerToken } from '../../platform/identity/access-token.ts';
import { createOpaqueTokens, type OpaqueTokens } from '../../platform/identity/opaque-token.ts';

/** Minimum interval between two records of a token's use. */
const recordIntervalMs = 60_000;

export type PersonalTokens = Pick<OpaqueTokens, 'make'> & {
  kind: CallerKind;
  /** Returns the id of the owner of a valid token with the scope; throws a Failure otherwise. */
  ownerWithScope(token: string, scope: string, origin: Origin): Promise<string>;
};

type FoundToken = {
  id: string;
  name: string;
  scopes: string[];
  organization_id: string | null;
  permissions: string[];
  expires_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  last_address: string | null;
  person_id: string;
  email: string;
  display_name: string;
  role: string;
  status: string;
};

export function createPersonalTokens(deps: DatabaseDeps & { secret: Buffer }): PersonalTokens {
  const { database, now } = deps;
  const { make, hashOf } = createOpaqueTokens(deps.secret, {
    purpose: 'vestibule personal token at rest',
    prefix: tokenPrefix,
  });

  const find = async (token: string): Promise<FoundToken | null> =>
    rowOf<FoundToken>(database, { name: 'find-personal-token' })`
      select t.id, t.name, t.scopes, t.organization_id, t.permissions, t.expires_at, t.revoked_at, t.last_used_at,
        t.last_address,
        p.id as person_id, p.email, p.display_name, p.role, p.status
      from personal_tokens t join people p on p.id = t.person_id where t.token_hash = ${hashOf(token)}`;

  async function recordUse(token: FoundToken, { address }: Origin): Promise<void> {
    const at = now();
    const recordedAt = token.last_used_at?.getTime() ?? 0;
    if (recordedAt + recordIntervalMs > at && token.last_address === address) return;
    await execute(database, { name: 'note-personal-token' })`
      update personal_tokens set last_used_at = greatest(last_used_at, ${new Date(at)}), last_address = ${address}
        where id = ${token.id}`;
  }

  /** Throws unless the token is valid, and its owner active. */
  async function requireValid(token: string): Promise<FoundToken> {
    const found = await find(token);
    if (!found || found.revoked_at !== null || found.expires_at.getTime() <= now())
      throw fail(tokenErrors.invalid);
    if (found.status === 'disabled') throw fail(personErrors.disabled);
    if (found.organization_id === null && found.role !== 'admin') throw fail(requestErrors.adminNeeded);
    return found;
  }

  return {
    make,

    async ownerWithScope(token, scope, origin) {
      const found = await requireValid(token);
      if (!found.scopes.includes(scope)) throw fail(tokenErrors.scopeMissing);
      await recordUse(found, origin);
      return found.person_id;
    },

    kind: {
      name: 'personal access token',
      secretOf({ raw, headers }) {
        const token = bearerToken(raw.rawHeaders, headers.authorization);
        return token?.startsWith(tokenPrefix) ? token : null;
      },
      authenticate: (token, request, origin) => authenticate(token, request.routeOptions.config, origin),
    },
  };

  async function authenticate(
    token: string,
    needed: { scope?: string; permission?: string; acceptsOrganizationTokens?: boolean },
    origin: Origin,
  ): Promise<Caller> {
    const { scope, permission, acceptsOrganizationTokens = false } = needed;
    const found = await requireValid(token);
    const organizationId = found.organization_id;
    await recordUse(found, origin);
    const caller = {
      id: found.person_id,
      email: found.email,
      displayName: found.display_name,
      token: { id: found.id, name: found.name, scopes: found.scopes },
    };
    if (organizationId !== null) {
      if (permission === undefined && !acceptsOrganizationTokens) throw fail(tokenErrors.notUsableHere);
      return { ...caller, isAdmin: false, limitedTo: { organizationId, permissions: found.permissions } };
    }
    if (scope === undefined) throw fail(tokenErrors.notUsableHere);
    if (!found.scopes.includes(scope)) throw fail(tokenErrors.scopeMissing);
    return { ...caller, isAdmin: true };
  }
}

/**
 * The bearer tokens of directories, of the site and of organizations, with the prefix `vsd_`, valid only for SCIM. A replaced token stays valid for a while, until the new
 * one is entered in the directory.
 */
import { directoryErrors, directoryTokenPrefix, type Directory } from '@vestibule/contract/directory';
import { execute, rawSql, rowOf, type DatabaseDeps } from '../../platform/database/database.ts';
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import { fail } from '../../platform/errors/failure.ts';
import type { CallerKind } from '../../platform/http/access.ts';
import type { Caller, CallerOrganization } from '../../platform/http/implement.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import { bearerToken } from '../../platform/identity/access-token.ts';
import { createOpaqueTokens, type OpaqueTokens } from '../../platform/identity/opaque-token.ts';

/** Minimum interval between two records of a token's use. */
const recordIntervalMs = 60_000;

export type DirectoryTokens = Pick<OpaqueTokens, 'make'> & { kind: CallerKind };

/** `organization` is null for the directory of the site. */
export type DirectoryCaller = Caller & { organization: CallerOrganization | null };

type DirectoryTokenRow = {
  id: string;
  is_on: boolean;
  organization_id: string | null;
  organization_name: string | null;
  is_suspended: boolean;
  last_used_at: Date | null;
  last_address: string | null;
};

const isCurrent = (hash: string, at: string) =>
  `token_hash = ${hash} or (earlier_token_hash = ${hash} and earlier_token_until > ${at})`;

const toOrganization = ({ organization_id: id, organization_name: name }: DirectoryTokenRow) =>
  id === null ? null : { id, name: name ?? '', permissions: new Set<string>(), asSiteAdministrator: false };

export function createDirectoryTokens(deps: DatabaseDeps & { secret: Buffer }): DirectoryTokens {
  const { database, now } = deps;
  const { make, hashOf } = createOpaqueTokens(deps.secret, {
    purpose: 'vestibule directory token at rest',
    prefix: directoryTokenPrefix,
  });

  async function recordUse(
    {
      organization_id: organizationId,
      last_used_at: lastUsedAt,
      last_address: lastAddress,
    }: DirectoryTokenRow,
    address: string,
  ): Promise<void> {
    if ((lastUsedAt?.getTime() ?? 0) + recordIntervalMs > now() && lastAddress === address) return;
    const at = new Date(now());
    await (organizationId === null
      ? execute(database, { name: 'note-directory-token' })`
          update directory set last_used_at = greatest(last_used_at, ${at}), last_address = ${address}`
      : execute(database, { name: 'note-organization-directory-token' })`
          update organization_directories set last_used_at = greatest(last_used_at, ${at}), last_address = ${address}
          where organization_id = ${organizationId}`);
  }

  return {
    make,
    kind: {
      name: 'directory token',
      only: 'directory',
      secretOf: ({ raw, headers }) => bearerToken(raw.rawHeaders, headers.authorization),

      async authenticate(token, _request, { address }) {
        const isCurrentToken = rawSql(isCurrent, hashOf(token), new Date(now()));
        const found = await rowOf<DirectoryTokenRow>(database, { name: 'find-directory-token' })`
          select id, is_on, last_used_at, last_address, null::uuid as organization_id, null as organization_name,
            false as is_suspended
          from directory where ${isCurrentToken}
          union all
          select listed.id, true, last_used_at, last_address, organization_id, name, ${rawSql(isSuspendedSql, new Date(now()))}
          from organization_directories listed join organizations on organizations.id = organization_id
          where ${isCurrentToken}`;
        if (!found) throw fail(directoryErrors.tokenInvalid);
        if (!found.is_on) throw fail(directoryErrors.isOff);
        if (found.is_suspended) throw fail(organizationAccessErrors.suspended);
        await recordUse(found, address);
        return {
          id: found.id,
          email: 'Directory',
          displayName: 'Directory',
          isAdmin: false,
          organization: toOrganization(found),
        } satisfies DirectoryCaller;
      },
    },
  };
}

export type TokenRow = {
  token_made_at: Date | null;
  token_made_by: string | null;
  earlier_token_until: Date | null;
};

/** Returns null if there is no token. */
export function describeToken(
  { token_made_at: madeAt, token_made_by: madeBy, earlier_token_until: until }: TokenRow,
  now: number,
): Directory['token'] {
  if (madeAt === null) return null;
  return {
    madeAt: madeAt.toISOString(),
    madeBy: madeBy ?? '',
    earlierUntil: until && until.getTime() > now ? until.toISOString() : null,
  };
}

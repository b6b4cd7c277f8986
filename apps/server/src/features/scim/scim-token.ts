/**
 * The bearer token of the directory, with the prefix `vsd_`, valid only for SCIM. A replaced token stays valid for a while, until the new
 * one is entered in the directory.
 */
import { directoryErrors, directoryTokenPrefix } from '@vestibule/contract/directory';
import { rowOf, type DatabaseDeps } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { CallerKind } from '../../platform/http/access.ts';
import { bearerToken } from '../../platform/identity/access-token.ts';
import { createOpaqueTokens, type OpaqueTokens } from '../../platform/identity/opaque-token.ts';

/** Minimum interval between two records of a token's use. */
const recordIntervalMs = 60_000;

export type DirectoryTokens = Pick<OpaqueTokens, 'make'> & { kind: CallerKind };

type DirectoryTokenRow = {
  id: string;
  is_on: boolean;
  last_used_at: Date | null;
  last_address: string | null;
};

export function createDirectoryTokens(deps: DatabaseDeps & { secret: Buffer }): DirectoryTokens {
  const { database, now } = deps;
  const { make, hashOf } = createOpaqueTokens(deps.secret, {
    purpose: 'vestibule directory token at rest',
    prefix: directoryTokenPrefix,
  });

  async function recordUse(
    { last_used_at: lastUsedAt, last_address: lastAddress }: DirectoryTokenRow,
    address: string,
  ): Promise<void> {
    if ((lastUsedAt?.getTime() ?? 0) + recordIntervalMs > now() && lastAddress === address) return;
    await database.query({
      name: 'note-directory-token',
      text: 'update directory set last_used_at = greatest(last_used_at, $1), last_address = $2',
      values: [new Date(now()), address],
    });
  }

  return {
    make,
    kind: {
      name: 'directory token',
      only: 'directory',
      secretOf: ({ raw, headers }) => bearerToken(raw.rawHeaders, headers.authorization),

      async authenticate(token, _request, { address }) {
        const found = await rowOf<DirectoryTokenRow>(database, {
          name: 'find-directory-token',
          text: `select id, is_on, last_used_at, last_address from directory
                 where token_hash = $1 or (earlier_token_hash = $1 and earlier_token_until > $2)`,
          values: [hashOf(token), new Date(now())],
        });
        if (!found) throw fail(directoryErrors.tokenInvalid);
        if (!found.is_on) throw fail(directoryErrors.isOff);
        await recordUse(found, address);
        return { id: found.id, email: 'Directory', displayName: 'Directory', isAdmin: false };
      },
    },
  };
}

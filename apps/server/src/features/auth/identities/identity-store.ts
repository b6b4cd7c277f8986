/** Reads and writes identities: the provider accounts and passkeys that sign a person in. Callers lock the person before a change. */
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  scalarsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { isSuspendedSql } from '../../../platform/http/organization-access.ts';
import { personColumns, type Identity, type PersonRow } from '../../people/people-store.ts';
import { isProvenSql } from '../connections/connection-store.ts';
import { signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import type { ErrorDefinition } from '@vestibule/contract/route';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';

type IdentityRow = Identity & {
  id: string;
  way: string;
  email: string | null;
  created_at: Date;
  last_sign_in_at: Date | null;
};

export const listIdentityRows = (database: Queryable, personId: string) =>
  rowsOf<IdentityRow>(database)`
    select id, issuer, subject, way, email, created_at, last_sign_in_at from identities where person_id = ${personId}
    order by created_at, id`;

/** Sign-in methods of the site, and the time for which organizations are read. */
type Enabled = { enabledMethods: string[]; at: Date };

/**
 * SQL condition: the identity can sign in its person. `$2` is the list of the site's methods, `$3` the time. The connection of an organization
 * signs in members of the site with an address of its domains, and no administrators.
 */
const isUsableSql = (
  enabledMethods: string,
  at: string,
) => `(identities.way = any(${enabledMethods}) or people.role <> 'admin' and exists (
  select from organization_connections join organizations on organizations.id = organization_id
    join organization_domains using (organization_id)
  where organization_connections.way = identities.way and is_active and not ${isSuspendedSql(at)}
    and domain = split_part(email_canonical, '@', 2) and ${isProvenSql}))`;

/** Returns the person with this address if none of their identities can sign in (any more). Such people may use mailed codes. */
export const findPersonWithoutMethod = (
  database: Queryable,
  emailCanonical: string,
  { enabledMethods, at }: Enabled,
) =>
  rowOf<PersonRow>(database, { name: 'find-person-without-method' })`
    select ${rawSql(personColumns)} from people where email_canonical = ${emailCanonical} and not exists (
      select from identities where person_id = people.id and ${rawSql(isUsableSql, enabledMethods, at)})`;

/** Returns the ids of a person's identities that can sign in. */
export async function findUsableIdentities(
  database: Queryable,
  personId: string,
  { enabledMethods, at }: Enabled,
): Promise<Set<string>> {
  const ids = await scalarsOf<string>(database)`
    select identities.id from identities join people on people.id = person_id
    where person_id = ${personId} and ${rawSql(isUsableSql, enabledMethods, at)}`;
  return new Set(ids);
}

export type NewIdentity = Identity & { way: string; email: string | null; isVerified: boolean };

/** Returns the new identity's id; null if the account belongs to a person already, to this one or another. */
export const insertIdentity = (
  transaction: Queryable,
  personId: string,
  { issuer, subject, way, email, isVerified }: NewIdentity,
  at: Date,
) =>
  scalarOf<string>(transaction)`
    insert into identities (issuer, subject, person_id, way, email, email_verified, created_at)
    values (${issuer}, ${subject}, ${personId}, ${way}, ${email}, ${email === null ? null : isVerified}, ${at})
      on conflict (issuer, subject) do nothing returning id`;

export type DeletedIdentity = { id: string; personId: string; way: string };

/**
 * Deletes the matching identities, with their sessions and passkeys, unless the person has no other identity of an enabled method left.
 * `condition` applies to `identities`; its parameters start at `$1`.
 */
export async function deleteIdentities(
  transaction: Queryable,
  enabledMethods: string[],
  { condition, values }: { condition: string; values: unknown[] },
): Promise<DeletedIdentity[]> {
  const rows = await rowsOf<DeletedIdentity>(transaction, {
    text: `with selected as (select id, person_id from identities where ${condition})
           delete from identities using selected where identities.id = selected.id and identities.person_id = selected.person_id
             and exists (select from identities other where other.person_id = selected.person_id and other.way = any($${values.length + 1})
                           and other.id not in (select id from selected))
           returning identities.id, identities.person_id as "personId", way`,
    values: [...values, enabledMethods],
  });
  const withoutPasskey = rows.filter(({ way }) => way === passkeyMethod).map(({ personId }) => personId);
  if (withoutPasskey.length > 0)
    await execute(transaction)`delete from passkeys where person_id = any(${withoutPasskey})`;
  return rows;
}

/**
 * Counts an added identity, or an added or renamed passkey, in the caller's transaction. Throws `refusal` past the limit,
 * which exists because each change is mailed.
 */
type CountMethodChange = (
  transaction: Queryable,
  personId: string,
  refusal: ErrorDefinition,
) => Promise<void>;

export function createMethodChangeLimit(deps: DatabaseDeps): CountMethodChange {
  const changes = createRateLimit(deps, perHour('changed ways', signInMethodChangesPerHour));
  return async (transaction, personId, refusal) =>
    assertWithinRateLimit(await changes.take(personId, 1, transaction), refusal);
}

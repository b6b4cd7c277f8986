/** Reads and writes identities: the accounts at providers by which a person signs in. Whoever changes them has locked the person. */
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import { execute, rowOf, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { personColumns, type Identity, type PersonRow } from '../../people/people-store.ts';

type IdentityRow = Identity & {
  id: string;
  way: string;
  email: string | null;
  created_at: Date;
  last_sign_in_at: Date | null;
};

/** Of one person, the oldest first. */
export async function listIdentityRows(database: Queryable, personId: string): Promise<IdentityRow[]> {
  return rowsOf<IdentityRow>(database, {
    text: `select id, issuer, subject, way, email, created_at, last_sign_in_at from identities where person_id = $1
           order by created_at, id`,
    values: [personId],
  });
}

/**
 * Locks people for a change of their identities, in one order, so that two who lock the same people never wait for each other in a
 * circle. Without it, two ways could be taken away at the same moment, each because of the other.
 */
export async function lockPeople(transaction: Queryable, ids: string[]): Promise<PersonRow[]> {
  return rowsOf<PersonRow>(transaction, {
    text: `select ${personColumns} from people where id = any($1) order by id for no key update`,
    values: [ids],
  });
}

export type NewIdentity = Identity & {
  way: string;
  email: string | null;
  isVerified: boolean;
};

/** Gives the id of the identity; null when there is one of that account already, whoever it belongs to. */
export async function insertIdentity(
  transaction: Queryable,
  personId: string,
  { issuer, subject, way, email, isVerified }: NewIdentity,
  at: Date,
): Promise<string | null> {
  const found = await rowOf<{ id: string }>(transaction, {
    text: `insert into identities (issuer, subject, person_id, way, email, email_verified, created_at)
           values ($1, $2, $3, $4, $5, $6, $7) on conflict (issuer, subject) do nothing returning id`,
    values: [issuer, subject, personId, way, email, email === null ? null : isVerified, at],
  });
  return found?.id ?? null;
}

export type GoneIdentity = { id: string; personId: string; way: string };

/**
 * Deletes those of the identities whose people have another one, of a way that is open, that is not among them; sessions end with theirs,
 * and so do passkeys.
 * What is left afterwards stays because it is the last. `condition` is about `identities`, and its values begin at `$2`.
 */
export async function deleteIdentities(
  transaction: Queryable,
  openWays: string[],
  { condition, values }: { condition: string; values: unknown[] },
): Promise<GoneIdentity[]> {
  const rows = await rowsOf<GoneIdentity>(transaction, {
    text: `with wanted as (select id, person_id from identities where ${condition})
           delete from identities using wanted where identities.id = wanted.id and identities.person_id = wanted.person_id
             and exists (select from identities other where other.person_id = wanted.person_id and other.way = any($1)
                           and other.id not in (select id from wanted))
           returning identities.id, identities.person_id as "personId", way`,
    values: [openWays, ...values],
  });
  const keyless = rows.filter(({ way }) => way === passkeyMethod).map(({ personId }) => personId);
  if (keyless.length > 0)
    await execute(transaction, 'delete from passkeys where person_id = any($1)', [keyless]);
  return rows;
}

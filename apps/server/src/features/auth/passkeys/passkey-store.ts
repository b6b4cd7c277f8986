/** Passkeys of people. Sign-ins by passkey and by e-mailed code share one identity. */
import { passkeysMaximum } from '@vestibule/contract/sign-in/passkeys';
import { execute, rowOf, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import {
  bigint,
  boolean,
  bytes,
  defineTable,
  timestamptz,
  text,
  textArray,
  uuid,
} from '../../../platform/database/define-table.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { isSignedOutSince, personColumns, type Identity, type PersonRow } from '../../people/people-store.ts';
import { lockPeople } from '../identities/identity-store.ts';

/** Issuer of identities that this site creates. Their subject is the user handle. */
const passkeyIssuer = 'urn:vestibule:passkeys';

export const passkeyIdentity = (handle: string): Identity => ({ issuer: passkeyIssuer, subject: handle });

export const passkeyTable = defineTable('passkeys', {
  inserted: {
    credentialId: text(),
    id: uuid(),
    personId: uuid(),
    publicKey: bytes(),
    counter: bigint(),
    rpId: text(),
    transports: textArray(),
    name: text(),
    isBackupEligible: boolean(),
    isBackedUp: boolean(),
    createdAt: timestamptz(),
  },
  unread: { aaguid: uuid() },
  defaulted: { lastUsedAt: timestamptz<Date | null>() },
  otherColumns: [],
});
const { columns } = passkeyTable;

export type PasskeyRow = typeof passkeyTable.types.row;
export type NewPasskey = Omit<typeof passkeyTable.types.newRow, 'personId' | 'createdAt'>;

/** Inserts passkeys of different people. Fails with `passkeys_pkey` if a credential exists already. */
export async function insertPasskeys(
  transaction: Queryable,
  passkeys: (NewPasskey & { personId: string })[],
  at: Date,
): Promise<void> {
  await transaction.query({
    name: 'insert-passkeys',
    text: passkeyTable.insert,
    values: [passkeyTable.parameter(passkeys.map((passkey) => ({ ...passkey, createdAt: at })))],
  });
}

/** Locks a person and adds a passkey. Returns the reason if the passkey cannot be added, otherwise null. */
export async function insertAdditionalPasskey(
  transaction: Queryable,
  {
    personId,
    handle,
    passkey,
    requestedAt,
    at,
  }: { personId: string; handle: string; passkey: NewPasskey; requestedAt: Date; at: Date },
): Promise<'tooMany' | 'anotherHandle' | 'signedOut' | null> {
  const [person] = await lockPeople(transaction, [personId]);
  if (!person || isSignedOutSince(person, requestedAt)) return 'signedOut';
  const currentHandle = await findUserHandle(transaction, personId);
  if (currentHandle !== null && currentHandle !== handle) return 'anotherHandle';
  const found = await rowOf<{ count: number }>(transaction, {
    text: 'select count(*) as count from passkeys where person_id = $1',
    values: [personId],
  });
  if ((found?.count ?? 0) >= passkeysMaximum) return 'tooMany';
  if (currentHandle === null)
    await transaction.query({
      text: `insert into identities (issuer, subject, person_id, way, created_at) values ($1, $2, $3, 'passkeys', $4)`,
      values: [passkeyIssuer, handle, personId, at],
    });
  await insertPasskeys(transaction, [{ ...passkey, personId }], at);
  return null;
}

export type FoundPasskey = PersonRow &
  Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'is_backup_eligible'> & {
    handle: string;
  };

/** Returns the passkeys with their people in the order of the credentials. */
export async function findPasskeys(
  database: Queryable,
  credentialIds: string[],
  rpId: string,
): Promise<(FoundPasskey | null)[]> {
  const rows = await rowsOf<FoundPasskey>(database, {
    name: 'find-passkeys',
    text: `select ${personColumns}, handle, credential_id, public_key, counter, transports, is_backup_eligible
           from (select credential_id, person_id as id, public_key, counter, transports, is_backup_eligible from passkeys
                 where credential_id = any($1) and rp_id = $2) passkey
           join (select subject as handle, person_id as id from identities where issuer = $3) identity using (id)
           join people using (id)`,
    values: [credentialIds, rpId, passkeyIssuer],
  });
  const found = new Map(rows.map((row) => [row.credential_id, row]));
  return credentialIds.map((credentialId) => found.get(credentialId) ?? null);
}

export type UsedPasskey = {
  credentialId: string;
  counter: number;
  isBackedUp: boolean;
  challenge: AnsweredChallenge;
};

/**
 * Records uses of passkeys. `'reused'`: the challenge was answered before. `'refused'`: the passkey was deleted, or its
 * counter did not increase (cloned authenticator).
 */
export async function recordPasskeyUses(
  database: Queryable,
  used: UsedPasskey[],
  at: Date,
): Promise<('recorded' | 'reused' | 'refused')[]> {
  const rows = await rowsOf<{ hash: Buffer; isUpdated: boolean }>(database, {
    name: 'record-passkey-uses',
    text: `with asked as (
             select * from unnest($2::bytea[], $3::timestamptz[], $4::text[], $5::bigint[], $6::boolean[])
               as asked (hash, ends_at, credential_id, counter, is_backed_up)),
           answered as (
             insert into used_challenges (hash, ends_at) select hash, ends_at from asked on conflict do nothing returning hash),
           updated as (
             update passkeys set counter = asked.counter, is_backed_up = asked.is_backed_up, last_used_at = $1
             from asked join answered using (hash)
             where passkeys.credential_id = asked.credential_id
               and (passkeys.counter < asked.counter or (passkeys.counter = 0 and asked.counter = 0))
             returning hash)
           select hash, exists (select from updated where updated.hash = answered.hash) as "isUpdated" from answered`,
    values: [
      at,
      used.map(({ challenge }) => challenge.hash),
      used.map(({ challenge }) => challenge.endsAt),
      valuesOf(used, 'credentialId'),
      valuesOf(used, 'counter'),
      valuesOf(used, 'isBackedUp'),
    ],
  });
  const answered = new Map(rows.map(({ hash, isUpdated }) => [hash.toString('base64'), isUpdated]));
  return used.map(({ challenge }) => {
    const isUpdated = answered.get(challenge.hash.toString('base64'));
    return isUpdated === undefined ? 'reused' : isUpdated ? 'recorded' : 'refused';
  });
}

export async function listPasskeys(database: Queryable, personId: string): Promise<PasskeyRow[]> {
  return rowsOf<PasskeyRow>(database, {
    text: `select ${columns} from passkeys where person_id = $1 order by created_at desc, credential_id`,
    values: [personId],
  });
}

/** Returns the user handle of a person's passkeys; null if they have none. */
export async function findUserHandle(database: Queryable, personId: string): Promise<string | null> {
  const found = await rowOf<{ subject: string }>(database, {
    text: 'select subject from identities where person_id = $1 and issuer = $2',
    values: [personId, passkeyIssuer],
  });
  return found?.subject ?? null;
}

/** Person with a passkey identity. `hasPasskey` is true if a passkey works at the host. */
export type PasskeyUser = { person: PersonRow; handle: string; hasPasskey: boolean };

export async function findPasskeyUser(
  database: Queryable,
  emailCanonical: string,
  rpId: string,
): Promise<PasskeyUser | null> {
  const [member] = await findPasskeyUsers(database, [emailCanonical], rpId);
  return member ?? null;
}

export async function findPasskeyUsers(
  database: Queryable,
  addresses: string[],
  rpId: string,
): Promise<(PasskeyUser | null)[]> {
  const { rows } = await database.query<
    PersonRow & { position: number; handle: string; has_passkey: boolean }
  >({
    name: 'find-passkey-people-by-address',
    text: `select position, ${personColumns}, handle,
             exists (select from passkeys where person_id = people.id and rp_id = $2) as has_passkey
           from unnest($1::text[]) with ordinality as asked (email_canonical, position) join people using (email_canonical)
           join (select subject as handle, person_id from identities where issuer = $3) identity on person_id = id`,
    values: [addresses, rpId, passkeyIssuer],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return addresses.map((_, index) => {
    const row = found.get(index + 1);
    return row ? { person: row, handle: row.handle, hasPasskey: row.has_passkey } : null;
  });
}

export function renamePasskeyRow(transaction: Queryable, personId: string, id: string, name: string) {
  return rowOf<PasskeyRow>(transaction, {
    text: `update passkeys set name = $3 where id = $2 and person_id = $1 and name <> $3 returning ${columns}`,
    values: [personId, id, name],
  });
}

/** Deletes a passkey. Returns null if it does not exist or is the last sign-in method. */
export async function deletePasskey(
  transaction: Queryable,
  personId: string,
  id: string,
  {
    rpId,
    areCodesSufficient,
    signInMethods,
  }: { rpId: string; areCodesSufficient: boolean; signInMethods: string[] },
): Promise<PasskeyRow | null> {
  // Serializes concurrent deletions, so that the last passkey is detected.
  await execute(transaction, 'select from people where id = $1 for update', [personId]);
  const rows = await rowsOf<PasskeyRow>(transaction, {
    text: `delete from passkeys where id = $2 and person_id = $1 and (
             $4 or rp_id <> $3
             or exists (select from passkeys other where other.person_id = $1 and other.id <> $2 and other.rp_id = $3)
             or exists (select from identities where person_id = $1 and issuer <> $5 and way = any($6)))
           returning ${columns}`,
    values: [personId, id, rpId, areCodesSufficient, passkeyIssuer, signInMethods],
  });
  if (rows[0]) await endCodesWithoutPasskeys(transaction, personId, signInMethods);
  return rows[0] ?? null;
}

/** Deletes the passkey identity of people who joined by another method, and moves their sessions to that method. */
async function endCodesWithoutPasskeys(
  transaction: Queryable,
  personId: string,
  signInMethods: string[],
): Promise<void> {
  const other = await rowOf<Identity & { way: string }>(transaction, {
    text: `select other.issuer, other.subject, other.way from identities other join identities mine using (person_id)
             join people on people.id = person_id
           where person_id = $1 and other.way = any($3) and mine.issuer = $2 and other.issuer <> $2
             and joined_at < mine.created_at and not exists (select from passkeys where passkeys.person_id = $1)
           order by other.created_at limit 1`,
    values: [personId, passkeyIssuer, signInMethods],
  });
  if (!other) return;
  await transaction.query({
    text: 'update sessions set issuer = $3, subject = $4, way = $5 where person_id = $1 and issuer = $2',
    values: [personId, passkeyIssuer, other.issuer, other.subject, other.way],
  });
  await transaction.query({
    text: 'delete from identities where person_id = $1 and issuer = $2',
    values: [personId, passkeyIssuer],
  });
}

export type AnsweredChallenge = { hash: Buffer; endsAt: Date };

/** Records a challenge whose response failed. Returns false if it was answered before. */
export async function recordAnsweredChallenge(
  database: Queryable,
  { hash, endsAt }: AnsweredChallenge,
): Promise<boolean> {
  const rowCount = await execute(database, {
    name: 'record-answered-challenge',
    text: 'insert into used_challenges (hash, ends_at) values ($1, $2) on conflict do nothing',
    values: [hash, endsAt],
  });
  return rowCount === 1;
}

/** Reads and writes passkeys. Whoever signs in with them, or with mailed codes, has one identity for both. */
import { passkeysMaximum } from '@vestibule/contract/sign-in/passkeys';
import { execute, rowOf, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import {
  bigint,
  boolean,
  bytes,
  defineTable,
  moment,
  text,
  texts,
  uuid,
} from '../../../platform/database/define-table.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { isSignedOutSince, personColumns, type Identity, type PersonRow } from '../../people/people-store.ts';
import { lockPeople } from '../identities/identity-store.ts';

/** The issuer of identities that this site itself gives; the subject is the user handle that authenticators keep. */
export const passkeyIssuer = 'urn:vestibule:passkeys';

export const passkeyIdentity = (handle: string): Identity => ({ issuer: passkeyIssuer, subject: handle });

export const passkeyTable = defineTable('passkeys', {
  inserted: {
    credentialId: text(),
    id: uuid(),
    personId: uuid(),
    publicKey: bytes(),
    counter: bigint(),
    rpId: text(),
    transports: texts(),
    name: text(),
    isBackupEligible: boolean(),
    isBackedUp: boolean(),
    createdAt: moment(),
  },
  unread: { aaguid: uuid() },
  defaulted: { lastUsedAt: moment<Date | null>() },
  elsewhere: [],
});
const { columns } = passkeyTable;

export type PasskeyRow = typeof passkeyTable.types.row;
export type NewPasskey = Omit<typeof passkeyTable.types.newRow, 'personId' | 'createdAt'>;

/** Keeps new passkeys, each of one person. Fails where one is known already (`passkeys_pkey`). */
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

/**
 * Adds a passkey to somebody who is inside, with the identity that it belongs to where they have none. Gives what is in the way:
 * they have as many as there can be, have become another handle since theirs was made, or were signed out everywhere since they set
 * out (`askedAt`). Whoever adds several waits in line.
 */
export async function addPasskeyTo(
  transaction: Queryable,
  {
    personId,
    handle,
    passkey,
    askedAt,
    at,
  }: { personId: string; handle: string; passkey: NewPasskey; askedAt: Date; at: Date },
): Promise<'tooMany' | 'anotherHandle' | 'signedOut' | null> {
  const [person] = await lockPeople(transaction, [personId]);
  if (!person || isSignedOutSince(person, askedAt)) return 'signedOut';
  const known = await findHandle(transaction, personId);
  if (known !== null && known !== handle) return 'anotherHandle';
  const found = await rowOf<{ count: number }>(transaction, {
    text: 'select count(*) as count from passkeys where person_id = $1',
    values: [personId],
  });
  if ((found?.count ?? 0) >= passkeysMaximum) return 'tooMany';
  if (known === null)
    await transaction.query({
      text: `insert into identities (issuer, subject, person_id, way, created_at) values ($1, $2, $3, 'passkeys', $4)`,
      values: [passkeyIssuer, handle, personId, at],
    });
  await insertPasskeys(transaction, [{ ...passkey, personId }], at);
  return null;
}

/** The person, and the passkey that they sign in with. */
export type FoundPasskey = PersonRow &
  Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'is_backup_eligible'> & {
    handle: string;
  };

/** The passkeys of credentials at a host, in their order, with their people and the handles that go with them. */
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
 * Notes that passkeys have answered challenges, each of another one. `'again'` when the challenge was answered before; `'refused'` when
 * the passkey is gone, or somebody used it with the same counter at this very moment: a counter that is kept rises, so of a copied
 * authenticator one of the two is refused.
 */
export async function notePasskeysUsed(
  database: Queryable,
  used: UsedPasskey[],
  at: Date,
): Promise<('noted' | 'again' | 'refused')[]> {
  const rows = await rowsOf<{ hash: Buffer; noted: boolean }>(database, {
    name: 'note-passkeys-used',
    text: `with asked as (
             select * from unnest($2::bytea[], $3::timestamptz[], $4::text[], $5::bigint[], $6::boolean[])
               as asked (hash, ends_at, credential_id, counter, is_backed_up)),
           answered as (
             insert into used_challenges (hash, ends_at) select hash, ends_at from asked on conflict do nothing returning hash),
           noted as (
             update passkeys set counter = asked.counter, is_backed_up = asked.is_backed_up, last_used_at = $1
             from asked join answered using (hash)
             where passkeys.credential_id = asked.credential_id
               and (passkeys.counter < asked.counter or (passkeys.counter = 0 and asked.counter = 0))
             returning hash)
           select hash, exists (select from noted where noted.hash = answered.hash) as noted from answered`,
    values: [
      at,
      used.map(({ challenge }) => challenge.hash),
      used.map(({ challenge }) => challenge.endsAt),
      valuesOf(used, 'credentialId'),
      valuesOf(used, 'counter'),
      valuesOf(used, 'isBackedUp'),
    ],
  });
  const answered = new Map(rows.map(({ hash, noted }) => [hash.toString('base64'), noted]));
  return used.map(({ challenge }) => {
    const noted = answered.get(challenge.hash.toString('base64'));
    return noted === undefined ? 'again' : noted ? 'noted' : 'refused';
  });
}

/** Somebody's passkeys, the newest first. */
export async function listPasskeys(database: Queryable, personId: string): Promise<PasskeyRow[]> {
  return rowsOf<PasskeyRow>(database, {
    text: `select ${columns} from passkeys where person_id = $1 order by created_at desc, credential_id`,
    values: [personId],
  });
}

/** The handle by which authenticators know somebody; null while they have none. */
export async function findHandle(database: Queryable, personId: string): Promise<string | null> {
  const found = await rowOf<{ subject: string }>(database, {
    text: 'select subject from identities where person_id = $1 and issuer = $2',
    values: [personId, passkeyIssuer],
  });
  return found?.subject ?? null;
}

/** Whoever is inside and signs in by passkeys or codes; `hasPasskey` says whether one works at the host. */
export type Member = { person: PersonRow; handle: string; hasPasskey: boolean };

export async function findByAddress(
  database: Queryable,
  emailCanonical: string,
  rpId: string,
): Promise<Member | null> {
  const [member] = await findByAddresses(database, [emailCanonical], rpId);
  return member ?? null;
}

/** In the order of the addresses; null where nobody has it. */
export async function findByAddresses(
  database: Queryable,
  addresses: string[],
  rpId: string,
): Promise<(Member | null)[]> {
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

/** Null when it is called so already, or is not there. */
export function renamePasskeyRow(transaction: Queryable, personId: string, id: string, name: string) {
  return rowOf<PasskeyRow>(transaction, {
    text: `update passkeys set name = $3 where id = $2 and person_id = $1 and name <> $3 returning ${columns}`,
    values: [personId, id, name],
  });
}

/**
 * Removes a passkey of somebody, but never their last way in: another one that works here, a way of another kind, or mailed codes where
 * `codesDo`. Null when it is that, or is not there. Whoever came in another way before has codes by their passkeys alone: they end with
 * the last of them.
 */
export async function deletePasskey(
  transaction: Queryable,
  personId: string,
  id: string,
  { rpId, codesDo, ways }: { rpId: string; codesDo: boolean; ways: string[] },
): Promise<PasskeyRow | null> {
  // Of two that are removed at once, the second sees that the first is gone.
  await execute(transaction, 'select from people where id = $1 for update', [personId]);
  const rows = await rowsOf<PasskeyRow>(transaction, {
    text: `delete from passkeys where id = $2 and person_id = $1 and (
             $4 or rp_id <> $3
             or exists (select from passkeys other where other.person_id = $1 and other.id <> $2 and other.rp_id = $3)
             or exists (select from identities where person_id = $1 and issuer <> $5 and way = any($6)))
           returning ${columns}`,
    values: [personId, id, rpId, codesDo, passkeyIssuer, ways],
  });
  if (rows[0]) await endCodesWithoutPasskeys(transaction, personId, ways);
  return rows[0] ?? null;
}

/** Sessions stay: they go on as those of another way that is open. Whoever joined by passkeys or codes has had them from that moment. */
async function endCodesWithoutPasskeys(
  transaction: Queryable,
  personId: string,
  ways: string[],
): Promise<void> {
  const other = await rowOf<Identity & { way: string }>(transaction, {
    text: `select other.issuer, other.subject, other.way from identities other join identities mine using (person_id)
             join people on people.id = person_id
           where person_id = $1 and other.way = any($3) and mine.issuer = $2 and other.issuer <> $2
             and joined_at < mine.created_at and not exists (select from passkeys where passkeys.person_id = $1)
           order by other.created_at limit 1`,
    values: [personId, passkeyIssuer, ways],
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

/** A challenge that is answered, by its hash, and when it is too old to be answered again. */
export type AnsweredChallenge = { hash: Buffer; endsAt: Date };

/** Notes that a challenge was answered by what is no passkey of ours. False when it was before. */
export async function noteAnswered(
  database: Queryable,
  { hash, endsAt }: AnsweredChallenge,
): Promise<boolean> {
  const rowCount = await execute(database, {
    name: 'note-challenge-answered',
    text: 'insert into used_challenges (hash, ends_at) values ($1, $2) on conflict do nothing',
    values: [hash, endsAt],
  });
  return rowCount === 1;
}

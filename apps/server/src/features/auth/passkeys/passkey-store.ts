/** Passkeys of people. Sign-ins by passkey and by e-mailed code share one identity. */
import { signInProblems } from '@vestibule/contract/sign-in';
import { passkeyErrors, passkeysMaximum } from '@vestibule/contract/sign-in/passkeys';
import { fail } from '../../../platform/errors/failure.ts';
import {
  execute,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type Queryable,
} from '../../../platform/database/database.ts';
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
import {
  isSignedOutSince,
  personColumns,
  type Identity,
  type PersonRow,
  lockPeople,
} from '../../people/people-store.ts';
import { StartUpError } from '../../../platform/config/start-up-error.ts';

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

/** Fails with `passkeys_pkey` if the credential exists already. */
export async function insertPasskey(
  transaction: Queryable,
  passkey: NewPasskey & { personId: string },
  at: Date,
): Promise<void> {
  await transaction.query({
    name: 'insert-passkey',
    text: passkeyTable.insert,
    values: [passkeyTable.parameter([{ ...passkey, createdAt: at }])],
  });
}

/** Locks a person and adds a passkey. Throws if they have too many, signed out since `requestedAt`, or have another handle. */
export async function insertAdditionalPasskey(
  transaction: Queryable,
  added: { personId: string; handle: string; passkey: NewPasskey; requestedAt: Date; at: Date },
): Promise<void> {
  const { personId, handle, passkey, requestedAt, at } = added;
  const [person] = await lockPeople(transaction, [personId]);
  if (!person || isSignedOutSince(person, requestedAt)) throw fail(signInProblems.expired);
  const currentHandle = await findUserHandle(transaction, personId);
  if (currentHandle !== null && currentHandle !== handle) throw fail(signInProblems.expired);
  const found = await rowOf<{ count: number }>(transaction)`
    select count(*) as count from passkeys where person_id = ${personId}`;
  if ((found?.count ?? 0) >= passkeysMaximum) throw fail(passkeyErrors.tooMany);
  if (currentHandle === null)
    await execute(transaction)`
      insert into identities (issuer, subject, person_id, way, created_at)
        values (${passkeyIssuer}, ${handle}, ${personId}, 'passkeys', ${at})`;
  await insertPasskey(transaction, { ...passkey, personId }, at);
}

export type FoundPasskey = PersonRow &
  Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'is_backup_eligible'> & {
    handle: string;
  };

export const findPasskey = (database: Queryable, credentialId: string, rpId: string) =>
  rowOf<FoundPasskey>(database, { name: 'find-passkey' })`
    select ${rawSql(personColumns)}, handle, credential_id, public_key, counter, transports, is_backup_eligible
    from (select credential_id, person_id as id, public_key, counter, transports, is_backup_eligible from passkeys
          where credential_id = ${credentialId} and rp_id = ${rpId}) passkey
    join (select subject as handle, person_id as id from identities where issuer = ${passkeyIssuer}) identity using (id)
    join people using (id)`;

/** Returns false if the passkey was deleted, or the counter of a single device did not increase (cloned authenticator). */
export async function recordPasskeyUse(
  database: Queryable,
  used: { credentialId: string; counter: number; isBackedUp: boolean },
  at: Date,
): Promise<boolean> {
  const rowCount = await execute(database, { name: 'record-passkey-use' })`
    update passkeys set counter = ${used.counter}, is_backed_up = ${used.isBackedUp}, last_used_at = ${at}
    where credential_id = ${used.credentialId} and (is_backup_eligible or counter < ${used.counter} or (counter = 0
      and ${used.counter} = 0))`;
  return rowCount === 1;
}

export const listPasskeys = (database: Queryable, personId: string) =>
  rowsOf<PasskeyRow>(database)`
    select ${rawSql(columns)} from passkeys where person_id = ${personId} order by created_at desc, credential_id`;

/** Returns the user handle of a person's passkeys; null if they have none. */
export const findUserHandle = (database: Queryable, personId: string) =>
  scalarOf<string>(database)`
    select subject from identities where person_id = ${personId} and issuer = ${passkeyIssuer}`;

/** Person with a passkey identity. `hasPasskey` is true if a passkey works at the host. */
type PasskeyUser = { person: PersonRow; handle: string; hasPasskey: boolean };

export async function findPasskeyUser(
  database: Queryable,
  emailCanonical: string,
  rpId: string,
): Promise<PasskeyUser | null> {
  const row = await rowOf<PersonRow & { handle: string; has_passkey: boolean }>(database, {
    name: 'find-passkey-person-by-address',
  })`
    select ${rawSql(personColumns)}, handle,
      exists (select from passkeys where person_id = people.id and rp_id = ${rpId}) as has_passkey
    from people join (select subject as handle, person_id from identities
      where issuer = ${passkeyIssuer}) identity on person_id = id
    where email_canonical = ${emailCanonical}`;
  return row && { person: row, handle: row.handle, hasPasskey: row.has_passkey };
}

export const renamePasskeyRow = (transaction: Queryable, personId: string, id: string, name: string) =>
  rowOf<PasskeyRow>(transaction)`
    update passkeys set name = ${name} where id = ${id} and person_id = ${personId} and name <> ${name}
      returning ${rawSql(columns)}`;

/** Deletes a passkey. Returns null if it does not exist or is the last sign-in method. */
export async function deletePasskey(
  transaction: Queryable,
  personId: string,
  id: string,
  options: { rpId: string; areCodesSufficient: boolean; signInMethods: string[] },
): Promise<PasskeyRow | null> {
  const { rpId, areCodesSufficient, signInMethods } = options;
  // Serializes concurrent deletions, so that the last passkey is detected.
  await execute(transaction)`select from people where id = ${personId} for update`;
  const rows = await rowsOf<PasskeyRow>(transaction)`
    delete from passkeys where id = ${id} and person_id = ${personId} and (
      ${areCodesSufficient} or rp_id <> ${rpId}
      or exists (select from passkeys other where other.person_id = ${personId} and other.id <> ${id}
        and other.rp_id = ${rpId})
      or exists (select from identities where person_id = ${personId} and issuer <> ${passkeyIssuer}
        and way = any(${signInMethods})))
    returning ${rawSql(columns)}`;
  if (rows[0]) await endCodesWithoutPasskeys(transaction, personId, signInMethods);
  return rows[0] ?? null;
}

/** Deletes the passkey identity of people who joined by another method, and moves their sessions to that method. */
async function endCodesWithoutPasskeys(
  transaction: Queryable,
  personId: string,
  signInMethods: string[],
): Promise<void> {
  const other = await rowOf<Identity & { way: string }>(transaction)`
    select other.issuer, other.subject, other.way from identities other join identities mine using (person_id)
      join people on people.id = person_id
    where person_id = ${personId} and other.way = any(${signInMethods}) and mine.issuer = ${passkeyIssuer}
      and other.issuer <> ${passkeyIssuer}
      and joined_at < mine.created_at and not exists (select from passkeys where passkeys.person_id = ${personId})
    order by other.created_at limit 1`;
  if (!other) return;
  await execute(transaction)`
    update sessions set issuer = ${other.issuer}, subject = ${other.subject}, way = ${other.way}
      where person_id = ${personId} and issuer = ${passkeyIssuer}`;
  await execute(transaction)`
    delete from identities where person_id = ${personId} and issuer = ${passkeyIssuer}`;
}

export type AnsweredChallenge = { hash: Buffer; endsAt: Date };

/** Records a challenge, which works once. Returns false if it was answered before. */
export async function recordAnsweredChallenge(
  database: Queryable,
  { hash, endsAt }: AnsweredChallenge,
): Promise<boolean> {
  const rowCount = await execute(database, { name: 'record-answered-challenge' })`
    insert into used_challenges (hash, ends_at) values (${hash}, ${endsAt}) on conflict do nothing`;
  return rowCount === 1;
}

/** Throws if passkeys of another host exist, which would not work, unless the setting allows it. */
export async function checkPasskeyHost(
  database: Queryable,
  { rpId, allowsOtherHosts }: { rpId: string; allowsOtherHosts: boolean },
): Promise<void> {
  if (allowsOtherHosts) return;
  const rows = await rowsOf<{ host: string; count: number }>(database)`
    select rp_id as host, count(*) as count from passkeys where rp_id <> ${rpId} group by rp_id order by 2 desc, 1
      limit 5`;
  if (rows.length === 0) return;
  const unusable = rows.map(({ host, count }) => `${count} of ${host}`).join(', ');
  throw new StartUpError(
    `Passkeys would be lost: ${unusable}. They belong to the host of PUBLIC_URL, which is ${rpId} now, and browsers offer them nowhere else.
Set PUBLIC_URL back to that host, or set PASSKEYS_OF_OTHER_HOST=keep to start anyway. Those people then sign in with an e-mailed code and create a new passkey. The old ones work again once PUBLIC_URL is changed back.`,
  );
}

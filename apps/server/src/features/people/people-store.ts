/** Reads and writes people, their identities and sign-ins. Permissions are checked in people.ts. */
import { required } from '../../platform/errors/failure.ts';
import { createHash } from 'node:crypto';
import {
  newDays,
  Person,
  quietDays,
  type PeopleColumn,
  type PeopleGroup,
  type SignIn as ShownSignIn,
  personErrors,
} from '@vestibule/contract/people';
import type { Role } from '@vestibule/contract/rules/role';
import {
  execute,
  hasRow,
  hideFromPlanner,
  jsonParameter,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { defineTable, integer, timestamptz, text, uuid } from '../../platform/database/define-table.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import { foldedText, type ExportedColumn, type ListSource } from '../../platform/lists/list-source.ts';
import { describeAgent } from '../../platform/http/describe-agent.ts';
import { clockToleranceSeconds } from '../../platform/identity/access-token.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { languageOf } from '../mail/mail-from-row.ts';

/** All columns of a person. To add one, add it here and in a migration; the compiler reports the other places. */
export const peopleTable = defineTable('people', {
  inserted: {
    id: uuid(),
    email: text(),
    displayName: text(),
    role: text<Role>(),
    invitedBy: text<string | null>(),
    /** Comma-separated ids of the sign-in methods, maintained by a trigger of `identities`. */
    ways: text(),
    joinedAt: timestamptz(),
    lastSignInAt: timestamptz<Date | null>(),
    lastSeenAt: timestamptz<Date | null>(),
  },
  unread: { emailCanonical: text() },
  defaulted: {
    status: text<'active' | 'disabled'>(),
    version: integer(),
    theme: text<string | null>(),
    language: text<string | null>(),
    /** Sign-ins up to this time, by the clock of the provider, are ended. */
    tokensValidAfter: timestamptz<Date | null>(),
  },
  otherColumns: ['lookedAt'],
});

export type PersonRow = typeof peopleTable.types.row;

/** Defaults for a new person without an invitation. */
export const defaultPerson = {
  role: 'member' as const,
  invitedBy: null,
};

export const personColumns = peopleTable.columns;

export const toPerson: (row: PersonRow) => Person = toContract(Person);

export const peopleList: ListSource<PeopleColumn, ExportedColumn, PeopleGroup> = {
  table: 'people',
  columns: {
    displayName: { kind: 'text', searched: true, folded: true, label: 'Name' },
    email: { kind: 'text', searched: true, folded: true, label: 'E-mail' },
    role: { kind: 'set', label: 'Role', words: { admin: 'Administrator', member: 'Member' } },
    status: { kind: 'set', label: 'Status', words: { active: 'Active', disabled: 'Disabled' } },
    joinedAt: { kind: 'date', label: 'Joined' },
    lastSignInAt: { kind: 'date', label: 'Last sign-in' },
    lastSeenAt: { kind: 'date', label: 'Last seen' },
    invitedBy: { kind: 'text', isRepeated: true, label: 'Invited by' },
    ways: { kind: 'set', several: true, isRepeated: true, label: 'Signs in with' },
  },
  groups: {
    active: `status = 'active'`,
    administrators: `role = 'admin'`,
    new: `joined_at >= $now - interval '${newDays} days'`,
    quiet: `status = 'active' and (last_seen_at < $now - interval '${quietDays} days'
      or (last_seen_at is null and joined_at < $now - interval '${quietDays} days'))`,
    disabled: `status = 'disabled'`,
  },
  searchedOrders: [foldedText('display_name'), foldedText('email')],
  newestFirst: 'joined_at',
};

/** Account at a provider. A person may have several. */
export type Identity = { issuer: string; subject: string };

/** Person with the address that the provider last reported for the identity. */
type FoundPerson = PersonRow & { provider_email: string | null; provider_email_verified: boolean | null };

/** Returns people in the order of `identities`; null for unknown ones. */
export async function findPeopleByIdentity(
  database: Queryable,
  identities: Identity[],
): Promise<(FoundPerson | null)[]> {
  const rows = await rowsOf<FoundPerson & { position: number }>(database, {
    name: 'find-people-by-identity',
    text: `select position, ${personColumns}, provider_email, provider_email_verified
           from unnest(${hideFromPlanner('$1::text[]')}, $2::text[]) with ordinality as given (issuer, subject, position)
           join (select issuer, subject, person_id as id, email as provider_email, email_verified as provider_email_verified
                 from identities) identity using (issuer, subject)
           join people using (id)`,
    values: [identities.map(({ issuer }) => issuer), identities.map(({ subject }) => subject)],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return identities.map((_, index) => found.get(index + 1) ?? null);
}

/** Records that the person has proven the address in a sign-in with this identity. */
export async function storeVerifiedAddress(
  database: Queryable,
  { issuer, subject }: Identity,
  email: string,
): Promise<void> {
  await execute(database, { name: 'store-verified-address' })`
    update identities set email = ${email}, email_verified = true
    where issuer = ${issuer} and subject = ${subject} and (email, email_verified) is distinct from (${email}, true)`;
}

export const findPerson = (database: Queryable, personId: string) =>
  rowOf<PersonRow>(database, { name: 'find-person' })`
    select ${rawSql(personColumns)} from people where id = ${personId}`;

/** Throws if the person does not exist. */
export const requirePerson = async (database: Queryable, personId: string): Promise<PersonRow> =>
  required(await findPerson(database, personId), personErrors.notFound);

/**
 * Locks people in the order of their ids, which prevents deadlocks. Identities are changed under this lock: two concurrent deletions could
 * otherwise each rely on the identity that the other deletes.
 */
export const lockPeople = (
  transaction: Queryable,
  ids: string[],
  strength: 'update' | 'no key update' = 'no key update',
): Promise<PersonRow[]> =>
  rowsOf<PersonRow>(transaction)`
    select ${rawSql(personColumns)} from people where id = any(${ids}) order by id for ${rawSql(strength)}`;

export async function markSeen(database: Queryable, personId: string, at: Date): Promise<void> {
  await execute(database, { name: 'mark-person-seen' })`
    update people set last_seen_at = ${at} where id = ${personId} and (last_seen_at is null or last_seen_at < ${at})`;
}

/** Inserts people with an identity each. Returns them by id. */
export async function insertPeople(
  transaction: Queryable,
  people: (Omit<typeof peopleTable.types.newRow, 'ways'> & Identity & { way: string })[],
): Promise<Map<string, PersonRow>> {
  const identities = people.map(({ id, issuer, subject, way, joinedAt, lastSignInAt }) => ({
    issuer,
    subject,
    personId: id,
    way,
    at: joinedAt,
    signedInAt: lastSignInAt,
  }));
  const rows = await rowsOf<PersonRow>(transaction, {
    name: 'insert-people',
    text: `with identity as (
             insert into identities (issuer, subject, person_id, way, created_at, last_sign_in_at)
             select issuer, subject, "personId", way, at, "signedInAt" from jsonb_to_recordset($2)
               as given (issuer text, subject text, "personId" uuid, way text, at timestamptz, "signedInAt" timestamptz))
           ${peopleTable.insert} returning ${personColumns}`,
    values: [
      peopleTable.parameter(people.map((person) => ({ ...person, ways: person.way }))),
      jsonParameter(identities),
    ],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export type SignInRow = { id: number; session: string; at: Date; address: string; user_agent: string };

export type SignIn = { personId: string; session: string; at: Date; address: string; userAgent: string };

/** Inserts first sign-ins of new people, which need no check for known sessions and no clean-up. */
export async function insertFirstSignIns(
  transaction: Queryable,
  people: { personId: string; signIn: Omit<SignIn, 'personId'> | null }[],
): Promise<void> {
  const signIns = people.flatMap(({ personId, signIn }) => (signIn ? [{ ...signIn, personId }] : []));
  if (signIns.length === 0) return;
  await execute(transaction, { name: 'insert-first-sign-ins' })`
    insert into sign_ins (person_id, session, at, address, user_agent)
    select "personId", session, at, address, "userAgent"
    from jsonb_to_recordset(${jsonParameter(signIns)}) as signed_in ("personId" uuid, session text, at timestamptz,
      address text, "userAgent" text)`;
}

const maxStoredSignIns = 50;

/** Records a sign-in. Returns false if its session is known or the person is being removed. */
export async function insertSignIn(database: Queryable, signIn: SignIn): Promise<boolean> {
  const found = await rowOf<{ isNew: boolean }>(database, { name: 'insert-sign-in' })`
    with inserted as (
      insert into sign_ins (person_id, session, at, address, user_agent)
      select id, ${signIn.session}, ${signIn.at}, ${signIn.address}, ${signIn.userAgent} from people
        where id = ${signIn.personId} for key share
      on conflict do nothing returning id),
    updated as (
      update people set last_sign_in_at = ${signIn.at}, last_seen_at = greatest(last_seen_at, ${signIn.at})
        where id = ${signIn.personId}
      and last_sign_in_at is distinct from ${signIn.at} and exists (select from inserted)),
    trimmed as (
      delete from sign_ins where person_id = ${signIn.personId} and exists (select from inserted) and id <=
        (select id from sign_ins where person_id = ${signIn.personId}
          order by id desc offset ${rawSql(maxStoredSignIns - 1)} limit 1))
    select exists (select from inserted) as "isNew"`;
  return found?.isNew === true;
}

/** Delay until lists show the latest sign-in, in milliseconds. */
export const flushIntervalMs = 1_000;
/** Maximum number of people that one statement locks. */
const maxPeoplePerBatch = 50;

/**
 * Writes buffered sign-ins and deletes those beyond the last 50. Safe to run in several processes. Sign-ins are buffered,
 * so that they do not wait for locked rows.
 */
export async function flushSignInBuffer(database: Queryable): Promise<void> {
  for (let written: number | null = maxPeoplePerBatch; written === maxPeoplePerBatch;)
    ({ rowCount: written } = await database.query({
      name: 'write-noted-sign-ins',
      // Ordered, to avoid deadlocks.
      text: `with taken as (
               delete from sign_in_buffer
               where person_id = any(array(select distinct person_id from sign_in_buffer limit ${maxPeoplePerBatch}))
               returning person_id as id, at),
             latest as (select id, max(at) as at from taken group by id),
             person as (select id, latest.at from people join latest using (id) order by id for no key update of people),
             outdated as (
               delete from sign_ins using latest, lateral (
                 select id from sign_ins where person_id = latest.id order by id desc offset ${maxStoredSignIns} limit 1) oldest
               where sign_ins.person_id = latest.id and sign_ins.id <= oldest.id)
             update people set last_sign_in_at = greatest(last_sign_in_at, person.at), last_seen_at = greatest(last_seen_at, person.at)
             from person where people.id = person.id`,
    }));
}

export const listSignInRows = (database: Queryable, personId: string, maximum: number | null = null) =>
  rowsOf<SignInRow>(database, { name: 'list-sign-ins' })`
    select id, session, at, address, user_agent from sign_ins where person_id = ${personId}
    order by at desc, id desc limit ${maximum}`;

export const toSignIn = ({ id, at, address, user_agent: userAgent }: SignInRow): ShownSignIn => ({
  id,
  at: at.toISOString(),
  address,
  ...describeAgent(userAgent),
});

/** Returns the mail language of a person, or null. */
export const findLanguage = (database: Queryable, personId: string) =>
  scalarOf<'en' | 'de' | null>(database)`select ${rawSql(languageOf, personId)} as language`;

/**
 * SQL that ends the sign-ins up to `$2`; the caller appends the condition. Sign-ins that are not recorded here are
 * dated by the provider's clock, which may differ from ours by the tolerance.
 */
export const endSignInsSql = `update people set tokens_valid_after = greatest(tokens_valid_after,
  $2::timestamptz - interval '${clockToleranceSeconds} s',
  (select to_timestamp(max(session::bigint)) from sign_ins where person_id = people.id and session ~ '^[0-9]{1,10}$'))`;

/** Returns whether sign-ins ended after `since`, by our clock; the stored time is earlier by the clock tolerance. */
export const isSignedOutSince = ({ tokens_valid_after: until }: PersonRow, since: Date): boolean =>
  until !== null && since.getTime() <= until.getTime() + clockToleranceSeconds * 1000;

const hashOf = ({ issuer, subject }: Identity) =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();

/**
 * Stores the hashed identities of people, to recognize them at a later sign-in until they are erased. The people must be
 * locked and in `removed_people` already.
 */
export async function storeDeletedIdentities(transaction: Queryable, personIds: string[]): Promise<void> {
  const rows = await rowsOf<Identity & { person_id: string; email: string | null }>(transaction)`
    select person_id, issuer, subject, case when email_verified then email end as email
    from identities where person_id = any(${personIds})`;
  await execute(transaction)`
    insert into deleted_identities (person_id, identity_hash, email_canonical)
    select * from unnest(${valuesOf(rows, 'person_id')}::uuid[], ${rows.map(hashOf)}::bytea[],
      ${rows.map(({ email }) => email && canonicalEmail(email))}::text[])`;
}

/** Returns whether a removed person had this address, at the site or a provider, or this identity. */
export const belongsToRemovedPerson = (database: Queryable, emailCanonical: string, identity?: Identity) =>
  hasRow(database)`
    select from removed_people where email_canonical = ${emailCanonical}
    union all select from deleted_identities where identity_hash = ${identity ? hashOf(identity) : null}
      or email_canonical = ${emailCanonical}`;

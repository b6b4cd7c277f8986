/** Reads and writes sessions. A stored session may have expired by SessionLimits; a session that ended otherwise is deleted. */
import {
  execute,
  hideFromPlanner,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type Queryable,
} from '../../../platform/database/database.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { personColumns, type Identity, type PersonRow } from '../../people/people-store.ts';

/** Idle timeout and maximum age of a session. */
export type SessionLimits = { idleMs: number; absoluteMs: number };

export type FoundSession = PersonRow & {
  session_id: string;
  way: string;
  began_at: Date;
  authenticated_at: Date | null;
  session_seen_at: Date;
  refreshed_at: Date;
  is_renewable: boolean;
};

export async function findSessions(database: Queryable, hashes: Buffer[]): Promise<(FoundSession | null)[]> {
  const rows = await rowsOf<FoundSession & { position: number }>(database, {
    name: 'find-sessions',
    text: `select position, session_id, way, began_at, authenticated_at, session_seen_at, refreshed_at, is_renewable, ${personColumns}
           from unnest(${hideFromPlanner('$1::bytea[]')}) with ordinality as given (id_hash, position)
           join (select id_hash, id as session_id, person_id as id, way, created_at as began_at, authenticated_at, seen_at as session_seen_at,
                   refreshed_at, refresh_token_sealed is not null as is_renewable from sessions) session using (id_hash)
           join people using (id)`,
    values: [hashes],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return hashes.map((_, index) => found.get(index + 1) ?? null);
}

export const isExpired = (
  session: { began_at: Date; session_seen_at: Date },
  { idleMs, absoluteMs }: SessionLimits,
  now: number,
): boolean =>
  session.session_seen_at.getTime() + idleMs <= now || session.began_at.getTime() + absoluteMs <= now;

export type NewSession = Identity & {
  hash: Buffer;
  id: string;
  personId: string;
  /** `tokens_valid_after` of the person when they were authenticated. */
  tokensValidAfter: Date | null;
  way: string;
  sid: string | null;
  signIn: string;
  address: string;
  userAgent: string;
  encryptedRefreshToken: Buffer | null;
  encryptedIdToken: Buffer | null;
  /** Time of authentication; null if unknown. */
  authenticatedAt: Date | null;
  /** Hash of the previous session of this browser, which is deleted. */
  replaced: Buffer | null;
};

/**
 * Inserts sessions. Returns, for each session, how many its person had before; null if the person or identity was
 * removed or signed out everywhere. Locks people in the order of ids, then identities.
 */
export async function insertSessions(
  database: Queryable,
  sessions: NewSession[],
  at: Date,
): Promise<(number | null)[]> {
  const rows = await rowsOf<{ id: string; before: number }>(database, {
    name: 'insert-sessions',
    text: `with given as (
             select * from unnest(${hideFromPlanner('$2::bytea[]')}, $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
               $10::text[], $11::text[], $12::bytea[], $13::bytea[], $15::timestamptz[], $16::timestamptz[])
               as given (id_hash, id, person_id, issuer, subject, way, sid, sign_in, address, user_agent, refresh_token, id_token, ended, proven)),
           person as (select id as person_id, tokens_valid_after from people where id in (select person_id from given) order by id for no key update),
           valid as (
             select given.* from given join person using (person_id)
             where tokens_valid_after is null or date_trunc('milliseconds', tokens_valid_after) = ended),
           identity as (
             update identities set last_sign_in_at = $1 from valid
             where (identities.issuer, identities.subject, identities.person_id) = (valid.issuer, valid.subject, valid.person_id)
             returning identities.issuer, identities.subject, identities.person_id),
           replaced as (delete from sessions where id_hash = any(${hideFromPlanner('$14::bytea[]')}::bytea[])),
           new_sign_ins as (
             insert into sign_ins (person_id, session, at, address, user_agent)
             select person_id, sign_in, $1, address, user_agent from valid
             on conflict do nothing returning person_id),
           buffered as (insert into sign_in_buffer (person_id, at) select distinct person_id, $1::timestamptz from new_sign_ins)
           insert into sessions (id_hash, id, person_id, issuer, subject, way, sid, address, user_agent,
             refresh_token_sealed, id_token_sealed, authenticated_at, refreshed_at, created_at, seen_at)
           select id_hash, id, person_id, issuer, subject, way, sid, address, user_agent, refresh_token, id_token, proven, $1, $1, $1
           from valid join identity using (issuer, subject, person_id)
           returning id, (select count(*)::integer from sessions known where known.person_id = sessions.person_id) as before`,
    values: [
      at,
      valuesOf(sessions, 'hash'),
      valuesOf(sessions, 'id'),
      valuesOf(sessions, 'personId'),
      valuesOf(sessions, 'issuer'),
      valuesOf(sessions, 'subject'),
      valuesOf(sessions, 'way'),
      valuesOf(sessions, 'sid'),
      valuesOf(sessions, 'signIn'),
      valuesOf(sessions, 'address'),
      valuesOf(sessions, 'userAgent'),
      valuesOf(sessions, 'encryptedRefreshToken'),
      valuesOf(sessions, 'encryptedIdToken'),
      sessions.flatMap(({ replaced }) => replaced ?? []),
      valuesOf(sessions, 'tokensValidAfter'),
      valuesOf(sessions, 'authenticatedAt'),
    ],
  });
  const before = new Map(rows.map((row) => [row.id, row.before]));
  return sessions.map(({ id }) => before.get(id) ?? null);
}

/** `seen_at < $2` makes concurrent processes write once. */
export async function touchSession(
  database: Queryable,
  session: { id: string; at: Date; address: string },
): Promise<void> {
  await execute(database, { name: 'touch-session' })`
    update sessions set seen_at = ${session.at}, address = ${session.address} where id = ${session.id}
      and seen_at < ${session.at}`;
}

export type SessionRow = {
  id: string;
  person_id: string;
  email: string;
  issuer: string;
  subject: string;
  way: string;
  address: string;
  user_agent: string;
  created_at: Date;
  seen_at: Date;
  id_token_sealed: Buffer | null;
};
const columns = `session.id, person_id, person.email, issuer, subject, way, address, user_agent, session.created_at,
  session.seen_at, id_token_sealed`;

export const listSessionRows = (
  database: Queryable,
  personId: string,
  { idleMs, absoluteMs }: SessionLimits,
  now: number,
) =>
  rowsOf<SessionRow>(database)`
    select ${rawSql(columns)} from sessions session join people person on person.id = person_id
    where person_id = ${personId} and session.seen_at > ${new Date(now - idleMs)}
      and session.created_at > ${new Date(now - absoluteMs)}
    order by session.seen_at desc, session.id limit 200`;

export const findIdentityOfSession = (database: Queryable, sessionId: string) =>
  scalarOf<string>(database)`
    select identity.id from sessions session join identities identity using (issuer, subject)
      where session.id = ${sessionId}`;

/**
 * Selects the sessions to end. `maximumOthers`: the person's sessions except `id` and this number of most recently used
 * others. `except`: the person's sessions except this one. `connection`: all sessions of an organization's sign-in method.
 */
export type SessionSelector =
  | { hash: Buffer }
  | { personId: string; id: string; maximumOthers: number }
  | { personId: string; id: string }
  | { personId: string; except: string | null }
  | { issuer: string; sid: string; subject: string | null }
  | { issuer: string; subject: string }
  | { connection: string };

function conditionOf(selector: SessionSelector): [condition: string, ...values: unknown[]] {
  if ('hash' in selector) return ['id_hash = $1', selector.hash];
  if ('connection' in selector) return [`way = $1 and way like 'org-%'`, selector.connection];
  if ('maximumOthers' in selector) {
    const kept = 'order by seen_at desc, created_at desc, id offset $3';
    const condition = `session.id in (select id from sessions where person_id = $1 and id <> $2 ${kept})`;
    return [condition, selector.personId, selector.id, selector.maximumOthers];
  }
  if ('id' in selector) return ['person_id = $1 and session.id = $2', selector.personId, selector.id];
  if ('except' in selector)
    return ['person_id = $1 and session.id is distinct from $2::uuid', selector.personId, selector.except];
  const { issuer, subject } = selector;
  if (!('sid' in selector)) return ['issuer = $1 and subject = $2', issuer, subject];
  const isSameSession = 'sid = $2 and subject = coalesce($3, subject) or sid is null and subject = $3';
  return [`issuer = $1 and (${isSameSession})`, issuer, selector.sid, subject];
}

/** Detaches pending confirmations from sessions that end, so that returning from the provider still signs in. */
export async function detachConfirmations(transaction: Queryable, selector: SessionSelector): Promise<void> {
  const [condition, ...values] = conditionOf(selector);
  await transaction.query({
    text: `update sign_in_transactions set session_id = null
           where session_id in (select id from sessions session where ${condition})
             and purpose = 'confirm' and used_at is null and outcome is null`,
    values,
  });
}

/** Makes the next request of each session of the person at the provider check it there. */
export async function recheckSessions(
  transaction: Queryable,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<void> {
  await execute(transaction)`
    update sessions set refreshed_at = ${new Date(0)} where issuer = ${issuer} and subject = ${subject}`;
}

export async function deleteSessions(
  transaction: Queryable,
  selector: SessionSelector,
): Promise<SessionRow[]> {
  const [condition, ...values] = conditionOf(selector);
  return rowsOf<SessionRow>(transaction, {
    text: `delete from sessions session using people person where person.id = person_id and ${condition}
           returning ${columns}`,
    values,
  });
}

type RenewableSession = { refreshToken: Buffer; personId: string; way: string; subject: string };

/** Returns null if another process claimed the renewal: refresh tokens rotate, so only one may use them. */
export const claimRenewal = (database: Queryable, sessionId: string, at: Date, before: Date) =>
  rowOf<RenewableSession>(database)`
    update sessions set refreshed_at = ${at} where id = ${sessionId} and refreshed_at <= ${before}
      and refresh_token_sealed is not null
    returning refresh_token_sealed as "refreshToken", person_id as "personId", way, subject`;

export async function storeRefreshToken(
  database: Queryable,
  sessionId: string,
  encrypted: { refreshToken: Buffer; idToken: Buffer | null },
): Promise<void> {
  await execute(database)`
    update sessions set refresh_token_sealed = ${encrypted.refreshToken},
      id_token_sealed = coalesce(${encrypted.idToken}, id_token_sealed) where id = ${sessionId}`;
}

const deleteBatchSize = 1_000;

/** Deletes expired rows in batches. Several processes may run it concurrently. */
export async function deleteExpired(
  database: Queryable,
  { now, absoluteMs, transactionMs }: { now: number; absoluteMs: number; transactionMs: number },
): Promise<void> {
  const tables = [
    { table: 'sessions', key: 'id_hash', column: 'created_at', before: now - absoluteMs },
    { table: 'sign_in_transactions', key: 'state_hash', column: 'created_at', before: now - transactionMs },
    { table: 'logout_token_ids', key: '(issuer, jti)', column: 'ends_at', before: now },
    { table: 'used_challenges', key: 'hash', column: 'ends_at', before: now },
  ];
  for (const { table, key, column, before } of tables) {
    const columnsOfKey = key.replaceAll(/[()]/g, '');
    for (let removed: number | null = deleteBatchSize; (removed ?? 0) >= deleteBatchSize;)
      ({ rowCount: removed } = await database.query({
        text: `delete from ${table} where ${key} in (
                 select ${columnsOfKey} from ${table} where ${column} <= $1 order by ${column} limit ${deleteBatchSize}
                 for update skip locked)`,
        values: [new Date(before)],
      }));
  }
}

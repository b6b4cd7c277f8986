/** SQL that checks requests to applications, and records sign-ins at applications. */
import {
  execute,
  hideFromPlanner,
  rawSql,
  rowOf,
  rowsOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import type { FoundSession } from '../auth/sessions/session-store.ts';
import { mayOpenSql, opensWithSql } from './application-store.ts';

/** Maximum number of organizations, and of directory groups, in the identity headers: proxies limit header values to a few kilobytes. */
const groupsMaximum = 50;

export type GateApplication = { application_id: string; application_name: string; address: string };

/** User as an application sees them. `memberships` are pairs of an organization's short name and the role there. */
export type GateUser = {
  id: string;
  email: string;
  email_canonical: string;
  display_name: string;
  role: string;
  status: string;
  may_open: boolean;
  memberships: [slug: string, role: string][] | null;
  directory_groups: string[];
};

export type GateSession = GateUser &
  Pick<
    FoundSession,
    'session_id' | 'way' | 'began_at' | 'session_seen_at' | 'refreshed_at' | 'is_renewable' | 'last_seen_at'
  >;

/** `session` is null without a sign-in at this application. */
type GateRow = GateApplication & { session: GateSession | null };

const userColumns = (
  at: string,
  method: string,
) => `person.id, person.email, person.email_canonical, person.display_name, person.role, person.status,
  person.last_seen_at, ${mayOpenSql({ application: 'application.id', person: 'person.id', role: 'person.role', at, method })} as may_open,
  (select json_agg(json_build_array(slug, coalesce(role_name, role_id)) order by slug) from (
    select organizations.slug, memberships.role_id, organization_roles.name as role_name
    from memberships join organizations on organizations.id = memberships.organization_id
      join organization_roles on organization_roles.id = memberships.role_id
    where memberships.person_id = person.id and not ${isSuspendedSql(at)}
      and ${opensWithSql(method)}
    order by slug limit ${groupsMaximum}) own) as memberships,
  array(select directory_groups.display_name from directory_users
    join directory_members on user_id = directory_users.id join directory_groups on directory_groups.id = group_id
    where directory_users.person_id = person.id order by lower(directory_groups.display_name) limit ${groupsMaximum}) as directory_groups`;

const applicationColumns = `application.id as application_id, application.name as application_name, application.address`;

export type GateKey = { address: string; hash: Buffer | null };

/** Reads application, session and right of access of several requests in one statement. Null for an address that is not registered. */
export async function findAccess(
  database: Queryable,
  keys: GateKey[],
  at: Date,
): Promise<(GateRow | null)[]> {
  type Row = GateApplication & Partial<GateSession> & { position: number };
  const rows = await rowsOf<Row>(database, {
    name: 'find-application-access',
    text: `select given.position, ${applicationColumns}, session.id as session_id, session.way, session.created_at as began_at,
             session.seen_at as session_seen_at, session.refreshed_at, session.refresh_token_sealed is not null as is_renewable, ${userColumns('$3', 'session.way')}
           from unnest(${hideFromPlanner('$1::text[]')}, $2::bytea[]) with ordinality as given (address, id_hash, position)
           join applications application on application.address = given.address
           left join application_sessions link on link.id_hash = given.id_hash
           left join sessions session on session.id = link.session_id and link.application_id = application.id
           left join people person on person.id = session.person_id`,
    values: [keys.map(({ address }) => address), keys.map(({ hash }) => hash), at],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return keys.map((_, index) => {
    const row = found.get(index + 1);
    return row ? { ...row, session: row.session_id ? (row as GateSession) : null } : null;
  });
}

/** Reads an application and the right of a person to open it, with the sign-in method of their session. */
export async function findAccessOfPerson(
  database: Queryable,
  application: { id: string } | { address: string },
  person: { id: string; signInMethod: string | null },
  at: Date,
): Promise<(GateApplication & { user: GateUser }) | null> {
  const [condition, value] =
    'id' in application
      ? ['application.id = $1', application.id]
      : ['application.address = $1', application.address];
  const row = await rowOf<GateApplication & GateUser>(database, {
    text: `select ${applicationColumns}, ${userColumns('$3', '$4::text')}
           from applications application, people person where ${condition} and person.id = $2`,
    values: [value, person.id, at, person.signInMethod],
  });
  return row && { ...row, user: row };
}

type NewCode = {
  hash: Buffer;
  applicationId: string;
  sessionId: string;
  browserHash: Buffer;
  returnPath: string;
  expiresAt: Date;
};

export async function insertCode(database: Queryable, code: NewCode): Promise<void> {
  await execute(database)`
    insert into application_codes (code_hash, application_id, session_id, browser_hash, return_path, expires_at)
    values (${code.hash}, ${code.applicationId}, ${code.sessionId}, ${code.browserHash}, ${code.returnPath},
      ${code.expiresAt})`;
}

type TakenCode = {
  session_id: string;
  browser_hash: Buffer;
  return_path: string;
  expires_at: Date;
  application_id: string;
  address: string;
};

/** Deletes and returns a code. The caller checks browser and host afterwards, so that a leaked code works for no one. */
export const takeCode = (database: Queryable, hash: Buffer) =>
  rowOf<TakenCode>(database)`
    delete from application_codes using applications application
    where code_hash = ${hash} and application.id = application_id
    returning session_id, browser_hash, return_path, expires_at, application_id, address`;

/** A browser replaces its cookie at each sign-in; requests that it sent before are still accepted for this time. */
const replacedSessionSeconds = 60;

/**
 * Inserts a sign-in at an application. Returns the user, and whether it is the first one of the session; null if the session has ended or
 * the user may not open the application.
 */
export async function insertApplicationSession(
  transaction: Queryable,
  added: { hash: Buffer; sessionId: string; applicationId: string; at: Date },
): Promise<(GateApplication & GateUser & { is_first: boolean }) | null> {
  const { hash, sessionId, applicationId, at } = added;
  const found = await rowOf<GateApplication & GateUser & { is_first: boolean }>(transaction)`
    select ${rawSql(applicationColumns)}, ${rawSql((time) => userColumns(time, 'session.way'), at)},
      not exists (select from application_sessions where session_id = ${sessionId}
        and application_id = ${applicationId}) as is_first
    from sessions session join people person on person.id = session.person_id, applications application
    where session.id = ${sessionId} and application.id = ${applicationId} for no key update of session`;
  if (!found?.may_open || found.status !== 'active') return null;
  await execute(transaction)`
    delete from application_sessions where session_id = ${sessionId} and application_id = ${applicationId}
      and created_at < ${new Date(at.getTime() - replacedSessionSeconds * 1000)}`;
  await execute(transaction)`
    insert into application_sessions (id_hash, application_id, session_id, created_at)
      values (${hash}, ${applicationId}, ${sessionId}, ${at})`;
  return found;
}

export const deleteExpiredCodes = (database: Queryable, at: Date) =>
  execute(database)`delete from application_codes where expires_at <= ${at}`;

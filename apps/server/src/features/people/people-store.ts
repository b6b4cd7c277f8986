/** Reads and writes people and their sign-ins. Rules of who may do what stand in people.ts. */
import type { Person } from '@vestibule/contract/people';
import type { Role } from '@vestibule/contract/role';
import { jsonParameter, type Queryable } from '../../platform/database/database.ts';
import { clockToleranceSeconds } from '../../platform/identity/access-token.ts';

export type PersonRow = {
  id: string;
  email: string;
  display_name: string;
  role: Role;
  status: 'active' | 'disabled';
  invited_by: string | null;
  joined_at: Date;
  last_sign_in_at: Date | null;
  last_seen_at: Date | null;
  version: number;
  theme: string | null;
  language: 'en' | 'de' | null;
  /** Whoever signed in up to then, by the provider's clock, has to sign in anew. */
  tokens_valid_after: Date | null;
};

export const personColumns =
  'id, email, display_name, role, status, invited_by, joined_at, last_sign_in_at, last_seen_at, version, theme, language, tokens_valid_after';

/** Who somebody is at a provider: one (issuer, subject) is one person, who may have several. */
export type Identity = { issuer: string; subject: string };

/** The people of identities, in their order; null where nobody is inside. */
export async function findPeopleByIdentity(
  database: Queryable,
  identities: Identity[],
): Promise<(PersonRow | null)[]> {
  const { rows } = await database.query<PersonRow & { position: number }>({
    name: 'find-people-by-identity',
    text: `select position, ${personColumns}
           from unnest($1::text[], $2::text[]) with ordinality as asked (issuer, subject, position)
           join (select issuer, subject, person_id as id from identities) identity using (issuer, subject)
           join people using (id)`,
    values: [identities.map(({ issuer }) => issuer), identities.map(({ subject }) => subject)],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return identities.map((_, index) => found.get(index + 1) ?? null);
}

export async function findPerson(database: Queryable, personId: string): Promise<PersonRow | null> {
  const { rows } = await database.query<PersonRow>({
    name: 'find-person',
    text: `select ${personColumns} from people where id = $1`,
    values: [personId],
  });
  return rows[0] ?? null;
}

export async function markSeen(database: Queryable, personId: string, at: Date): Promise<void> {
  await database.query({
    name: 'mark-person-seen',
    text: 'update people set last_seen_at = $2 where id = $1 and (last_seen_at is null or last_seen_at < $2)',
    values: [personId, at],
  });
}

/** With the identity that each comes in by; gives them by their ids. Whoever comes in is seen and has signed in at that moment. */
export async function insertPeople(
  transaction: Queryable,
  people: {
    id: string;
    issuer: string;
    subject: string;
    way: string;
    email: string;
    emailCanonical: string;
    displayName: string;
    role: Role;
    invitedBy: string | null;
  }[],
  at: Date,
): Promise<Map<string, PersonRow>> {
  const { rows } = await transaction.query<PersonRow>({
    name: 'insert-people',
    text: `with person as (
             select * from jsonb_to_recordset($1) as person (id uuid, issuer text, subject text, way text, email text,
               "emailCanonical" text, "displayName" text, role text, "invitedBy" text)),
           identity as (
             insert into identities (issuer, subject, person_id, way, created_at, last_sign_in_at)
             select issuer, subject, id, way, $2, $2 from person)
           insert into people (id, email, email_canonical, display_name, role, invited_by, joined_at, last_seen_at, last_sign_in_at)
           select id, email, "emailCanonical", "displayName", role, "invitedBy", $2, $2, $2 from person
           returning ${personColumns}`,
    values: [jsonParameter(people), at],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export type SignInRow = { id: number; session: string; at: Date; address: string; user_agent: string };

export type SignIn = { personId: string; session: string; at: Date; address: string; userAgent: string };

/** The sign-ins with which new people come in: nothing to compare with and nothing to clear away. */
export async function insertFirstSignIns(transaction: Queryable, signIns: SignIn[]): Promise<void> {
  await transaction.query({
    name: 'insert-first-sign-ins',
    text: `insert into sign_ins (person_id, session, at, address, user_agent)
           select "personId", session, at, address, "userAgent"
           from jsonb_to_recordset($1) as signed_in ("personId" uuid, session text, at timestamptz, address text, "userAgent" text)`,
    values: [jsonParameter(signIns)],
  });
}

/** How many sign-ins of a person are kept. */
const keptSignIns = 50;

/**
 * Writes a sign-in down unless its session is known, or the person is removed at this moment. One statement: what is too old
 * for the list goes with it.
 */
export async function insertSignIn(database: Queryable, signIn: SignIn): Promise<void> {
  await database.query({
    name: 'insert-sign-in',
    text: `with fresh as (
             insert into sign_ins (person_id, session, at, address, user_agent)
             select id, $2, $3, $4, $5 from people where id = $1 for key share
             on conflict do nothing returning id),
           noted as (
             update people set last_sign_in_at = $3 where id = $1 and last_sign_in_at is distinct from $3 and exists (select from fresh))
           delete from sign_ins where person_id = $1 and exists (select from fresh) and id <=
             (select id from sign_ins where person_id = $1 order by id desc offset ${keptSignIns - 1} limit 1)`,
    values: [signIn.personId, signIn.session, signIn.at, signIn.address, signIn.userAgent],
  });
}

export async function listSignInRows(database: Queryable, personId: string): Promise<SignInRow[]> {
  const { rows } = await database.query<SignInRow>({
    text: 'select id, session, at, address, user_agent from sign_ins where person_id = $1 order by at desc, id desc',
    values: [personId],
  });
  return rows;
}

/** The language somebody chose, or was invited in, and so is written to; null for those of whom neither is known. */
export async function findLanguage(database: Queryable, personId: string): Promise<'en' | 'de' | null> {
  const { rows } = await database.query<{ language: 'en' | 'de' | null }>({
    text: `select coalesce(
             (select language from people where id = $1),
             (select language from invitations where id = (
               select target_id::uuid from audit_log
               where actor_id = $1 and action = 'invitation.redeemed' order by id limit 1))) as language`,
    values: [personId],
  });
  return rows[0]?.language ?? null;
}

/**
 * Ends the sign-ins of people up to the moment `$2`; a `where` follows. Sign-ins are told by the provider's clock, so those
 * that are known end by their own time, and of others those that are older than two clocks may differ.
 */
export const endSignIns = `update people set tokens_valid_after = greatest(tokens_valid_after,
  $2::timestamptz - interval '${clockToleranceSeconds} s',
  (select to_timestamp(max(session::bigint)) from sign_ins where person_id = people.id and session ~ '^[0-9]{1,10}$'))`;

export function toPerson(row: PersonRow): Person {
  return {
    id: row.id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    status: row.status,
    joinedAt: row.joined_at.toISOString(),
    lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    invitedBy: row.invited_by,
    version: row.version,
  };
}

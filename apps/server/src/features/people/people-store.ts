/** Reads and writes people. Rules of who may do what stand in people.ts. */
import type { Person, Role } from '@vestibule/contract/people';
import type { Queryable } from '../../platform/database/database.ts';

export type PersonRow = {
  id: string;
  email: string;
  display_name: string;
  role: Role;
  status: 'active' | 'disabled';
  invited_by: string | null;
  joined_at: Date;
  last_seen_at: Date | null;
};

/** Who a token is about: one (issuer, subject) is one person. */
export type Identity = { issuer: string; subject: string };

/** The people of identities, in their order; null where nobody is inside. */
export async function findPeopleByIdentity(
  database: Queryable,
  identities: Identity[],
): Promise<(PersonRow | null)[]> {
  const { rows } = await database.query<PersonRow & { position: number }>({
    name: 'find-people-by-identity',
    text: `select position, id, email, display_name, role, status, invited_by, joined_at, last_seen_at
           from unnest($1::text[], $2::text[]) with ordinality as asked (issuer, subject, position)
           join people using (issuer, subject)`,
    values: [identities.map(({ issuer }) => issuer), identities.map(({ subject }) => subject)],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return identities.map((_, index) => found.get(index + 1) ?? null);
}

export async function markSeen(database: Queryable, personId: string, at: Date): Promise<void> {
  await database.query({
    name: 'mark-person-seen',
    text: 'update people set last_seen_at = $2 where id = $1 and (last_seen_at is null or last_seen_at < $2)',
    values: [personId, at],
  });
}

export async function insertPerson(
  transaction: Queryable,
  person: {
    id: string;
    issuer: string;
    subject: string;
    email: string;
    emailCanonical: string;
    displayName: string;
    role: Role;
    invitedBy: string | null;
    at: Date;
  },
): Promise<PersonRow> {
  const { rows } = await transaction.query<PersonRow>({
    name: 'insert-person',
    text: `insert into people (id, issuer, subject, email, email_canonical, display_name, role, invited_by, joined_at, last_seen_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
           returning id, email, display_name, role, status, invited_by, joined_at, last_seen_at`,
    values: [
      person.id,
      person.issuer,
      person.subject,
      person.email,
      person.emailCanonical,
      person.displayName,
      person.role,
      person.invitedBy,
      person.at,
    ],
  });
  return rows[0] as PersonRow;
}

export function toPerson(row: PersonRow): Person {
  return {
    id: row.id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    status: row.status,
    joinedAt: row.joined_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    invitedBy: row.invited_by,
  };
}

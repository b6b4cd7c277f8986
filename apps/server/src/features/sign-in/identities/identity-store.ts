/** Reads and writes identities: the accounts at providers by which a person signs in. */
import type { Queryable } from '../../../platform/database/database.ts';
import type { Identity } from '../../people/people-store.ts';

export type IdentityRow = Identity & {
  id: string;
  way: string;
  email: string | null;
  created_at: Date;
  last_sign_in_at: Date | null;
};

/** Of one person, the oldest first. */
export async function listIdentityRows(database: Queryable, personId: string): Promise<IdentityRow[]> {
  const { rows } = await database.query<IdentityRow>({
    text: `select id, issuer, subject, way, email, created_at, last_sign_in_at from identities where person_id = $1
           order by created_at, id`,
    values: [personId],
  });
  return rows;
}

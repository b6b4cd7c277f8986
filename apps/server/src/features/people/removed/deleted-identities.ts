/** Who removed people were at their providers, as far as it takes to know them again. It goes with them when they are erased. */
import { createHash } from 'node:crypto';
import { rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { Identity } from '../people-store.ts';

const hashOf = ({ issuer, subject }: Identity) =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();

/** Of people who are locked and among the removed ones already. */
export async function keepIdentities(transaction: Queryable, personIds: string[]): Promise<void> {
  const rows = await rowsOf<Identity & { person_id: string; email: string | null }>(transaction, {
    text: `select person_id, issuer, subject, case when email_verified then email end as email
           from identities where person_id = any($1)`,
    values: [personIds],
  });
  await transaction.query({
    text: `insert into removed_identities (person_id, identity_hash, email_canonical)
           select * from unnest($1::uuid[], $2::bytea[], $3::text[])`,
    values: [
      valuesOf(rows, 'person_id'),
      rows.map(hashOf),
      rows.map(({ email }) => email && canonicalEmail(email)),
    ],
  });
}

/** Whether somebody who was removed had this address, as theirs or at a provider, or this account. */
export async function wasRemoved(
  database: Queryable,
  emailCanonical: string,
  identity?: Identity,
): Promise<boolean> {
  const rows = await rowsOf(database, {
    text: `select from removed_people where email_canonical = $1
           union all select from removed_identities where identity_hash = $2 or email_canonical = $1`,
    values: [emailCanonical, identity ? hashOf(identity) : null],
  });
  return rows.length > 0;
}

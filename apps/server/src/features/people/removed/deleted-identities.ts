/** Hashed identities of removed people, to recognize them at a later sign-in until they are erased. */
import { createHash } from 'node:crypto';
import { rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { Identity } from '../people-store.ts';

const hashOf = ({ issuer, subject }: Identity) =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();

/** Stores the identities of people. They must be locked and in `removed_people` already. */
export async function storeDeletedIdentities(transaction: Queryable, personIds: string[]): Promise<void> {
  const rows = await rowsOf<Identity & { person_id: string; email: string | null }>(transaction, {
    text: `select person_id, issuer, subject, case when email_verified then email end as email
           from identities where person_id = any($1)`,
    values: [personIds],
  });
  await transaction.query({
    text: `insert into deleted_identities (person_id, identity_hash, email_canonical)
           select * from unnest($1::uuid[], $2::bytea[], $3::text[])`,
    values: [
      valuesOf(rows, 'person_id'),
      rows.map(hashOf),
      rows.map(({ email }) => email && canonicalEmail(email)),
    ],
  });
}

/** Returns whether a removed person had this address, at the site or a provider, or this identity. */
export async function belongsToRemovedPerson(
  database: Queryable,
  emailCanonical: string,
  identity?: Identity,
): Promise<boolean> {
  const rows = await rowsOf(database, {
    text: `select from removed_people where email_canonical = $1
           union all select from deleted_identities where identity_hash = $2 or email_canonical = $1`,
    values: [emailCanonical, identity ? hashOf(identity) : null],
  });
  return rows.length > 0;
}

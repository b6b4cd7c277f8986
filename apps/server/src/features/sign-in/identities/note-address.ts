/** What a provider says is the address of an identity. It decides nothing once the person is inside. */
import { recordChange } from '../../../platform/audit/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { gather } from '../../../platform/database/gather.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import type { Identity } from '../../people/people-store.ts';
import type { ClaimedAddress } from '../oidc/address-claims.ts';

type Noted = Identity & { email: string; isVerified: boolean };

/** Gives what notes an address. One that changed at the provider changes nothing here, but administrators see it in the log. */
export function createNoteAddress(database: Database) {
  // Almost every sign-in brings the address of the one before.
  const isNoted = gather(async (asked: Noted[]) => {
    const { rows } = await database.query<{ position: number }>({
      name: 'addresses-are-noted',
      text: `select position from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) with ordinality
               as asked (issuer, subject, named, verified, position)
             join identities using (issuer, subject) where email = named and email_verified = verified`,
      values: [
        asked.map(({ issuer }) => issuer),
        asked.map(({ subject }) => subject),
        asked.map(({ email }) => email),
        asked.map(({ isVerified }) => isVerified),
      ],
    });
    const found = new Set(rows.map(({ position }) => position));
    return asked.map((_, index) => found.has(index + 1));
  });

  return async (
    person: { id: string; email: string },
    { issuer, subject }: Identity,
    address: ClaimedAddress | null,
    origin: Origin,
  ): Promise<void> => {
    if (address?.email == null) return;
    const { email, isVerified } = address;
    if (await isNoted({ issuer, subject, email, isVerified })) return;
    await note(database, person, { issuer, subject, email, isVerified }, origin);
  };
}

async function note(
  database: Database,
  person: { id: string; email: string },
  { issuer, subject, email, isVerified }: Noted,
  origin: Origin,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ before: string | null }>({
      text: `with earlier as (select email from identities where issuer = $1 and subject = $2 for update)
             update identities set email = $3, email_verified = $4 from earlier
             where issuer = $1 and subject = $2
               and (identities.email, email_verified) is distinct from ($3::text, $4::boolean)
             returning earlier.email as before`,
      values: [issuer, subject, email, isVerified],
    });
    const before = rows[0]?.before;
    if (before == null || canonicalEmail(before) === canonicalEmail(email)) return;
    await recordChange(transaction, {
      action: 'person.provider_address_changed',
      actor: null,
      target: { type: 'person', id: person.id, label: person.email },
      origin,
      detail: { before, after: email },
    });
  });
}

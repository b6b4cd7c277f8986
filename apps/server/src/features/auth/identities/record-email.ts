/** What a provider says is the address of an identity. It decides nothing once the person is inside. */
import { aboutPerson, recordChange } from '../../../platform/audit/audit-log.ts';
import { rowOf, type Database } from '../../../platform/database/database.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import type { Identity } from '../../people/people-store.ts';
import type { ClaimedAddress } from '../oidc/provider/address-claims.ts';

type Logger = { warn(details: object, message: string): void };
type Noted = [person: { id: string; email: string }, Identity, ClaimedAddress, Origin];

/** Whoever is inside by now stays so when it fails: the next sign-in notes it. */
export const createNoteAddress =
  ({ database, logger }: { database: Database; logger: Logger }) =>
  (...noted: Noted): Promise<void> =>
    noteAddress(database, ...noted).catch((error: unknown) =>
      logger.warn({ err: error }, 'the address at a provider could not be noted'),
    );

/** Notes an address. One that changed at the provider changes nothing here, but administrators see it in the log. */
async function noteAddress(
  database: Database,
  ...[person, { issuer, subject }, { email, isVerified }, origin]: Noted
): Promise<void> {
  if (email === null) return;
  await database.transaction(async (transaction) => {
    const found = await rowOf<{ before: string | null }>(transaction, {
      text: `with earlier as (select email from identities where issuer = $1 and subject = $2 for update)
             update identities set email = $3, email_verified = $4 from earlier
             where issuer = $1 and subject = $2
               and (identities.email, email_verified) is distinct from ($3::text, $4::boolean)
             returning earlier.email as before`,
      values: [issuer, subject, email, isVerified],
    });
    const before = found?.before;
    if (before == null || canonicalEmail(before) === canonicalEmail(email)) return;
    const detail = { before, after: email };
    const by = { caller: null, origin };
    await recordChange(transaction, aboutPerson(person, 'person.provider_address_changed', by, detail));
  });
}

/** Stores the address that a provider reports for an identity. Information only: no later sign-in depends on it. */
import { aboutPerson, recordChange } from '../../../platform/audit/audit-log.ts';
import { rowOf, type Database } from '../../../platform/database/database.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import type { Identity } from '../../people/people-store.ts';
import type { ClaimedAddress } from '../oidc/provider/address-claims.ts';

type Logger = { warn(details: object, message: string): void };
type RecordEmailArguments = [person: { id: string; email: string }, Identity, ClaimedAddress, Origin];

/** Failure does not affect the sign-in; the address is recorded at the next one. */
export const createEmailRecorder =
  ({ database, logger }: { database: Database; logger: Logger }) =>
  (...args: RecordEmailArguments): Promise<void> =>
    recordEmail(database, ...args).catch((error: unknown) =>
      logger.warn({ err: error }, 'the e-mail address reported by a provider could not be stored'),
    );

/** Writes an entry to the audit log if the reported address changed. The person's own address does not change. */
async function recordEmail(
  database: Database,
  ...[person, { issuer, subject }, { email, isVerified }, origin]: RecordEmailArguments
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
    const actor = { caller: null, origin };
    await recordChange(transaction, aboutPerson(person, 'person.provider_address_changed', actor, detail));
  });
}

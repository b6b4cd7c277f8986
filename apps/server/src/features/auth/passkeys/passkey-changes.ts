/** Stores and deletes passkeys, with the audit row and the mail in the same transaction. */
import { signInProblems } from '@vestibule/contract/sign-in';
import { passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import { aboutPerson, recordChange } from '../../../platform/audit/audit-log.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail, onUniqueViolation } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import type { MailJob, MailQueue } from '../../../platform/mail/mail-queue.ts';
import { addPasskeyTo, insertPasskeys, type NewPasskey } from './passkey-store.ts';

export const passkeyAddedMailName = 'passkey-added';
export const passkeyRenamedMailName = 'passkey-renamed';
export const passkeyRemovedMailName = 'passkey-removed';

/** The job contains the current name, because the passkey may be deleted before the mail is written. */
export const passkeyMailJob = (template: string, personId: string, name: string): MailJob => ({
  template,
  subjectId: `${personId} ${name}`,
});

type Person = { id: string; email: string };
type New = { passkey: NewPasskey; person: Person; origin: Origin; at: Date };

/** Stores the passkey of a user who is created in the same transaction. */
export async function keepFirstPasskey(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin, at }: New,
): Promise<void> {
  await Promise.all([
    insertPasskeys(transaction, [{ ...passkey, personId: person.id }], at),
    tell(mail, transaction, { passkey, person, origin }),
  ]);
}

/** Stores an additional passkey of an existing user. */
export async function keepPasskey(
  mail: MailQueue,
  transaction: Queryable,
  { handle, askedAt, passkey, person, origin, at }: New & { handle: string; askedAt: Date },
): Promise<void> {
  const problem = await addPasskeyTo(transaction, { personId: person.id, handle, passkey, askedAt, at });
  if (problem !== null) throw fail(problem === 'tooMany' ? passkeyErrors.tooMany : signInProblems.expired);
  await tell(mail, transaction, { passkey, person, origin });
}

async function tell(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin }: Pick<New, 'passkey' | 'person' | 'origin'>,
): Promise<void> {
  await Promise.all([
    recordPasskey(transaction, 'passkey.added', person, passkey.name, origin),
    mail.queue(transaction, [passkeyMailJob(passkeyAddedMailName, person.id, passkey.name)]),
  ]);
}

export function recordPasskey(
  transaction: Queryable,
  action: 'passkey.added' | 'passkey.renamed' | 'passkey.removed',
  person: Person,
  name: string,
  origin: Origin,
): Promise<unknown> {
  return recordChange(transaction, aboutPerson(person, action, { caller: person, origin }, { name }));
}

export const refuseKnownPasskey = onUniqueViolation('passkeys_pkey', passkeyErrors.alreadyThere);

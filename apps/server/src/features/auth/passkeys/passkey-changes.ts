/** Stores and deletes passkeys, with the audit row and the mail in the same transaction. */
import { signInProblems } from '@vestibule/contract/sign-in';
import { passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import { aboutPerson, recordChange } from '../../../platform/audit/audit-log.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail, onUniqueViolation } from '../../../platform/errors/failure.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import type { MailJob, MailQueue } from '../../../platform/mail/mail-queue.ts';
import { insertAdditionalPasskey, insertPasskeys, type NewPasskey } from './passkey-store.ts';

export const passkeyAddedMailName = 'passkey-added';
export const passkeyRenamedMailName = 'passkey-renamed';
export const passkeyRemovedMailName = 'passkey-removed';

/** The job contains the current name, because the passkey may be deleted before the mail is written. */
export const passkeyMailJob = (template: string, personId: string, name: string): MailJob => ({
  template,
  subjectId: `${personId} ${name}`,
});

type Person = { id: string; email: string };
type PasskeyCreation = { passkey: NewPasskey; person: Person; origin: Origin; at: Date };

export async function storeFirstPasskey(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin, at }: PasskeyCreation,
): Promise<void> {
  await Promise.all([
    insertPasskeys(transaction, [{ ...passkey, personId: person.id }], at),
    recordAndNotify(mail, transaction, { passkey, person, origin }),
  ]);
}

export async function storePasskey(
  mail: MailQueue,
  transaction: Queryable,
  {
    handle,
    requestedAt,
    passkey,
    person,
    origin,
    at,
  }: PasskeyCreation & { handle: string; requestedAt: Date },
): Promise<void> {
  const problem = await insertAdditionalPasskey(transaction, {
    personId: person.id,
    handle,
    passkey,
    requestedAt,
    at,
  });
  if (problem !== null) throw fail(problem === 'tooMany' ? passkeyErrors.tooMany : signInProblems.expired);
  await recordAndNotify(mail, transaction, { passkey, person, origin });
}

async function recordAndNotify(
  mail: MailQueue,
  transaction: Queryable,
  { passkey, person, origin }: Pick<PasskeyCreation, 'passkey' | 'person' | 'origin'>,
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

export const rejectKnownPasskey = onUniqueViolation('passkeys_pkey', passkeyErrors.alreadyThere);

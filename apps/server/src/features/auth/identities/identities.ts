/** Adds and removes identities. Each change is logged and mailed to the person; the last usable identity cannot be removed. */
import { personErrors } from '@vestibule/contract/people';
import { identityErrors } from '@vestibule/contract/sign-in/identities';
import { migrationProblems } from '@vestibule/contract/identity-migrations/link';
import { identitiesMaximum } from '@vestibule/contract/rules/limits';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { personAudit, recordChanges, recordEach } from '../../../platform/audit/audit-log.ts';
import type { Queryable, DatabaseDeps } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import type { MailJob, MailQueue, MailTemplate } from '../../../platform/mail/mail-queue.ts';
import { writeIdentityChangeMail } from '../../mail/templates/sign-in-mails.ts';
import type { MailDeps } from '../../mail/mail-from-row.ts';
import { mailToPerson } from '../../people/person-mail.ts';
import {
  findPeopleByIdentity,
  isSignedOutSince,
  type PersonRow,
  lockPeople,
} from '../../people/people-store.ts';
import { completeMigration } from '../identity-migration/migration-store.ts';
import {
  createMethodChangeLimit,
  deleteIdentities,
  insertIdentity,
  listIdentityRows,
  type DeletedIdentity,
  type NewIdentity,
} from './identity-store.ts';

export type Identities = ReturnType<typeof createIdentities>;

export function createIdentities(
  deps: DatabaseDeps & { mail: MailQueue; signInMethods: readonly SignInMethod[] },
) {
  const { database, mail, now } = deps;
  const countMethodChange = createMethodChangeLimit(deps);
  const enabledMethods = deps.signInMethods.map(({ id }) => id);

  return {
    /**
     * Adds an account to a person, and completes the person's pending migration to the account's sign-in method.
     * `migrationId` restricts this to one migration; null allows any. Does nothing if the person already has the
     * account and no such migration is pending. `requestedAt` is the time of the authorization request.
     */
    add(
      request: { personId: string; migrationId: string | null; requestedAt: Date },
      account: NewIdentity & { wayName: string },
      origin: Origin,
    ): Promise<PersonRow> {
      const { personId, migrationId, requestedAt } = request;
      return database.transaction(async (transaction) => {
        const at = new Date(now());
        const [person] = await lockPeople(transaction, [personId]);
        if (!person) throw fail(signInProblems.expired);
        if (person.status === 'disabled') throw fail(personErrors.disabled);
        // A request from before "sign out everywhere" may be an intruder's.
        if (migrationId === null && isSignedOutSince(person, requestedAt)) throw fail(signInProblems.expired);
        const added = await insertIdentity(transaction, personId, account, at);
        const [owner] = added ? [person] : await findPeopleByIdentity(transaction, [account]);
        if (owner?.id !== personId)
          throw fail(signInProblems.accountTaken, { values: { provider: account.wayName } });
        const hasMigrated = await completeMigration(
          transaction,
          { personId, migrationId, method: account.way, added },
          at,
        );
        if (!added && !hasMigrated) return person;
        // The migration was cancelled after the request started.
        if (migrationId !== null && !hasMigrated) throw fail(migrationProblems.ended);
        if ((await listIdentityRows(transaction, personId)).length > identitiesMaximum)
          throw fail(signInProblems.identitiesFull);
        await countMethodChange(transaction, personId, identityErrors.tooOften);
        const detail = { way: account.way, account: account.email };
        const entry = (action: string) =>
          personAudit.entry(person, action, { caller: person, origin }, detail);
        await recordChanges(transaction, [
          ...(added ? [entry('identity.added')] : []),
          ...(hasMigrated ? [entry('move.done')] : []),
        ]);
        if (added) await mail.queue(transaction, [identityMailJob('added', personId, account.way)]);
        return person;
      });
    },

    /** Removes an identity of the caller. Only additions are rate-limited. */
    async remove(identityId: string, caller: Caller, origin: Origin): Promise<void> {
      await database.transaction(async (transaction) => {
        const people = await lockPeople(transaction, [caller.id]);
        const deleted = await deleteIdentities(transaction, enabledMethods, {
          condition: 'person_id = $1 and id = $2',
          values: [caller.id, identityId],
        });
        if (deleted.length === 0) {
          const remaining = await listIdentityRows(transaction, caller.id);
          throw fail(
            remaining.some(({ id }) => id === identityId) ? identityErrors.lastWay : identityErrors.notFound,
          );
        }
        await reportDeleted(transaction, deleted, people, caller, origin);
      });
    },

    enabledMethods,
    reportDeleted,
  };

  /** Writes log entries and queues mails for deleted identities. */
  async function reportDeleted(
    transaction: Queryable,
    deleted: DeletedIdentity[],
    people: PersonRow[],
    caller: Pick<Caller, 'id' | 'email'>,
    origin: Origin,
  ): Promise<void> {
    if (deleted.length === 0) return;
    const emails = new Map(people.map(({ id, email }) => [id, email]));
    await recordEach(transaction, deleted, ({ personId: id, way }) =>
      personAudit.entry({ id, email: emails.get(id) ?? '' }, 'identity.removed', { caller, origin }, { way }),
    );
    await mail.queue(
      transaction,
      deleted.map(({ personId, way }) => identityMailJob('removed', personId, way)),
    );
  }
}

const templateNames = { added: 'identity-added', removed: 'identity-removed' } as const;

const identityMailJob = (change: keyof typeof templateNames, personId: string, method: string): MailJob => ({
  template: templateNames[change],
  subjectId: `${personId} ${method}`,
});

export function identityMails(
  deps: MailDeps & { findMethod: (methodId: string) => Promise<SignInMethod | null> },
): Record<string, MailTemplate> {
  const mail = (change: keyof typeof templateNames) =>
    mailToPerson(deps, async (language, values, _person, method) =>
      writeIdentityChangeMail(language, {
        ...values,
        change,
        methodLabel: (await deps.findMethod(method))?.name ?? method,
      }),
    );
  return { [templateNames.added]: mail('added'), [templateNames.removed]: mail('removed') };
}

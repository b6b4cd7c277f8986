/**
 * Changes which accounts at providers sign a person in. Each change locks the person, is in the log, and is mailed to them; none leaves
 * somebody without a way in.
 */
import { personErrors } from '@vestibule/contract/people';
import { identityErrors } from '@vestibule/contract/sign-in/identities';
import { migrationProblems } from '@vestibule/contract/identity-migrations/link';
import { identitiesMaximum } from '@vestibule/contract/rules/limits';
import { signInProblems } from '@vestibule/contract/sign-in';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { aboutPerson, recordChanges, recordEach } from '../../../platform/audit/audit-log.ts';
import type { Queryable, Timed } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { findPeopleByIdentity, isSignedOutSince, type PersonRow } from '../../people/people-store.ts';
import { finishMove } from '../identity-migration/migration-store.ts';
import { identityMailJob } from './identity-mail.ts';
import {
  deleteIdentities,
  insertIdentity,
  listIdentityRows,
  lockPeople,
  type GoneIdentity,
  type NewIdentity,
} from './identity-store.ts';
import { createWayChanges } from './change-limit.ts';

export type Identities = ReturnType<typeof createIdentities>;

export function createIdentities(deps: Timed & { mail: MailQueue; signInMethods: readonly SignInMethod[] }) {
  const { database, mail, now } = deps;
  const countWayChange = createWayChanges(deps);
  const openWays = deps.signInMethods.map(({ id }) => id);

  return {
    /**
     * Gives a person an account that they have just signed in with; once they have it, it is done. With it ends the move to its way: the
     * one that they came by, or whichever is open. `askedAt` is when they set out.
     */
    add(
      { personId, moveId, askedAt }: { personId: string; moveId: string | null; askedAt: Date },
      account: NewIdentity & { wayName: string },
      origin: Origin,
    ): Promise<PersonRow> {
      return database.transaction(async (transaction) => {
        const at = new Date(now());
        const [person] = await lockPeople(transaction, [personId]);
        if (!person) throw fail(signInProblems.expired);
        if (person.status === 'disabled') throw fail(personErrors.disabled);
        // Whoever was signed out everywhere meanwhile is not the one who set out, as far as anybody knows.
        if (moveId === null && isSignedOutSince(person, askedAt)) throw fail(signInProblems.expired);
        const added = await insertIdentity(transaction, personId, account, at);
        const [owner] = added ? [person] : await findPeopleByIdentity(transaction, [account]);
        if (owner?.id !== personId)
          throw fail(signInProblems.accountTaken, { values: { provider: account.wayName } });
        const moved = await finishMove(transaction, { personId, moveId, way: account.way, added }, at);
        if (!added && !moved) return person;
        // Called off meanwhile.
        if (moveId !== null && !moved) throw fail(migrationProblems.ended);
        if ((await listIdentityRows(transaction, personId)).length > identitiesMaximum)
          throw fail(signInProblems.identitiesFull);
        await countWayChange(transaction, personId, identityErrors.tooOften);
        const detail = { way: account.way, account: account.email };
        const entry = (action: string) => aboutPerson(person, action, { caller: person, origin }, detail);
        await recordChanges(transaction, [
          ...(added ? [entry('identity.added')] : []),
          ...(moved ? [entry('move.done')] : []),
        ]);
        if (added) await mail.queue(transaction, [identityMailJob('added', personId, account.way)]);
        return person;
      });
    },

    /** Takes an account away from the caller: never too often, since nobody removes more than was added. */
    async remove(identityId: string, caller: Caller, origin: Origin): Promise<void> {
      await database.transaction(async (transaction) => {
        const people = await lockPeople(transaction, [caller.id]);
        const gone = await deleteIdentities(transaction, openWays, {
          condition: 'person_id = $2 and id = $3',
          values: [caller.id, identityId],
        });
        if (gone.length === 0) {
          const left = await listIdentityRows(transaction, caller.id);
          throw fail(
            left.some(({ id }) => id === identityId) ? identityErrors.lastWay : identityErrors.notFound,
          );
        }
        await tellGone(transaction, gone, people, caller, origin);
      });
    },

    openWays,
    tellGone,
  };

  /** Writes down and mails what was taken away. */
  async function tellGone(
    transaction: Queryable,
    gone: GoneIdentity[],
    people: PersonRow[],
    caller: Pick<Caller, 'id' | 'email'>,
    origin: Origin,
  ): Promise<void> {
    if (gone.length === 0) return;
    const emails = new Map(people.map(({ id, email }) => [id, email]));
    await recordEach(transaction, gone, ({ personId: id, way }) =>
      aboutPerson({ id, email: emails.get(id) ?? '' }, 'identity.removed', { caller, origin }, { way }),
    );
    await mail.queue(
      transaction,
      gone.map(({ personId, way }) => identityMailJob('removed', personId, way)),
    );
  }
}

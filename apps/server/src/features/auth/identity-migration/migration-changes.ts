/** Starts, reminds and cancels identity migrations, and removes previous identities, in bulk, with log entries and mails in the same transaction. */
import { lockPeople, type PersonRow } from '../../people/people-store.ts';
import { migrationSkipped } from '@vestibule/contract/identity-migrations';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { personAudit, recordEach } from '../../../platform/audit/audit-log.ts';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import { rowsOf, type Database, type Queryable } from '../../../platform/database/database.ts';
import type { Actor } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { deleteIdentities, type DeletedIdentity } from '../identities/identity-store.ts';
import type { SignInContext } from '../sign-in-context.ts';
import { migrationMailJob } from './migration-mail.ts';
import {
  findMigrations,
  findCandidates,
  insertMigrations,
  markCancelled,
  markReminded,
  type Candidate,
  type MigrationRow,
} from './migration-store.ts';

/** Returns the changed migrations. `skipReason` returns the reason why another one was not changed. */
type Change = (
  transaction: Queryable,
  migrations: MigrationRow[],
  people: PersonRow[],
) => Promise<{ changed: MigrationRow[]; skipReason: (migration: MigrationRow) => MessageDefinition }>;

export function createMigrationChanges(deps: SignInContext) {
  const { database, identities, mail, shortCodes, now } = deps;

  return {
    /** `replacesAccount`: people who have the method get a link too, because the provider has replaced their account. */
    start: (
      personIds: string[],
      { methodId, replacesAccount }: { methodId: string; replacesAccount: boolean },
      actor: Actor,
    ): Promise<Skipped[]> =>
      database.transaction(async (transaction) => {
        const migrations = personIds.map((personId) => {
          const id = deps.newId();
          return { id, personId, codeHash: shortCodes.hashOf(shortCodes.codeOf(id)) };
        });
        const started = await insertMigrations(transaction, migrations, {
          methodId,
          replacesAccount,
          createdBy: actor.caller.id,
          at: new Date(now()),
        });
        await record(transaction, 'move.begun', started, actor);
        await mail.queue(transaction, valuesOf(started, 'id').map(migrationMailJob));
        const startedIds = new Set(valuesOf(started, 'person_id'));
        const skippedIds = personIds.filter((id) => !startedIds.has(id));
        const candidates = await findCandidates(transaction, skippedIds, methodId);
        return skippedIds.map((id) => {
          const candidate = candidates.get(id);
          if (!candidate) return describeSkipped(id, '', migrationSkipped.gone);
          const { name, email } = candidate;
          return describeSkipped(id, email, startSkipReason(candidate), { id, name, email });
        });
      }),

    /** Mails the links again and extends their validity. */
    remind: (ids: string[], actor: Actor) =>
      changeMigrations(database, ids, async (transaction, migrations, people) => {
        const reminded = await markReminded(transaction, ids, new Date(now()));
        const changed = migrations.filter(({ id }) => reminded.has(id));
        await record(transaction, 'move.reminded', changed, actor);
        await mail.queue(transaction, valuesOf(changed, 'id').map(migrationMailJob));
        const active = new Set(people.filter(({ status }) => status === 'active').map(({ id }) => id));
        return {
          changed,
          skipReason(migration) {
            if (migration.canceled_at) return migrationSkipped.isUndone;
            if (migration.completed_at) return migrationSkipped.isMoved;
            return active.has(migration.person_id) ? migrationSkipped.justMailed : migrationSkipped.disabled;
          },
        };
      }),

    cancel: (ids: string[], actor: Actor) =>
      changeMigrations(database, ids, async (transaction, migrations, people) => {
        const active = migrations.filter((migration) => !migration.canceled_at);
        const { deleted, remaining } = await deleteIdentitiesOf(
          transaction,
          active,
          identities.enabledMethods,
          { condition: 'id = any($2)', value: valuesOf(active, 'identity_id') },
        );
        const remainingIds = new Set<string | null>(valuesOf(remaining, 'id'));
        const changed = active.filter((migration) => !remainingIds.has(migration.identity_id));
        await markCancelled(transaction, valuesOf(changed, 'id'), new Date(now()));
        await record(transaction, 'move.undone', changed, actor);
        await identities.reportDeleted(transaction, deleted, people, actor.caller, actor.origin);
        return {
          changed,
          skipReason: (migration) =>
            migration.canceled_at ? migrationSkipped.isUndone : migrationSkipped.onlyWay,
        };
      }),

    /** Deletes the identities of one method from people who have migrated to another. */
    removePrevious: (ids: string[], previousMethod: string, actor: Actor) =>
      changeMigrations(database, ids, async (transaction, migrations, people) => {
        const completed = migrations.filter(
          (migration) => migration.completed_at && !migration.canceled_at && migration.way !== previousMethod,
        );
        const { deleted, remaining } = await deleteIdentitiesOf(
          transaction,
          completed,
          identities.enabledMethods,
          { condition: 'way = $2', value: previousMethod },
        );
        await identities.reportDeleted(transaction, deleted, people, actor.caller, actor.origin);
        const peopleWithDeleted = new Set(valuesOf(deleted, 'personId'));
        const peopleWithRemaining = new Set(valuesOf(remaining, 'personId'));
        return {
          changed: completed.filter((migration) => peopleWithDeleted.has(migration.person_id)),
          skipReason(migration) {
            if (peopleWithRemaining.has(migration.person_id)) return migrationSkipped.onlyWay;
            return completed.includes(migration) || migration.way === previousMethod
              ? migrationSkipped.nothingToClose
              : migrationSkipped.notMoved;
          },
        };
      }),
  };
}

function startSkipReason({ isDisabled, hasMethod }: Candidate): MessageDefinition {
  if (isDisabled) return migrationSkipped.disabled;
  return hasMethod ? migrationSkipped.hasWay : migrationSkipped.hasLink;
}

/** Applies a change to migrations and describes the ones that it skipped. */
const changeMigrations = (database: Database, ids: string[], change: Change): Promise<Skipped[]> =>
  database.transaction(async (transaction) => {
    // People are locked before their migrations are read. Completing a migration acquires the locks in the same order.
    const found = await findMigrations(transaction, ids);
    const people = await lockPeople(transaction, valuesOf(found, 'person_id'));
    const migrations = await findMigrations(transaction, ids);
    const { changed, skipReason } = await change(transaction, migrations, people);
    const changedIds = new Set(valuesOf(changed, 'id'));
    const byId = new Map(migrations.map((migration) => [migration.id, migration]));
    return ids
      .filter((id) => !changedIds.has(id))
      .map((id) => {
        const migration = byId.get(id);
        if (!migration) return describeSkipped(id, '', migrationSkipped.gone);
        const { person_id: personId, display_name: name, email } = migration;
        return describeSkipped(id, email, skipReason(migration), { id: personId, name, email });
      });
  });

/** Deletes matching identities of the migrations' people, except the last usable identity of a person, which is returned as `remaining`. */
async function deleteIdentitiesOf(
  transaction: Queryable,
  migrations: MigrationRow[],
  enabledMethods: string[],
  matching: { condition: string; value: unknown },
): Promise<{ deleted: DeletedIdentity[]; remaining: DeletedIdentity[] }> {
  const condition = `person_id = any($1) and ${matching.condition}`;
  const values = [valuesOf(migrations, 'person_id'), matching.value];
  const deleted = await deleteIdentities(transaction, enabledMethods, { condition, values });
  const remaining = await rowsOf<DeletedIdentity>(transaction, {
    text: `select id, person_id as "personId", way from identities where ${condition}`,
    values,
  });
  return { deleted, remaining };
}

async function record(
  transaction: Queryable,
  action: string,
  migrations: Pick<MigrationRow, 'person_id' | 'email' | 'way'>[],
  actor: Actor,
): Promise<void> {
  await recordEach(transaction, migrations, ({ person_id: id, email, way }) =>
    personAudit.entry({ id, email }, action, actor, { way }),
  );
}

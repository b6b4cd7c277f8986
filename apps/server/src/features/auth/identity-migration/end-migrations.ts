/** Cancels identity migrations and removes previous identities. A person's last usable identity always stays. */
import { migrationSkipped } from '@vestibule/contract/identity-migrations';
import type { Skipped } from '@vestibule/contract/values';
import { rowsOf, type Queryable, type DatabaseDeps } from '../../../platform/database/database.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { Identities } from '../identities/identities.ts';
import { deleteIdentities } from '../identities/identity-store.ts';
import { lockMigrations, recordMigrations, toSkipped, type Actor } from './start-migrations.ts';
import { markCancelled } from './migration-store.ts';

export function createMigrationEnder(deps: DatabaseDeps & { identities: Identities }) {
  const { database, identities, now } = deps;

  return {
    /** Cancels migrations and deletes the identities that they added. */
    cancel(ids: string[], actor: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { migrations, people } = await lockMigrations(transaction, ids);
        const notCancelled = migrations.filter(({ canceled_at: undoneAt }) => undoneAt === null);
        const added = notCancelled.filter(({ identity_id: id }) => id !== null);
        const addedIdentities = [
          added.map((migration) => migration.person_id),
          added.map(({ identity_id: id }) => id),
        ];
        const deleted = await deleteIdentities(transaction, identities.enabledMethods, {
          condition: 'person_id = any($2) and id = any($3)',
          values: addedIdentities,
        });
        const remaining = await findRemaining(
          transaction,
          'person_id = any($1) and id = any($2)',
          addedIdentities,
        );
        const cancelled = notCancelled.filter(({ identity_id: id }) => id === null || !remaining.has(id));
        await markCancelled(transaction, valuesOf(cancelled, 'id'), new Date(now()));
        await recordMigrations(transaction, 'move.undone', cancelled, actor, ({ way }) => ({ way }));
        await identities.reportDeleted(transaction, deleted, people, actor.caller, actor.origin);
        const cancelledIds = new Set(valuesOf(cancelled, 'id'));
        return toSkipped(
          ids.filter((id) => !cancelledIds.has(id)),
          migrations,
          (migration) => (migration.canceled_at ? migrationSkipped.isUndone : migrationSkipped.onlyWay),
        );
      });
    },

    /** Deletes the identities of one method from people who have migrated to another. */
    removePrevious(ids: string[], previousMethod: string, actor: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { migrations, people } = await lockMigrations(transaction, ids);
        const completed = migrations.filter(
          (migration) => migration.completed_at && !migration.canceled_at && migration.way !== previousMethod,
        );
        const personIds = completed.map((migration) => migration.person_id);
        const deleted = await deleteIdentities(transaction, identities.enabledMethods, {
          condition: 'person_id = any($2) and way = $3',
          values: [personIds, previousMethod],
        });
        await identities.reportDeleted(transaction, deleted, people, actor.caller, actor.origin);
        const remaining = await findRemaining(transaction, 'person_id = any($1) and way = $2', [
          personIds,
          previousMethod,
        ]);
        const changedPeople = new Set(valuesOf(deleted, 'personId'));
        const completedSet = new Set(completed);
        return toSkipped(
          ids.filter(
            (id) =>
              !completed.some((migration) => migration.id === id && changedPeople.has(migration.person_id)),
          ),
          migrations,
          (migration) =>
            remaining.has(migration.person_id)
              ? migrationSkipped.onlyWay
              : completedSet.has(migration) || migration.way === previousMethod
                ? migrationSkipped.nothingToClose
                : migrationSkipped.notMoved,
        );
      });
    },
  };
}

/** Returns the ids of the identities that still exist, and of their people. */
async function findRemaining(
  transaction: Queryable,
  condition: string,
  values: unknown[],
): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string; person_id: string }>(transaction, {
    text: `select id, person_id from identities where ${condition}`,
    values,
  });
  return new Set(rows.flatMap((row) => [row.id, row.person_id]));
}

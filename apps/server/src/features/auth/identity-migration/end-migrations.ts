/** Calls moves off, and closes the old way behind those who have moved: nobody is left without a way in. */
import { migrationSkipped } from '@vestibule/contract/identity-migrations';
import type { Skipped } from '@vestibule/contract/values';
import { rowsOf, type Queryable, type Timed } from '../../../platform/database/database.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { Identities } from '../identities/identities.ts';
import { deleteIdentities } from '../identities/identity-store.ts';
import { lockMigrations, recordMigrations, toSkipped, type Actor } from './start-migrations.ts';
import { markCancelled } from './migration-store.ts';

export function createMigrationEnder(deps: Timed & { identities: Identities }) {
  const { database, identities, now } = deps;

  return {
    /** Calls moves off, and takes away what they added. */
    undo(ids: string[], by: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { moves, people } = await lockMigrations(transaction, ids);
        const wanted = moves.filter(({ undone_at: undoneAt }) => undoneAt === null);
        const added = wanted.filter(({ identity_id: id }) => id !== null);
        const which = [added.map((move) => move.person_id), added.map(({ identity_id: id }) => id)];
        const gone = await deleteIdentities(transaction, identities.enabledMethods, {
          condition: 'person_id = any($2) and id = any($3)',
          values: which,
        });
        const left = await findRemaining(transaction, 'person_id = any($1) and id = any($2)', which);
        const undone = wanted.filter(({ identity_id: id }) => id === null || !left.has(id));
        await markCancelled(transaction, valuesOf(undone, 'id'), new Date(now()));
        await recordMigrations(transaction, 'move.undone', undone, by, ({ way }) => ({ way }));
        await identities.reportDeleted(transaction, gone, people, by.caller, by.origin);
        const isUndone = new Set(valuesOf(undone, 'id'));
        return toSkipped(
          ids.filter((id) => !isUndone.has(id)),
          moves,
          (move) => (move.undone_at ? migrationSkipped.isUndone : migrationSkipped.onlyWay),
        );
      });
    },

    /** Takes an old way away from people who have moved to another. */
    close(ids: string[], oldWay: string, by: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { moves, people } = await lockMigrations(transaction, ids);
        const done = moves.filter((move) => move.moved_at && !move.undone_at && move.way !== oldWay);
        const personIds = done.map((move) => move.person_id);
        const gone = await deleteIdentities(transaction, identities.enabledMethods, {
          condition: 'person_id = any($2) and way = $3',
          values: [personIds, oldWay],
        });
        await identities.reportDeleted(transaction, gone, people, by.caller, by.origin);
        const left = await findRemaining(transaction, 'person_id = any($1) and way = $2', [
          personIds,
          oldWay,
        ]);
        const isClosed = new Set(valuesOf(gone, 'personId'));
        const isDone = new Set(done);
        return toSkipped(
          ids.filter((id) => !done.some((move) => move.id === id && isClosed.has(move.person_id))),
          moves,
          (move) =>
            left.has(move.person_id)
              ? migrationSkipped.onlyWay
              : isDone.has(move) || move.way === oldWay
                ? migrationSkipped.nothingToClose
                : migrationSkipped.notMoved,
        );
      });
    },
  };
}

/** The identities that are still there, and whose they are. */
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

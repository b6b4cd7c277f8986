/** Starts identity migrations and sends reminders, in bulk, with log entries and mails in the same transaction. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import { migrationSkipped } from '@vestibule/contract/identity-migrations';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { aboutPerson, recordEach } from '../../../platform/audit/audit-log.ts';
import { describeSkipped } from '../../../platform/lists/bulk-action.ts';
import type { CoreDeps, Queryable } from '../../../platform/database/database.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { ShortCodes } from '../../invitations/link/short-code.ts';
import type { PersonRow } from '../../people/people-store.ts';
import { lockPeople } from '../identities/identity-store.ts';
import { migrationMailJob } from './migration-mail.ts';
import {
  findMigrations,
  findCandidates,
  insertMigrations,
  markReminded,
  migrationStateOf,
  type MigrationRow,
} from './migration-store.ts';

export type Actor = { caller: Caller; origin: Origin };

export function createMigrationStarter(deps: CoreDeps & { mail: MailQueue; shortCodes: ShortCodes }) {
  const { database, mail, shortCodes, now } = deps;

  return {
    start(personIds: string[], method: SignInMethod, actor: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const migrations = personIds.map((personId) => {
          const id = deps.newId();
          return { id, personId, codeHash: shortCodes.hashOf(shortCodes.codeOf(id)) };
        });
        const started = await insertMigrations(transaction, migrations, {
          method: method.id,
          createdBy: actor.caller.id,
          at: new Date(now()),
        });
        await recordMigrations(transaction, 'move.begun', started, actor, () => ({ way: method.id }));
        await mail.queue(transaction, valuesOf(started, 'id').map(migrationMailJob));
        const startedIds = new Set(valuesOf(started, 'person_id'));
        const skippedIds = personIds.filter((id) => !startedIds.has(id));
        const candidates = await findCandidates(transaction, skippedIds, method.id);
        return skippedIds.map((id) => {
          const person = candidates.get(id);
          const reason = !person
            ? migrationSkipped.gone
            : person.isDisabled
              ? migrationSkipped.disabled
              : person.hasMethod
                ? migrationSkipped.hasWay
                : migrationSkipped.hasLink;
          return describeSkipped(
            id,
            person?.email,
            reason,
            person && { id, name: person.name, email: person.email },
          );
        });
      });
    },

    /** Mails the links again and extends their validity. */
    remind(ids: string[], actor: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { migrations, people } = await lockMigrations(transaction, ids);
        const disabled = new Set(people.filter(({ status }) => status !== 'active').map(({ id }) => id));
        const reminded = await markReminded(transaction, ids, new Date(now()));
        const remindedMigrations = migrations.filter(({ id }) => reminded.has(id));
        await recordMigrations(transaction, 'move.reminded', remindedMigrations, actor, ({ way }) => ({
          way,
        }));
        await mail.queue(transaction, valuesOf(remindedMigrations, 'id').map(migrationMailJob));
        return toSkipped(
          ids.filter((id) => !reminded.has(id)),
          migrations,
          (migration) =>
            ({ moved: migrationSkipped.isMoved, undone: migrationSkipped.isUndone })[
              migrationStateOf(migration, now()) as string
            ] ??
            (disabled.has(migration.person_id) ? migrationSkipped.disabled : migrationSkipped.justMailed),
        );
      });
    },
  };
}

/** Locks the people, then reads the migrations. Completing a migration acquires the locks in the same order. */
export async function lockMigrations(
  transaction: Queryable,
  ids: string[],
): Promise<{ migrations: MigrationRow[]; people: PersonRow[] }> {
  const found = await findMigrations(transaction, ids);
  const people = await lockPeople(transaction, valuesOf(found, 'person_id'));
  return { migrations: await findMigrations(transaction, ids), people };
}

type MigratedPerson = { person_id: string; email: string };

/** Writes a log entry for each migration. */
export async function recordMigrations<Migration extends MigratedPerson>(
  transaction: Queryable,
  action: string,
  migrations: Migration[],
  actor: Actor,
  detail: (migration: Migration) => Record<string, unknown>,
): Promise<void> {
  await recordEach(transaction, migrations, (migration) =>
    aboutPerson({ id: migration.person_id, email: migration.email }, action, actor, detail(migration)),
  );
}

export function toSkipped(
  ids: string[],
  migrations: MigrationRow[],
  reasonOf: (migration: MigrationRow) => MessageDefinition,
): Skipped[] {
  const byId = new Map(migrations.map((migration) => [migration.id, migration]));
  return ids.map((id) => {
    const migration = byId.get(id);
    if (!migration) return describeSkipped(id, '', migrationSkipped.gone);
    const { person_id, display_name: name, email } = migration;
    return describeSkipped(id, email, reasonOf(migration), { id: person_id, name, email });
  });
}

/** Begins moves and reminds of them, many in one transaction: always with the entries of the log and the mails. */
import type { SignInMethod } from '@vestibule/contract/configuration';
import { migrationSkipped } from '@vestibule/contract/identity-migrations';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { aboutPerson, recordEach } from '../../../platform/audit/audit-log.ts';
import { skip } from '../../../platform/lists/bulk-action.ts';
import type { Basics, Queryable } from '../../../platform/database/database.ts';
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

export function createMigrationStarter(deps: Basics & { mail: MailQueue; shortCodes: ShortCodes }) {
  const { database, mail, shortCodes, now } = deps;

  return {
    /** Sends people a link to move by. */
    begin(personIds: string[], way: SignInMethod, by: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const moves = personIds.map((personId) => {
          const id = deps.newId();
          return { id, personId, codeHash: shortCodes.hashOf(shortCodes.codeOf(id)) };
        });
        const begun = await insertMigrations(transaction, moves, {
          way: way.id,
          madeBy: by.caller.id,
          at: new Date(now()),
        });
        await recordMigrations(transaction, 'move.begun', begun, by, () => ({ way: way.id }));
        await mail.queue(transaction, valuesOf(begun, 'id').map(migrationMailJob));
        const isBegun = new Set(valuesOf(begun, 'person_id'));
        const left = personIds.filter((id) => !isBegun.has(id));
        const obstacles = await findCandidates(transaction, left, way.id);
        return left.map((id) => {
          const person = obstacles.get(id);
          const why = !person
            ? migrationSkipped.gone
            : person.isDisabled
              ? migrationSkipped.disabled
              : person.hasWay
                ? migrationSkipped.hasWay
                : migrationSkipped.hasLink;
          return skip(id, person?.email, why, person && { id, name: person.name, email: person.email });
        });
      });
    },

    /** Mails links again. */
    remind(ids: string[], by: Actor): Promise<Skipped[]> {
      return database.transaction(async (transaction) => {
        const { moves, people } = await lockMigrations(transaction, ids);
        const disabled = new Set(people.filter(({ status }) => status !== 'active').map(({ id }) => id));
        const reminded = await markReminded(transaction, ids, new Date(now()));
        const written = moves.filter(({ id }) => reminded.has(id));
        await recordMigrations(transaction, 'move.reminded', written, by, ({ way }) => ({ way }));
        await mail.queue(transaction, valuesOf(written, 'id').map(migrationMailJob));
        return toSkipped(
          ids.filter((id) => !reminded.has(id)),
          moves,
          (move) =>
            ({ moved: migrationSkipped.isMoved, undone: migrationSkipped.isUndone })[
              migrationStateOf(move, now()) as string
            ] ?? (disabled.has(move.person_id) ? migrationSkipped.disabled : migrationSkipped.justMailed),
        );
      });
    },
  };
}

/** The moves of these ids with their people locked: in the order in which those who move lock as well, the person first. */
export async function lockMigrations(
  transaction: Queryable,
  ids: string[],
): Promise<{ moves: MigrationRow[]; people: PersonRow[] }> {
  const found = await findMigrations(transaction, ids);
  const people = await lockPeople(transaction, valuesOf(found, 'person_id'));
  return { moves: await findMigrations(transaction, ids), people };
}

type MigratedPerson = { person_id: string; email: string };

/** Writes down what was done about each. */
export async function recordMigrations<Move extends MigratedPerson>(
  transaction: Queryable,
  action: string,
  moves: Move[],
  by: Actor,
  detail: (move: Move) => Record<string, unknown>,
): Promise<void> {
  await recordEach(transaction, moves, (move) =>
    aboutPerson({ id: move.person_id, email: move.email }, action, by, detail(move)),
  );
}

/** What was left as it is, and why. */
export function toSkipped(
  ids: string[],
  moves: MigrationRow[],
  why: (move: MigrationRow) => MessageDefinition,
): Skipped[] {
  const byId = new Map(moves.map((move) => [move.id, move]));
  return ids.map((id) => {
    const move = byId.get(id);
    if (!move) return skip(id, '', migrationSkipped.gone);
    const { person_id, display_name: name, email } = move;
    return skip(id, email, why(move), { id: person_id, name, email });
  });
}

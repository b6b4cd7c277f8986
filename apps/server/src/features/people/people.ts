/** People: who am I, and what administrators do about those who are inside. */
import { getMe } from '@vestibule/contract/me';
import {
  changeRole,
  disablePerson,
  enablePerson,
  listPeople,
  personErrors,
  removePerson,
} from '@vestibule/contract/people';
import { recordChange } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation, type Origin } from '../../platform/http/implement.ts';
import { toPerson, type PersonRow } from './people-store.ts';

/** Held while the number of active administrators may fall, so that two of them cannot remove each other. */
const administratorsLock = 7_233_001;

const columns = 'id, email, display_name, role, status, invited_by, joined_at, last_seen_at';
const keepsAnAdministrator = `(role <> 'admin' or status <> 'active' or exists (
  select from people other where other.role = 'admin' and other.status = 'active' and other.id <> people.id))`;

export function people(deps: { database: Database; now: () => number }): Implementation[] {
  const { database } = deps;
  const list = createListReader<PersonRow>(
    database,
    {
      table: 'people',
      columns: {
        email: { sql: 'email', kind: 'text', searched: true },
        displayName: { sql: 'display_name', kind: 'text', searched: true },
        role: { sql: 'role', kind: 'set' },
        status: { sql: 'status', kind: 'set' },
        joinedAt: { sql: 'joined_at', kind: 'date' },
        lastSeenAt: { sql: 'last_seen_at', kind: 'date' },
      },
      newestFirst: 'joined_at',
    },
    deps.now,
  );

  /** Changes one person, with its audit row; refuses what would leave nobody to administer. */
  function change(
    call: { params: { personId: string }; caller: Caller; origin: Origin },
    what: { action: string; statement: string; values?: unknown[]; mayLoseAdministrator: boolean },
  ): Promise<PersonRow> {
    const { personId } = call.params;
    return database.transaction(async (transaction) => {
      if (what.mayLoseAdministrator)
        await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [administratorsLock] });
      const { rows: before } = await transaction.query<PersonRow>({
        text: `select ${columns} from people where id = $1 for update`,
        values: [personId],
      });
      const person = before[0];
      if (!person) throw fail(personErrors.notFound);
      const { rows } = await transaction.query<PersonRow>({
        text: `${what.statement} where id = $1 ${what.mayLoseAdministrator ? `and ${keepsAnAdministrator}` : ''} returning ${columns}`,
        values: [personId, ...(what.values ?? [])],
      });
      const after = rows[0];
      if (!after) throw fail(personErrors.lastAdministrator);
      await recordChange(transaction, {
        action: what.action,
        actor: call.caller,
        target: { type: 'person', id: person.id, label: person.email },
        origin: call.origin,
        detail: {
          before: { role: person.role, status: person.status },
          after: { role: after.role, status: after.status },
        },
      });
      return after;
    });
  }

  return [
    implement(getMe, async ({ caller }) => ({
      Id: caller.id,
      Email: caller.email,
      DisplayName: caller.displayName,
      IsAdmin: caller.isAdmin,
    })),

    implement(listPeople, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { rows: rows.map(toPerson), total };
    }),

    implement(changeRole, async (call) =>
      toPerson(
        await change(call, {
          action: 'person.role_changed',
          statement: 'update people set role = $2',
          values: [call.body.role],
          mayLoseAdministrator: call.body.role !== 'admin',
        }),
      ),
    ),

    implement(disablePerson, async (call) =>
      toPerson(
        await change(call, {
          action: 'person.disabled',
          statement: `update people set status = 'disabled'`,
          mayLoseAdministrator: true,
        }),
      ),
    ),

    implement(enablePerson, async (call) =>
      toPerson(
        await change(call, {
          action: 'person.enabled',
          statement: `update people set status = 'active'`,
          mayLoseAdministrator: false,
        }),
      ),
    ),

    implement(removePerson, async (call) => {
      const { id, email } = await change(call, {
        action: 'person.removed',
        statement: 'delete from people',
        mayLoseAdministrator: true,
      });
      return { id, email };
    }),
  ];
}

/**
 * Changes of people by administrators: role, status, sign-out, removal. The audit entry and the mail are written in
 * the same transaction, and at least one active administrator always remains.
 */
import { personErrors, personSkipped, type PeopleAction, type Person } from '@vestibule/contract/people';
import type { FilesOfRemoved } from '@vestibule/contract/people/removed';
import { personSets } from '@vestibule/contract/rules/skipped';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { aboutPerson, recordChanges } from '../../platform/audit/audit-log.ts';
import { skip } from '../../platform/lists/bulk-action.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import {
  execute,
  rowsOf,
  retryOnDeadlock,
  type Queryable,
  type Timed,
} from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import { scheduleDeletion, transferFiles, requireReceiver } from '../attachments/files/removed-owner.ts';
import type { MailJob, MailQueue } from '../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { endSignIns, personColumns, toPerson, type PersonRow } from './people-store.ts';
import { disabledMailName, roleChangedMailName } from './person-mail.ts';
import { keepIdentities } from './removed/deleted-identities.ts';

/**
 * Delay before the "disabled" mail, in seconds. Enabling the person within it cancels the mail. Longer than the undo
 * toast.
 */
const undoSeconds = 20;

const keepsAnAdministrator = `(role <> 'admin' or status <> 'active' or exists (
  select from people other where other.role = 'admin' and other.status = 'active' and other.id <> people.id))`;

type PersonChange = {
  /** Audit action, such as `person.disabled`. */
  record: string;
  /** Column values to write. People who already have them are not changed. */
  sets?: Partial<PersonRow>;
  /** SQL statement instead of `changes`, without its condition. `$2` is the current time if `usesTime` is set. */
  statement?: string;
  isTimed?: true;
  /** Reason reported for people already in that state. */
  already?: MessageDefinition;
  mayLoseAdministrator?: true;
  mail?: Omit<MailJob, 'subjectId'>;
};

/** Changes by their name in the API. */
export const personActions: Record<PeopleAction, PersonChange> = {
  makeAdmin: {
    record: 'person.role_changed',
    sets: personSets.makeAdmin,
    already: personSkipped.isAdmin,
    mail: { template: roleChangedMailName },
  },
  makeMember: {
    record: 'person.role_changed',
    sets: personSets.makeMember,
    already: personSkipped.isMember,
    mayLoseAdministrator: true,
    mail: { template: roleChangedMailName },
  },
  enable: {
    record: 'person.enabled',
    sets: personSets.enable,
    already: personSkipped.isActive,
  },
  disable: {
    record: 'person.disabled',
    sets: personSets.disable,
    already: personSkipped.isDisabled,
    mayLoseAdministrator: true,
    mail: { template: disabledMailName, afterSeconds: undoSeconds },
  },
  signOut: {
    record: 'person.signed_out',
    statement: endSignIns,
    isTimed: true,
  },
  remove: {
    record: 'person.removed',
    statement: 'delete from people',
    mayLoseAdministrator: true,
  },
};

type By = { caller: Caller; origin: Origin };
type OneChange = By & {
  params: { personId: string };
  query: { version?: number | undefined } & FilesOfRemoved;
};

export function personChanges({ database, mail, now }: Timed & { mail: MailQueue }) {
  return {
    changeOne: (call: OneChange, action: PersonChange) =>
      retryOnDeadlock(database, (transaction) => change(transaction, call, action)),
    change,
    changeMany,
  };

  /** Changes one person. Throws if `version` is outdated or if no administrator would remain. */
  async function change(transaction: Queryable, call: OneChange, action: PersonChange): Promise<PersonRow> {
    if (action.mayLoseAdministrator) await holdAdministrators(transaction);
    const [person] = await lock(transaction, [call.params.personId]);
    if (!person) throw fail(personErrors.notFound);
    if (call.query.version !== undefined && call.query.version !== person.version)
      throw await changedMeanwhile(transaction, person);
    if (isDone(action, person)) return person;
    const [after] = await write(transaction, action, [person], call, call.query);
    if (!after) throw fail(personErrors.lastAdministrator);
    return after;
  }

  /** Changes people in one transaction. Returns the skipped ones. */
  function changeMany(
    ids: string[],
    action: PersonChange,
    by: By,
    asked: FilesOfRemoved = {},
  ): Promise<Skipped[]> {
    return retryOnDeadlock(database, async (transaction) => {
      await holdAdministrators(transaction);
      const found = await lock(transaction, [...ids, by.caller.id]);
      const byId = new Map(found.map((person) => [person.id, person]));
      const caller = byId.get(by.caller.id);
      // The caller remains an administrator and is never changed, so one always remains.
      if (caller?.role !== 'admin' || caller.status !== 'active') throw fail(requestErrors.adminNeeded);

      const skipped: Skipped[] = [];
      const wanted: PersonRow[] = [];
      for (const id of ids) {
        const person = byId.get(id);
        if (!person) skipped.push(skip(id, '', personSkipped.gone));
        else if (id === caller.id) skipped.push(skipPerson(person, personSkipped.isYou));
        else if (action.already && isDone(action, person)) skipped.push(skipPerson(person, action.already));
        else wanted.push(person);
      }
      await write(transaction, action, wanted, by, asked);
      return skipped;
    });
  }

  /** Returns the changed people; none if a single last administrator would be lost. */
  async function write(
    transaction: Queryable,
    action: PersonChange,
    people: PersonRow[],
    by: By,
    asked: FilesOfRemoved,
  ): Promise<PersonRow[]> {
    const leaving =
      action === personActions.remove && people.length > 0
        ? await prepareLeaving(transaction, valuesOf(people, 'id'), by.caller, asked, now())
        : null;
    const condition = action.mayLoseAdministrator ? `and ${keepsAnAdministrator}` : '';
    const { statement, values } = statementOf(action, new Date(now()));
    const rows = await rowsOf<PersonRow>(transaction, {
      text: `${statement} where id = any($1) ${condition} returning ${personColumns}`,
      values: [people.map(({ id }) => id), ...values],
    });
    if (rows.length === 0) return rows;
    const changed = new Map(rows.map((person) => [person.id, person]));
    await recordChanges(
      transaction,
      people.flatMap((before) => {
        const after = changed.get(before.id);
        if (!after) return [];
        return aboutPerson(before, action.record, by, {
          before: logged(before),
          ...(leaving ? { files: leaving(before.id) } : { after: logged(after) }),
        });
      }),
    );
    const { mail: template } = action;
    if (template)
      await mail.queue(
        transaction,
        rows.map(({ id: subjectId }) => ({ ...template, subjectId })),
      );
    return rows;
  }
}

/**
 * Records people before their removal, so that they can be recognized and erased later, and transfers or schedules
 * their files. Returns the audit detail about the files by person id.
 */
async function prepareLeaving(
  transaction: Queryable,
  ids: string[],
  caller: Caller,
  { files, handOverTo }: FilesOfRemoved,
  now: number,
): Promise<(id: string) => Record<string, unknown>> {
  await transaction.query({
    text: `insert into removed_people (id, email, email_canonical, display_name, removed_at, removed_by)
           select id, email, email_canonical, display_name, $2, $3 from people where id = any($1)`,
    values: [ids, new Date(now), caller.email],
  });
  await keepIdentities(transaction, ids);
  if (files === 'delete') {
    const left = await scheduleDeletion(transaction, ids, now);
    return (id) => ({ count: left.files.get(id) ?? 0, deleteAt: left.at });
  }
  // Administrators who remove themselves without a receiver leave files without an owner, visible to
  // administrators only.
  if (handOverTo === undefined && ids.includes(caller.id)) return () => ({ count: 0 });
  const receiver = await requireReceiver(transaction, handOverTo ?? caller.email, ids);
  const taken = await transferFiles(transaction, ids, receiver);
  return (id) => ({ count: taken.get(id) ?? 0, handedOverTo: receiver.email });
}

function isDone({ sets }: PersonChange, person: PersonRow): boolean {
  return (
    sets !== undefined &&
    Object.entries(sets).every(([column, value]) => person[column as keyof PersonRow] === value)
  );
}

function statementOf(
  { sets, statement, isTimed }: PersonChange,
  at: Date,
): { statement: string; values: unknown[] } {
  if (statement !== undefined) return { statement, values: isTimed ? [at] : [] };
  const assigned = Object.keys(sets ?? {}).map((column, index) => `${column} = $${index + 2}`);
  return {
    statement: `update people set ${[...assigned, 'version = version + 1'].join(', ')}`,
    values: Object.values(sets ?? {}),
  };
}

const unlogged: ReadonlySet<string> = new Set<keyof Person>([
  'id',
  'email',
  'displayName',
  'joinedAt',
  'lastSignInAt',
  'lastSeenAt',
  'invitedBy',
  'ways',
  'version',
]);

/**
 * Returns the fields for the audit log: all but those that identify the person or that administrators cannot change.
 */
const logged = (person: PersonRow) =>
  Object.fromEntries(Object.entries(toPerson(person)).filter(([name]) => !unlogged.has(name)));

const skipPerson = ({ id, display_name: name, email }: PersonRow, why: MessageDefinition): Skipped =>
  skip(id, email, why, { id, name, email });

/** Prevents concurrent changes of roles and removals until the transaction ends. */
export async function holdAdministrators(transaction: Queryable): Promise<void> {
  await execute(transaction, 'select pg_advisory_xact_lock($1)', [advisoryLocks.administrators]);
}

/** Locks people in id order, to avoid deadlocks. */
async function lock(transaction: Queryable, ids: string[]): Promise<PersonRow[]> {
  return rowsOf<PersonRow>(transaction, {
    text: `select ${personColumns} from people where id = any($1) order by id for update`,
    values: [ids],
  });
}

/** Returns the error with the latest actor and the current state. */
async function changedMeanwhile(transaction: Queryable, person: PersonRow) {
  const rows = await rowsOf<{ actor_label: string }>(transaction, {
    text: `select actor_label from audit_log where target_type = 'person' and target_id = $1 order by id desc limit 1`,
    values: [person.id],
  });
  const { email, role, status } = person;
  return fail(personErrors.changed, {
    values: { actor: rows[0]?.actor_label ?? '?', email, role, status },
  });
}

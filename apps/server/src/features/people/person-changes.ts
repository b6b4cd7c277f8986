/** Changes of people by administrators. At least one active administrator always remains. */
import { personErrors, personSkipped, type PeopleAction, type Person } from '@vestibule/contract/people';
import type { RemovalFileOptions } from '@vestibule/contract/people/removed';
import { personActionChanges } from '@vestibule/contract/rules/skipped';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { MessageDefinition } from '@vestibule/contract/texts/text';
import type { Skipped } from '@vestibule/contract/values';
import { personAudit, recordChanges } from '../../platform/audit/audit-log.ts';
import { describeSkipped } from '../../platform/lists/bulk-action.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import {
  execute,
  rowsOf,
  scalarOf,
  retryOnDeadlock,
  type Queryable,
  type DatabaseDeps,
} from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Hooks } from '../../platform/extensions/hooks.ts';
import { requireRecentAuth } from '../../platform/http/access.ts';
import type { Actor, Caller } from '../../platform/http/implement.ts';
import { scheduleDeletion, transferFiles, requireReceiver } from '../attachments/files/removed-owner.ts';
import type { MailJob, MailQueue } from '../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../platform/values-of.ts';
import {
  endSignInsSql,
  personColumns,
  storeDeletedIdentities,
  toPerson,
  type PersonRow,
  lockPeople,
} from './people-store.ts';
import { disabledMailName, roleChangedMailName } from './person-mail.ts';

/** Longer than the undo toast; enabling the person within this time cancels the mail. */
const disabledMailDelaySeconds = 20;

const administratorRemains = `(role <> 'admin' or status <> 'active' or exists (
  select from people other where other.role = 'admin' and other.status = 'active' and other.id <> people.id))`;

type PersonChange = {
  /** Audit action, such as `person.disabled`. */
  auditAction: string;
  /** Column values to write. People who already have them are not changed. */
  changes?: Partial<PersonRow>;
  /** SQL statement instead of `changes`, without its condition. `$2` is the current time if `usesTime` is set. */
  statement?: string;
  usesTime?: true;
  /** Reason reported for people already in that state. */
  skipReason?: MessageDefinition;
  mayLoseAdministrator?: true;
  mail?: Omit<MailJob, 'subjectId'>;
};

export const personActions: Record<PeopleAction, PersonChange> = {
  makeAdmin: {
    auditAction: 'person.role_changed',
    changes: personActionChanges.makeAdmin,
    skipReason: personSkipped.isAdmin,
    mail: { template: roleChangedMailName },
  },
  makeMember: {
    auditAction: 'person.role_changed',
    changes: personActionChanges.makeMember,
    skipReason: personSkipped.isMember,
    mayLoseAdministrator: true,
    mail: { template: roleChangedMailName },
  },
  enable: {
    auditAction: 'person.enabled',
    changes: personActionChanges.enable,
    skipReason: personSkipped.isActive,
  },
  disable: {
    auditAction: 'person.disabled',
    changes: personActionChanges.disable,
    skipReason: personSkipped.isDisabled,
    mayLoseAdministrator: true,
    mail: { template: disabledMailName, afterSeconds: disabledMailDelaySeconds },
  },
  signOut: { auditAction: 'person.signed_out', statement: endSignInsSql, usesTime: true },
  remove: { auditAction: 'person.removed', statement: 'delete from people', mayLoseAdministrator: true },
};

type PersonCall = Actor & {
  params: { personId: string };
  query: { version?: number | undefined } & RemovalFileOptions;
};

export function createPersonChanges({
  database,
  mail,
  hooks,
  now,
}: DatabaseDeps & { mail: MailQueue; hooks: Hooks }) {
  return {
    changeOne: (call: PersonCall, action: PersonChange) =>
      retryOnDeadlock(database, (transaction) => change(transaction, call, action)),
    change,
    changeMany,
  };

  /** Changes one person. Throws if `version` is outdated or if no administrator would remain. */
  async function change(transaction: Queryable, call: PersonCall, action: PersonChange): Promise<PersonRow> {
    if (action.mayLoseAdministrator) await lockAdministrators(transaction);
    const person = await lockCurrent(transaction, call);
    if (isUnchanged(action, person)) return person;
    requireAdministratorScope(action, [person], call.caller, now());
    const [after] = await apply(transaction, action, [person], call, call.query);
    if (!after) throw fail(personErrors.lastAdministrator);
    return after;
  }

  function changeMany(
    ids: string[],
    action: PersonChange,
    context: Actor,
    files: RemovalFileOptions = {},
  ): Promise<Skipped[]> {
    return retryOnDeadlock(database, async (transaction) => {
      await lockAdministrators(transaction);
      const found = await lockPeople(transaction, [...ids, context.caller.id], 'update');
      const byId = new Map(found.map((person) => [person.id, person]));
      const caller = byId.get(context.caller.id);
      // The caller remains an administrator and is never changed, so one always remains.
      if (caller?.role !== 'admin' || caller.status !== 'active') throw fail(requestErrors.adminNeeded);

      const skipped: Skipped[] = [];
      const selected: PersonRow[] = [];
      for (const id of ids) {
        const person = byId.get(id);
        if (!person) skipped.push(describeSkipped(id, '', personSkipped.gone));
        else if (id === caller.id) skipped.push(skipPerson(person, personSkipped.isYou));
        else if (action.skipReason && isUnchanged(action, person))
          skipped.push(skipPerson(person, action.skipReason));
        else selected.push(person);
      }
      requireAdministratorScope(action, selected, context.caller, now());
      await apply(transaction, action, selected, context, files);
      return skipped;
    });
  }

  /** Returns the people who were changed. Changes no row if the only active administrator would be lost. */
  async function apply(
    transaction: Queryable,
    action: PersonChange,
    people: PersonRow[],
    context: Actor,
    files: RemovalFileOptions,
  ): Promise<PersonRow[]> {
    if (people.length === 0) return [];
    const ids = valuesOf(people, 'id');
    const isRemoval = action === personActions.remove;
    const filesDetail = isRemoval
      ? await prepareRemoval(transaction, ids, context.caller, files, now())
      : null;
    const removed = people.map(({ id: personId, email }) => ({ personId, email }));
    if (isRemoval) await hooks.call('personRemoved', transaction, removed);
    const memberships = isRemoval ? await readMemberships(transaction, ids) : [];
    const condition = action.mayLoseAdministrator ? `and ${administratorRemains}` : '';
    const { statement, values } = statementOf(action, new Date(now()));
    const rows = await rowsOf<PersonRow>(transaction, {
      text: `${statement} where id = any($1) ${condition} returning ${personColumns}`,
      values: [ids, ...values],
    });
    if (rows.length === 0) return rows;
    const changed = new Map(rows.map((person) => [person.id, person]));
    const entries = people.flatMap((before) => {
      const after = changed.get(before.id);
      if (!after) return [];
      const endedMemberships = memberships
        .filter(({ personId }) => personId === before.id)
        .map(({ organizationId: id, name }) => {
          const organization = { id, name, asSiteAdministrator: true };
          return personAudit.entry(before, 'member.removed', { ...context, organization });
        });
      const detail = {
        before: loggedFields(before),
        ...(filesDetail ? { files: filesDetail(before.id) } : { after: loggedFields(after) }),
      };
      return [...endedMemberships, personAudit.entry(before, action.auditAction, context, detail)];
    });
    await recordChanges(transaction, entries);
    const { mail: template } = action;
    if (template)
      await mail.queue(
        transaction,
        rows.map(({ id: subjectId }) => ({ ...template, subjectId })),
      );
    return rows;
  }
}

/** Returns the locked person. Throws if `version` is outdated. */
export async function lockCurrent(
  transaction: Queryable,
  { params, query }: Pick<PersonCall, 'params' | 'query'>,
): Promise<PersonRow> {
  const [person] = await lockPeople(transaction, [params.personId], 'update');
  if (!person) throw fail(personErrors.notFound);
  if (query.version !== undefined && query.version !== person.version)
    throw await changedError(transaction, person);
  return person;
}

/** Records people before their removal and transfers or schedules their files. Returns the audit detail about the files. */
async function prepareRemoval(
  transaction: Queryable,
  ids: string[],
  caller: Caller,
  { files, handOverTo }: RemovalFileOptions,
  now: number,
): Promise<(id: string) => Record<string, unknown>> {
  await execute(transaction)`
    insert into removed_people (id, email, email_canonical, display_name, removed_at, removed_by)
    select id, email, email_canonical, display_name, ${new Date(now)}, ${caller.email} from people
      where id = any(${ids})`;
  await storeDeletedIdentities(transaction, ids);
  if (files === 'delete') {
    const scheduled = await scheduleDeletion(transaction, ids, now);
    return (id) => ({ count: scheduled.files.get(id) ?? 0, deleteAt: scheduled.at });
  }
  // Administrators who remove themselves without a receiver leave files without an owner.
  if (handOverTo === undefined && ids.includes(caller.id)) return () => ({ count: 0 });
  const receiver = await requireReceiver(transaction, handOverTo ?? caller.email, ids);
  const transferred = await transferFiles(transaction, 'owner_id', ids, receiver);
  return (id) => ({ count: transferred.get(id) ?? 0, handedOverTo: receiver.email });
}

/** Returns the memberships that end with a removal, for the activity of the organizations. */
const readMemberships = (transaction: Queryable, ids: string[]) =>
  rowsOf<{ personId: string; organizationId: string; name: string }>(transaction)`
    select person_id as "personId", organization_id as "organizationId", name
    from memberships join organizations on organizations.id = organization_id where person_id = any(${ids})`;

/** Throws for a token that enables an administrator without the scope to make administrators: both give a person the role. */
function requireAdministratorScope(
  action: PersonChange,
  people: PersonRow[],
  caller: Caller,
  now: number,
): void {
  if (action === personActions.enable && caller.token && people.some(({ role }) => role === 'admin'))
    requireRecentAuth(caller, now);
}

const isUnchanged = ({ changes }: PersonChange, person: PersonRow): boolean =>
  changes !== undefined &&
  Object.entries(changes).every(([column, value]) => person[column as keyof PersonRow] === value);

function statementOf(
  { changes, statement, usesTime }: PersonChange,
  at: Date,
): { statement: string; values: unknown[] } {
  if (statement !== undefined) return { statement, values: usesTime ? [at] : [] };
  const assigned = Object.keys(changes ?? {}).map((column, index) => `${column} = $${index + 2}`);
  return {
    statement: `update people set ${[...assigned, 'version = version + 1'].join(', ')}`,
    values: Object.values(changes ?? {}),
  };
}

const unloggedFields: ReadonlySet<string> = new Set<keyof Person>([
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

/** Returns the fields for the audit log, without identifying ones and those administrators cannot change. */
const loggedFields = (person: PersonRow) =>
  Object.fromEntries(Object.entries(toPerson(person)).filter(([name]) => !unloggedFields.has(name)));

const skipPerson = ({ id, display_name: name, email }: PersonRow, reason: MessageDefinition): Skipped =>
  describeSkipped(id, email, reason, { id, name, email });

/** Prevents concurrent changes of roles and removals until the transaction ends. */
export async function lockAdministrators(transaction: Queryable): Promise<void> {
  await execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.administrators})`;
}

async function changedError(transaction: Queryable, person: PersonRow) {
  const actor = await scalarOf<string>(transaction)`
    select actor_label from audit_log where target_type = 'person' and target_id = ${person.id} order by id desc limit 1`;
  const { email, role, status } = person;
  return fail(personErrors.changed, { values: { actor: actor ?? '?', email, role, status } });
}

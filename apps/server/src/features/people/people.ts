/** People: who am I, and what administrators see of those who are inside and do about them. */
import type { Activity } from '@vestibule/contract/activity';
import { getMe } from '@vestibule/contract/me';
import {
  actOnPeople,
  changeRole,
  disablePerson,
  enablePerson,
  exportPeople,
  getPerson,
  listPeople,
  listSignIns,
  listTimeline,
  personErrors,
  removePerson,
  signOutPerson,
  type PeopleAction,
} from '@vestibule/contract/people';
import { requestErrors } from '@vestibule/contract/request-errors';
import { recordChange, recordChanges } from '../../platform/audit/audit-log.ts';
import { auditColumns, toActivity, type AuditRow } from '../../platform/audit/audit-row.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement, type Caller, type Implementation, type Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { browserName } from './browser-name.ts';
import {
  endSignIns,
  findPerson,
  listSignInRows,
  personColumns,
  toPerson,
  type PersonRow,
} from './people-store.ts';
import { disabledMailName, roleChangedMailName } from './person-mail.ts';

/** Held while the number of active administrators may fall, so that two of them cannot remove each other. */
const administratorsLock = 7_233_001;
/** People changed in one transaction; more are done in several. */
const peopleAtOnce = 5_000;
const skippedShown = 100;
const timelinePage = 50;

const keepsAnAdministrator = `(role <> 'admin' or status <> 'active' or exists (
  select from people other where other.role = 'admin' and other.status = 'active' and other.id <> people.id))`;

type Action = {
  /** What the log calls it. */
  record: string;
  statement: string;
  /** The statement knows the present moment as `$2`. */
  isTimed?: true;
  isDone: (person: PersonRow) => boolean;
  /** Why somebody is left out for whom it is done already. */
  already: string;
  mayLoseAdministrator: boolean;
  /** The mail that tells the person. */
  mail?: string;
};

const actions: Record<PeopleAction, Action> = {
  makeAdmin: {
    record: 'person.role_changed',
    statement: `update people set role = 'admin', version = version + 1`,
    isDone: ({ role }) => role === 'admin',
    already: 'Is an administrator already.',
    mayLoseAdministrator: false,
    mail: roleChangedMailName,
  },
  makeMember: {
    record: 'person.role_changed',
    statement: `update people set role = 'member', version = version + 1`,
    isDone: ({ role }) => role === 'member',
    already: 'Is a member already.',
    mayLoseAdministrator: true,
    mail: roleChangedMailName,
  },
  enable: {
    record: 'person.enabled',
    statement: `update people set status = 'active', version = version + 1`,
    isDone: ({ status }) => status === 'active',
    already: 'Is active already.',
    mayLoseAdministrator: false,
  },
  disable: {
    record: 'person.disabled',
    statement: `update people set status = 'disabled', version = version + 1`,
    isDone: ({ status }) => status === 'disabled',
    already: 'Is disabled already.',
    mayLoseAdministrator: true,
    mail: disabledMailName,
  },
  signOut: {
    record: 'person.signed_out',
    statement: endSignIns,
    isTimed: true,
    isDone: () => false,
    already: '',
    mayLoseAdministrator: false,
  },
  remove: {
    record: 'person.removed',
    statement: 'delete from people',
    isDone: () => false,
    already: '',
    mayLoseAdministrator: true,
  },
};

const exportedColumns = {
  displayName: { label: 'Name' },
  email: { label: 'E-mail' },
  role: { label: 'Role', words: { admin: 'Administrator', member: 'Member' } },
  status: { label: 'Status', words: { active: 'Active', disabled: 'Disabled' } },
  joinedAt: { label: 'Joined' },
  lastSignInAt: { label: 'Last sign-in' },
  lastSeenAt: { label: 'Last seen' },
  invitedBy: { label: 'Invited by' },
};

type Skipped = { id: string; label: string; reason: string };

export function people(deps: {
  database: Database;
  mail: MailQueue;
  exportList: ExportList;
  now: () => number;
}): Implementation[] {
  const { database, mail } = deps;
  const list = createListReader<PersonRow>(
    database,
    {
      table: 'people',
      columns: {
        email: { sql: 'email', kind: 'text', searched: true, folded: 'email_folded' },
        displayName: { sql: 'display_name', kind: 'text', searched: true, folded: 'display_name_folded' },
        role: { sql: 'role', kind: 'set' },
        status: { sql: 'status', kind: 'set' },
        joinedAt: { sql: 'joined_at', kind: 'date' },
        lastSignInAt: { sql: 'last_sign_in_at', kind: 'date' },
        lastSeenAt: { sql: 'last_seen_at', kind: 'date' },
        invitedBy: { sql: 'invited_by', kind: 'text' },
      },
      newestFirst: 'joined_at',
    },
    deps.now,
  );

  async function requirePerson(personId: string): Promise<PersonRow> {
    const person = await findPerson(database, personId);
    if (!person) throw fail(personErrors.notFound);
    return person;
  }

  /** Changes one person, with its audit row; refuses what would leave nobody to administer. */
  function change(
    call: {
      params: { personId: string };
      query: { version?: number | undefined };
      caller: Caller;
      origin: Origin;
    },
    action: Action,
  ): Promise<PersonRow> {
    const { personId } = call.params;
    return database.transaction(async (transaction) => {
      if (action.mayLoseAdministrator) await holdAdministrators(transaction);
      const { rows: found } = await transaction.query<PersonRow>({
        text: `select ${personColumns} from people where id = $1 for update`,
        values: [personId],
      });
      const person = found[0];
      if (!person) throw fail(personErrors.notFound);
      if (call.query.version !== undefined && call.query.version !== person.version)
        throw await changedMeanwhile(transaction, person);
      if (action.isDone(person)) return person;
      const { rows } = await transaction.query<PersonRow>({
        text: `${action.statement} where id = $1 ${action.mayLoseAdministrator ? `and ${keepsAnAdministrator}` : ''} returning ${personColumns}`,
        values: [personId, ...momentOf(action)],
      });
      const after = rows[0];
      if (!after) throw fail(personErrors.lastAdministrator);
      await recordChange(transaction, entryOf(action, person, after, call));
      await tell(transaction, action, [personId]);
      return after;
    });
  }

  /** Changes some of many people in one transaction; gives those whom it left out. */
  function changeMany(
    ids: string[],
    action: Action,
    call: { caller: Caller; origin: Origin },
  ): Promise<Skipped[]> {
    return database.transaction(async (transaction) => {
      await holdAdministrators(transaction);
      const { rows: found } = await transaction.query<PersonRow>({
        text: `select ${personColumns} from people where id = any($1) or id = $2 order by id for update`,
        values: [ids, call.caller.id],
      });
      const byId = new Map(found.map((person) => [person.id, person]));
      const caller = byId.get(call.caller.id);
      // Whoever acts stays an administrator and is never acted on, so somebody always remains.
      if (caller?.role !== 'admin' || caller.status !== 'active') throw fail(requestErrors.adminNeeded);

      const skipped: Skipped[] = [];
      const wanted: PersonRow[] = [];
      for (const id of ids) {
        const person = byId.get(id);
        if (!person) skipped.push({ id, label: 'Somebody', reason: 'Is no longer inside.' });
        else if (id === caller.id)
          skipped.push({
            id,
            label: person.email,
            reason: 'This is you. What concerns yourself is done alone, not together with others.',
          });
        else if (action.isDone(person)) skipped.push({ id, label: person.email, reason: action.already });
        else wanted.push(person);
      }
      const wantedIds = wanted.map(({ id }) => id);
      const { rows: changed } = await transaction.query<PersonRow>({
        text: `${action.statement} where id = any($1) returning ${personColumns}`,
        values: [wantedIds, ...momentOf(action)],
      });
      const after = new Map(changed.map((person) => [person.id, person]));
      await recordChanges(
        transaction,
        wanted.map((person) => entryOf(action, person, after.get(person.id) ?? person, call)),
      );
      await tell(transaction, action, wantedIds);
      return skipped;
    });
  }

  const momentOf = ({ isTimed }: Action) => (isTimed ? [new Date(deps.now())] : []);

  async function tell(transaction: Queryable, action: Action, ids: string[]): Promise<void> {
    const { mail: template } = action;
    if (template && ids.length > 0)
      await mail.queue(
        transaction,
        ids.map((subjectId) => ({ template, subjectId })),
      );
  }

  return [
    implement(getMe, async ({ caller }) => ({
      Id: caller.id,
      Email: caller.email,
      DisplayName: caller.displayName,
      IsAdmin: caller.isAdmin,
      Theme: caller.preferences?.theme ?? null,
      Language: caller.preferences?.language ?? null,
    })),

    implement(listPeople, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { rows: rows.map(toPerson), total };
    }),

    implement(exportPeople, (call) =>
      deps.exportList({ name: 'people', title: 'People', list, columns: exportedColumns }, call),
    ),

    implement(getPerson, async ({ params }) => toPerson(await requirePerson(params.personId))),

    implement(listTimeline, async ({ params, query }) => {
      const { id } = await requirePerson(params.personId);
      return readTimeline(database, id, query.before);
    }),

    implement(listSignIns, async ({ params }) => {
      const { id } = await requirePerson(params.personId);
      return {
        rows: (await listSignInRows(database, id)).map((row) => ({
          id: row.id,
          at: row.at.toISOString(),
          address: row.address,
          browser: browserName(row.user_agent),
        })),
      };
    }),

    implement(changeRole, async (call) =>
      toPerson(await change(call, call.body.role === 'admin' ? actions.makeAdmin : actions.makeMember)),
    ),
    implement(disablePerson, async (call) => toPerson(await change(call, actions.disable))),
    implement(enablePerson, async (call) => toPerson(await change(call, actions.enable))),
    implement(signOutPerson, async (call) => toPerson(await change(call, actions.signOut))),
    implement(removePerson, async (call) => {
      const { id, email } = await change(call, actions.remove);
      return { id, email };
    }),

    implement(actOnPeople, async (call) => {
      const ids = await list.select(call.body.selection);
      const skipped: Skipped[] = [];
      for (let start = 0; start < ids.length; start += peopleAtOnce)
        skipped.push(
          ...(await changeMany(ids.slice(start, start + peopleAtOnce), actions[call.body.action], call)),
        );
      return {
        done: ids.length - skipped.length,
        skipped: skipped.slice(0, skippedShown),
        skippedCount: skipped.length,
      };
    }),
  ];
}

async function holdAdministrators(transaction: Queryable): Promise<void> {
  await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [administratorsLock] });
}

function entryOf(
  action: Action,
  before: PersonRow,
  after: PersonRow,
  { caller, origin }: { caller: Caller; origin: Origin },
) {
  return {
    action: action.record,
    actor: caller,
    target: { type: 'person', id: before.id, label: before.email },
    origin,
    detail: {
      before: { role: before.role, status: before.status },
      ...(action !== actions.remove && { after: { role: after.role, status: after.status } }),
    },
  };
}

/** Says who was quicker and how things stand now. */
async function changedMeanwhile(transaction: Queryable, person: PersonRow) {
  const { rows } = await transaction.query<{ actor_label: string }>({
    text: `select actor_label from audit_log where target_type = 'person' and target_id = $1 order by id desc limit 1`,
    values: [person.id],
  });
  const role = person.role === 'admin' ? 'an administrator' : 'a member';
  return fail({
    ...personErrors.changed,
    message: `${rows[0]?.actor_label ?? 'Somebody else'} has changed this person in the meantime: ${person.email} is ${role} and ${person.status} now. Look at the new state, then decide again.`,
  });
}

/** What somebody did, what was done about them, and what became of the invitation they came with. */
async function readTimeline(
  database: Queryable,
  personId: string,
  before = Number.MAX_SAFE_INTEGER,
): Promise<{ rows: Activity[]; more: boolean }> {
  const arm = (condition: string) =>
    `(select ${auditColumns} from audit_log where ${condition} and id < $2 order by id desc limit ${timelinePage + 1})`;
  const { rows } = await database.query<AuditRow>({
    text: `${arm(`target_type = 'person' and target_id = $1::text`)}
           union ${arm('actor_id = $1::uuid')}
           union ${arm(`target_type = 'invitation' and target_id = (
             select target_id from audit_log
             where actor_id = $1::uuid and action = 'invitation.redeemed' order by id limit 1)`)}
           order by id desc limit ${timelinePage + 1}`,
    values: [personId, before],
  });
  return { rows: rows.slice(0, timelinePage).map(toActivity), more: rows.length > timelinePage };
}

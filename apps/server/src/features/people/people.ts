import type { Activity } from '@vestibule/contract/activity';
import { getMe } from '@vestibule/contract/profile/me';
import {
  actOnPeople,
  changeRole,
  countPeople,
  disablePerson,
  enablePerson,
  exportPeople,
  getPerson,
  listPeople,
  listSignIns,
  listTimeline,
  removePerson,
  signOutPerson,
} from '@vestibule/contract/people';
import type { Area } from '../../platform/area.ts';
import { auditColumns, type AuditRow } from '../../platform/audit/audit-log.ts';
import { runBulkAction } from '../../platform/lists/bulk-action.ts';
import { rowsOf, type Database, type Queryable } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import type { Hooks } from '../../platform/extensions/hooks.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { every } from '../../platform/timers.ts';
import { valuesOf } from '../../platform/values-of.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { findPeopleByEmail, addPeopleToActivity } from './people-by-email.ts';
import {
  flushIntervalMs,
  flushSignInBuffer,
  listSignInRows,
  peopleList,
  toPerson,
  toSignIn,
  type PersonRow,
  requirePerson,
} from './people-store.ts';
import { personMails } from './person-mail.ts';
import { personActions, createPersonChanges } from './person-changes.ts';
import { detailRoutes } from './person-details.ts';

const timelinePageSize = 50;

export function people(deps: {
  database: Database;
  mail: MailQueue;
  exportList: ExportList;
  settings: SettingsStore;
  hooks: Hooks;
  publicUrl: string;
  now: () => number;
}): Area {
  const { database } = deps;
  const { changeOne, changeMany } = createPersonChanges(deps);
  const list = createListReader<PersonRow, typeof peopleList>(database, peopleList, deps.now).in('site');

  const routes = [
    implement(getMe, async ({ caller, organization }) => ({
      Id: caller.id,
      Email: caller.email,
      DisplayName: caller.displayName,
      IsAdmin: caller.isAdmin,
      Theme: caller.preferences?.theme ?? null,
      Language: caller.preferences?.language ?? null,
      ...(organization && {
        Organization: {
          Id: organization.id,
          Name: organization.name,
          Permissions: [...organization.permissions].toSorted(),
        },
      }),
    })),

    implement(listPeople, async ({ query }) => {
      const { rows, total } = await list.page(query);
      const personByEmail = await findPeopleByEmail(database, valuesOf(rows, 'invited_by'));
      return {
        rows: rows.map((row) => ({ ...toPerson(row), inviter: personByEmail(row.invited_by) })),
        total,
      };
    }),

    implement(countPeople, () => list.countGroups()),

    implement(exportPeople, (call) => deps.exportList({ name: 'people', title: 'People', list }, call)),

    implement(getPerson, async ({ params }) => {
      const person = await requirePerson(database, params.personId);
      const personByEmail = await findPeopleByEmail(database, [person.invited_by]);
      return { ...toPerson(person), inviter: personByEmail(person.invited_by) };
    }),

    implement(listTimeline, async ({ params, query }) => {
      const { id } = await requirePerson(database, params.personId);
      return readTimeline(database, id, query.before);
    }),

    implement(listSignIns, async ({ params }) => {
      const { id } = await requirePerson(database, params.personId);
      return { rows: (await listSignInRows(database, id)).map(toSignIn) };
    }),

    implement(changeRole, async (call) =>
      toPerson(await changeOne(call, personActions[call.body.role === 'admin' ? 'makeAdmin' : 'makeMember'])),
    ),
    implement(disablePerson, async (call) => toPerson(await changeOne(call, personActions.disable))),
    implement(enablePerson, async (call) => toPerson(await changeOne(call, personActions.enable))),
    implement(signOutPerson, async (call) => toPerson(await changeOne(call, personActions.signOut))),
    implement(removePerson, async (call) => {
      const { id, email } = await changeOne(call, personActions.remove);
      return { id, email };
    }),

    ...detailRoutes(deps),

    implement(actOnPeople, ({ body: { action, selection, ...files }, ...context }) =>
      runBulkAction(
        list,
        selection,
        (ids) => changeMany(ids, personActions[action], context, files),
        deps.now,
      ),
    ),
  ];
  return {
    routes,
    mails: personMails(deps),
    timers: [every(flushIntervalMs, 'writing sign-ins', () => flushSignInBuffer(database))],
  };
}

/** Reads the audit entries by and about a person, including those of the invitation they redeemed. */
async function readTimeline(
  database: Queryable,
  personId: string,
  before = Number.MAX_SAFE_INTEGER,
): Promise<{ rows: Activity[]; more: boolean }> {
  const selectEntries = (condition: string) =>
    `(select ${auditColumns} from audit_log where ${condition} and id < $2 order by id desc limit ${timelinePageSize + 1})`;
  const rows = await rowsOf<AuditRow>(database, {
    text: `${selectEntries(`target_type = 'person' and target_id = $1::text`)}
           union ${selectEntries('actor_id = $1::uuid')}
           union ${selectEntries(`target_type = 'invitation' and target_id = (
             select target_id from audit_log
             where actor_id = $1::uuid and action = 'invitation.redeemed' order by id limit 1)`)}
           order by id desc limit ${timelinePageSize + 1}`,
    values: [personId, before],
  });
  return {
    rows: await addPeopleToActivity(database, rows.slice(0, timelinePageSize)),
    more: rows.length > timelinePageSize,
  };
}

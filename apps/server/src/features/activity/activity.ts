/** Routes of the activity lists of the site and of organizations. Entries are written by platform/audit. */
import {
  exportActivity,
  exportOrganizationActivity,
  listActivity,
  listOrganizationActivity,
  verifyActivity,
  type ActivityColumn,
} from '@vestibule/contract/activity';
import type { Area } from '../../platform/area.ts';
import type { AuditRow } from '../../platform/audit/audit-log.ts';
import type { AuditSeals } from '../../platform/audit/audit-seals.ts';
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/lists/list-page.ts';
import type { ExportedColumn, ListSource } from '../../platform/lists/list-source.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement, implementInScopes, type CallerOrganization } from '../../platform/http/implement.ts';
import { every } from '../../platform/timers.ts';
import { addPeopleToActivity } from '../people/people-by-email.ts';

const sealIntervalMs = 5_000;

const activityList: ListSource<ActivityColumn, ExportedColumn> = {
  table: 'audit_log',
  idType: 'bigint',
  isUnchangeable: true,
  columns: {
    at: { kind: 'date', label: 'When' },
    actor: { sql: 'actor_label', kind: 'text', searched: true, label: 'Who' },
    action: { kind: 'text', searched: true, label: 'What' },
    target: { sql: 'target_label', kind: 'text', searched: true, label: 'Affected' },
    address: { kind: 'text', searched: true, label: 'Network address' },
  },
  newestFirst: 'at',
};

/** Without network addresses, which only administrators of the site see. */
const { address: _address, ...organizationColumns } = activityList.columns;
const organizationActivityList: ListSource<Exclude<ActivityColumn, 'address'>, ExportedColumn> = {
  ...activityList,
  organization: `detail #>> '{organization,id}'`,
  columns: organizationColumns,
};

export function activity(deps: DatabaseDeps & { auditSeals: AuditSeals; exportList: ExportList }): Area {
  const { auditSeals, database, now } = deps;
  const ofSite = createListReader<AuditRow, typeof activityList>(database, activityList, now).in('site');
  const ofOrganizations = createListReader<AuditRow, typeof organizationActivityList>(
    database,
    organizationActivityList,
    now,
  );
  const listOf = (organization: CallerOrganization | null) =>
    organization ? ofOrganizations.in({ organizationId: organization.id }) : ofSite;
  const routes = [
    ...implementInScopes(listActivity, listOrganizationActivity, async ({ organization, query }) => {
      const { rows, total } = await listOf(organization).page(query);
      const namesInvitees = organization === null;
      return { total, rows: await addPeopleToActivity(database, rows, { namesInvitees }) };
    }),

    ...implementInScopes(exportActivity, exportOrganizationActivity, (call) =>
      deps.exportList({ name: 'activity', title: 'Activity', list: listOf(call.organization) }, call),
    ),

    implement(verifyActivity, async ({ query }) => {
      const verdict = await auditSeals.verify(query.after);
      const { sealed, since } = await auditSeals.countRows();
      const unsealed = await auditSeals.countUnsealed();
      return { ...verdict, sealed, unsealed, since: since?.toISOString() ?? null };
    }),
  ];
  const sealTimer = every(sealIntervalMs, 'sealing the activity log', () => auditSeals.seal());
  return { routes, timers: [sealTimer] };
}

/** Activity: reads and verifies the audit log. It is written by each change itself (platform/audit). */
import { exportActivity, listActivity, verifyActivity } from '@vestibule/contract/activity';
import type { Area } from '../../platform/area.ts';
import { toActivity, type AuditRow } from '../../platform/audit/audit-row.ts';
import type { AuditSeals } from '../../platform/audit/audit-seals.ts';
import type { Database } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement } from '../../platform/http/implement.ts';
import { every } from '../../platform/timers.ts';

const sealEveryMs = 5_000;

export function activity(deps: {
  database: Database;
  auditSeals: AuditSeals;
  exportList: ExportList;
  now: () => number;
}): Area {
  const { auditSeals } = deps;
  const list = createListReader<AuditRow>(
    deps.database,
    {
      table: 'audit_log',
      idType: 'bigint',
      columns: {
        at: { sql: 'at', kind: 'date' },
        actor: { sql: 'actor_label', kind: 'text', searched: true },
        action: { sql: 'action', kind: 'text', searched: true },
        target: { sql: 'target_label', kind: 'text', searched: true },
        address: { sql: 'address', kind: 'text', searched: true },
      },
      newestFirst: 'at',
    },
    deps.now,
  );
  const routes = [
    implement(listActivity, async ({ query }) => {
      const { rows, total } = await list.page(query);
      return { total, rows: rows.map(toActivity) };
    }),

    implement(exportActivity, (call) =>
      deps.exportList({ name: 'activity', title: 'Activity', list, columns: exportedColumns }, call),
    ),

    implement(verifyActivity, async ({ query }) => {
      const verdict = await auditSeals.verify(query.after);
      const { sealed, unsealed, since } = await auditSeals.extent();
      return { ...verdict, sealed, unsealed, since: since?.toISOString() ?? null };
    }),
  ];
  const sealing = every(sealEveryMs, 'sealing the activity log', () => auditSeals.seal());
  return { routes, timers: [sealing] };
}

const exportedColumns = {
  at: { label: 'When' },
  actor: { label: 'Who' },
  action: { label: 'What' },
  target: { label: 'To whom or what' },
  address: { label: 'Network address' },
};

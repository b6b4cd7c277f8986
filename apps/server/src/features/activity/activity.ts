/** Activity: reads and verifies the audit log. It is written by each change itself (platform/audit). */
import { exportActivity, listActivity, verifyActivity } from '@vestibule/contract/activity';
import { toActivity, type AuditRow } from '../../platform/audit/audit-row.ts';
import type { AuditSeals } from '../../platform/audit/audit-seals.ts';
import type { Database } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';

export function activity(deps: {
  database: Database;
  auditSeals: AuditSeals;
  exportList: ExportList;
  now: () => number;
}): Implementation[] {
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
  return [
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
}

const exportedColumns = {
  at: { label: 'When' },
  actor: { label: 'Who' },
  action: { label: 'What' },
  target: { label: 'To whom or what' },
  address: { label: 'Network address' },
};

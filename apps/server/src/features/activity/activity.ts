/** Activity: reads the audit log. It is written by each change itself (platform/audit). */
import { listActivity } from '@vestibule/contract/activity';
import type { Database } from '../../platform/database/database.ts';
import { createPageReader } from '../../platform/database/list-page.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';

type AuditRow = {
  id: number;
  at: Date;
  actor_label: string;
  action: string;
  target_label: string;
  address: string;
  request_id: string;
};

export function activity(deps: { database: Database; now: () => number }): Implementation[] {
  const readPage = createPageReader<AuditRow>(
    deps.database,
    { table: 'audit_log', columns: { at: 'at' }, newestFirst: 'at' },
    deps.now,
  );
  return [
    implement(listActivity, async ({ query }) => {
      const { rows, total } = await readPage(query);
      return {
        total,
        rows: rows.map((row) => ({
          id: row.id,
          at: row.at.toISOString(),
          actor: row.actor_label,
          action: row.action,
          target: row.target_label,
          address: row.address,
          requestId: row.request_id,
        })),
      };
    }),
  ];
}

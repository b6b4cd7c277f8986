/** Activity: reads the audit log. It is written by each change itself (platform/audit). */
import { listActivity } from '@vestibule/contract/activity';
import type { Database } from '../../platform/database/database.ts';
import { createListReader } from '../../platform/database/list-page.ts';
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
  const list = createListReader<AuditRow>(
    deps.database,
    {
      table: 'audit_log',
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

/** Metrics of the resources that all features share. */
import type { AuditSeals } from '../audit/audit-seals.ts';
import type { Database } from '../database/database.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { GaugeDefinition } from './metrics.ts';

export function resourceMetrics(deps: {
  database: Pick<Database, 'pool'>;
  mail: Pick<MailQueue, 'counts'>;
  auditSeals: Pick<AuditSeals, 'countUnsealed'>;
}): GaugeDefinition[] {
  const { pool } = deps.database;
  return [
    {
      name: 'database_connections',
      help: 'Connections of this process to the database, and requests that wait for one.',
      label: 'state',
      read: () => ({
        busy: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        wanted: pool.waitingCount,
      }),
    },
    {
      name: 'mails',
      help: 'Mails of the site that wait, wait for another try, or were given up in the last days.',
      label: 'state',
      read: () => deps.mail.counts(),
    },
    {
      name: 'audit_rows_unsealed',
      help: 'Rows of the activity log that no seal covers yet.',
      read: () => deps.auditSeals.countUnsealed(),
    },
  ];
}

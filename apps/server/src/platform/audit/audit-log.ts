/** Writes the audit log. Always inside the transaction of the change: no row, no change. */
import type { Queryable } from '../database/database.ts';
import type { Caller, Origin } from '../http/implement.ts';

export type AuditEntry = {
  /** `area.what_happened`, such as `invitation.revoked`. */
  action: string;
  /** Who did it; null for the server itself. */
  actor: Pick<Caller, 'id' | 'email'> | null;
  target: { type: string; id: string; label: string };
  origin: Origin;
  /** What changed. Never a code, a token or a message's text. */
  detail?: Record<string, unknown>;
};

export async function recordChange(transaction: Queryable, entry: AuditEntry): Promise<void> {
  await transaction.query({
    name: 'record-change',
    text: `insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      entry.action,
      entry.actor?.id ?? null,
      entry.actor?.email ?? 'Vestibule',
      entry.target.type,
      entry.target.id,
      entry.target.label,
      entry.origin.address,
      entry.origin.requestId,
      entry.detail ?? {},
    ],
  });
}

/** Audit log row as read from the database. */

export type AuditRow = {
  id: number;
  at: Date;
  actor_id: string | null;
  actor_label: string;
  action: string;
  target_type: string;
  target_id: string;
  target_label: string;
  address: string;
  request_id: string;
  detail: Record<string, unknown>;
};

export const auditColumns =
  'id, at, actor_id, actor_label, action, target_type, target_id, target_label, address, request_id, detail';

/** Converts a row to the contract's `Activity`. */
export function toActivity(row: AuditRow) {
  const token = row.detail['token'] as { name?: string } | undefined;
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor_label,
    tokenName: token?.name ?? null,
    action: row.action,
    target: row.target_label,
    targetType: row.target_type,
    targetId: row.target_id,
    address: row.address,
    requestId: row.request_id,
    detail: row.detail,
  };
}

/** Writes the audit log. Always inside the transaction of the change: no row, no change. */
import { jsonParameter, type Queryable } from '../database/database.ts';
import type { Caller, Origin } from '../http/implement.ts';

export type AuditEntry = {
  /** `area.what_happened`, such as `invitation.revoked`. */
  action: string;
  /** Who did it; null for the server itself. */
  actor: Pick<Caller, 'id' | 'email' | 'token'> | null;
  target: { type: string; id: string; label: string };
  origin: Origin;
  /** What changed: `before` and `after` by field. Never a code, a token or a message's text. */
  detail?: Record<string, unknown>;
};

export function recordChange(transaction: Queryable, entry: AuditEntry): Promise<void> {
  return recordChanges(transaction, [entry]);
}

/** Many at once, written in their order. */
export async function recordChanges(transaction: Queryable, entries: AuditEntry[]): Promise<void> {
  await transaction.query({
    name: 'record-changes',
    text: `insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
           select * from jsonb_to_recordset($1) as entry (action text, actor_id uuid, actor_label text,
             target_type text, target_id text, target_label text, address text, request_id text, detail jsonb)`,
    values: [
      jsonParameter(
        entries.map(({ action, actor, target, origin, detail }) => ({
          action,
          actor_id: actor?.id ?? null,
          actor_label: actor?.email ?? 'Vestibule',
          target_type: target.type,
          target_id: target.id,
          target_label: target.label,
          address: origin.address,
          request_id: origin.requestId,
          // That a program did it in somebody's name must stay visible.
          detail: { ...detail, ...(actor?.token && { token: actor.token }) },
        })),
      ),
    ],
  });
}

/** Many at once, one for each of `all`. */
export function recordEach<One>(
  transaction: Queryable,
  all: readonly One[],
  entryOf: (one: One) => AuditEntry,
): Promise<void> {
  return recordChanges(
    transaction,
    all.map((one) => entryOf(one)),
  );
}

/** Whoever does something, and from where. */
type By = { caller: AuditEntry['actor']; origin: Origin };

/** Makes entries about those whom the log calls by their address. */
const about =
  (type: string) =>
  (
    { id, email }: { id: string; email: string },
    action: string,
    { caller, origin }: By,
    detail: AuditEntry['detail'] = {},
  ): AuditEntry => ({ action, actor: caller, target: { type, id, label: email }, origin, detail });

export const aboutPerson = about('person');
export const aboutInvitation = about('invitation');

/** Replaces personal data in the audit log, in small transactions, so that it still verifies. */
import type { KeyObject } from 'node:crypto';
import { execute, jsonParameter, onlyRowOf, rowsOf, type Database } from '../database/database.ts';
import { advisoryLocks } from '../database/advisory-locks.ts';
import type { AuditRow } from './audit-log.ts';
import { entryMac } from './audit-seals.ts';

/** Number of ids that one transaction scans. */
const idsPerTransaction = 10_000;

/** Fields of an entry that an erasure may replace. */
export type PersonalFields = Pick<AuditRow, 'actor_label' | 'target_label' | 'address' | 'detail'>;
export type AuditFields = PersonalFields &
  Pick<AuditRow, 'id' | 'action' | 'actor_id' | 'target_type' | 'target_id'>;

/** Returns the replacement, or null to leave the entry unchanged. */
export type RedactEntry = (entry: AuditFields) => PersonalFields | null;

type SealedRow = { id: number; previous_id: number; mac: Buffer; content: string; redacted: string };

/** Scans the whole log and returns the number of changed entries. `where` preselects rows, its parameters start at `$3`. */
export async function eraseInAuditLog(
  database: Database,
  key: KeyObject,
  selection: { where: string; values: unknown[] },
  redact: RedactEntry,
): Promise<number> {
  const { first, last } = await onlyRowOf<{ first: number; last: number }>(database, {
    text: 'select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last from audit_log',
  });
  let erased = 0;
  for (let after = first - 1; after < last; after += idsPerTransaction)
    erased += await eraseBetween(after, after + idsPerTransaction);
  return erased;

  function eraseBetween(after: number, upTo: number): Promise<number> {
    return database.transaction(async (transaction) => {
      // Exclude archiving and sealing of these rows.
      for (const lock of [advisoryLocks.archives, advisoryLocks.auditSeals])
        await execute(transaction)`select pg_advisory_xact_lock(${lock})`;
      const found = await rowsOf<AuditFields>(transaction, {
        text: `select id, action, actor_id, actor_label, target_type, target_id, target_label, address, detail
               from audit_log where id > $1 and id <= $2 and (${selection.where})`,
        values: [after, upTo, ...selection.values],
      });
      const changes = found.flatMap((row) => {
        const fields = redact(row);
        return fields ? [{ ...fields, id: row.id }] : [];
      });
      if (changes.length === 0) return 0;
      const sealed = await rowsOf<SealedRow>(transaction)`
        select id, previous_id, mac, audit_entry(log)::text as content,
          audit_entry(jsonb_populate_record(log, change))::text as redacted
        from jsonb_array_elements(${jsonParameter(changes)}) change join audit_log log on id = (change ->> 'id')::bigint
          join audit_chain using (id)`;
      const macs = new Map(
        sealed
          // An entry that was altered before the erasure must not verify afterwards.
          .filter(({ mac, previous_id, content }) => mac.equals(entryMac(key, previous_id, content)))
          .map(({ id, previous_id, redacted }) => [id, entryMac(key, previous_id, redacted)]),
      );
      const entries = changes.map((change) => ({
        ...change,
        mac: `\\x${macs.get(change.id)?.toString('hex') ?? ''}`,
      }));
      await execute(transaction)`select erase_audit_entries(${jsonParameter(entries)})`;
      return changes.length;
    });
  }
}

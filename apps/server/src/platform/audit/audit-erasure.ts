/** Replaces personal data in the audit log, in small transactions, so that the seals still verify. */
import type { KeyObject } from 'node:crypto';
import {
  execute,
  jsonParameter,
  onlyRowOf,
  rowOf,
  rowsOf,
  type Database,
  type Queryable,
} from '../database/database.ts';
import { advisoryLocks } from '../database/advisory-locks.ts';
import type { AuditFields, PersonalFields, Redact } from './archive-file.ts';
import { erasureMac } from './audit-chain.ts';

const rowsPerTransaction = 2_000;
/** Number of ids that one statement scans. Scanning a million rows with long details takes a few seconds. */
const idsPerStatement = 100_000;

/**
 * Scans the whole log and returns the number of changed entries. `where` preselects rows, its parameters start at `$3`;
 * `redact` returns the replacement.
 */
export async function eraseInAuditLog(
  database: Database,
  key: KeyObject,
  selection: { where: string; values: unknown[] },
  redact: Redact['entry'],
): Promise<number> {
  const { first, last } = await onlyRowOf<{ first: number; last: number }>(database, {
    text: 'select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last from audit_log',
  });
  let erased = 0;
  for (let after = first - 1; after < last;) {
    const upTo = Math.min(after + idsPerStatement, last);
    const part = await database.transaction((transaction) => erasePart(transaction, after, upTo));
    erased += part.erased;
    after = part.reached;
  }
  return erased;

  async function erasePart(transaction: Queryable, after: number, upTo: number) {
    // Excludes concurrent archiving of these rows.
    await execute(transaction, 'select pg_advisory_xact_lock($1)', [advisoryLocks.archives]);
    const found = await rowsOf<AuditFields>(transaction, {
      text: `select id, action, actor_id, actor_label, target_type, target_id, target_label, address, detail
             from audit_log where id > $1 and id <= $2 and (${selection.where}) order by id limit ${rowsPerTransaction}`,
      values: [after, upTo, ...selection.values],
    });
    const changes = found.flatMap((row) => {
      const change = redact(row);
      return change ? [{ id: row.id, change }] : [];
    });
    if (changes.length > 0) await write(transaction, changes);
    const lastId = found.length === rowsPerTransaction ? (found.at(-1) as AuditFields).id : upTo;
    return { erased: changes.length, reached: lastId };
  }

  async function write(transaction: Queryable, changes: { id: number; change: PersonalFields }[]) {
    const newContents = changes.map(({ id, change }) => ({ id, change: { ...change, salt: null } }));
    const digests = await rowsOf<{ id: number; sealed: Buffer; current: Buffer }>(transaction, {
      text: `select log.id, coalesce(log.sealed_digest, audit_digest(log)) as sealed,
               audit_digest(jsonb_populate_record(log, changed.change)) as current
             from audit_log log join jsonb_to_recordset($1) as changed (id bigint, change jsonb) using (id)`,
      values: [jsonParameter(newContents)],
    });
    const byId = new Map(digests.map((row) => [row.id, row]));
    const entries = changes.flatMap(({ id, change }) => {
      const row = byId.get(id);
      return row
        ? [
            {
              id,
              ...change,
              sealed_digest: `\\x${row.sealed.toString('hex')}`,
              erasure_mac: `\\x${erasureMac(key, id, row.sealed, row.current).toString('hex')}`,
            },
          ]
        : [];
    });
    const found = await rowOf<{ erased: number }>(transaction, {
      text: 'select erase_in_audit_log($1) as erased',
      values: [jsonParameter(entries)],
    });
    if (found?.erased !== changes.length)
      throw new Error('Entries of the log changed while they were erased.');
  }
}

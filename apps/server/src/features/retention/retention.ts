/**
 * Moves rows past their retention period to archive files, in batches, and deletes expired rate limits. Safe to run in several processes.
 */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import type { Area } from '../../platform/area.ts';
import { archiveLines, readArchivedIds, writeArchiveFile } from '../../platform/audit/archive-file.ts';
import { archiveMac, auditKey, verifyRows } from '../../platform/audit/audit-seals.ts';
import { readEncryptedKey } from '../../platform/config/site-key.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { deleteExpiredLimits } from '../../platform/database/rate-limit.ts';
import { every } from '../../platform/timers.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { dayMs } from '../../platform/time-units.ts';

type RetentionPeriods = { keepInvitationsDays: number; keepSignInsDays: number; keepActivityDays: number };

type Archiving = DatabaseDeps & { secret: Buffer; directory: string };

/** Rows per file, deleted in one transaction of a second or two. */
const rowsPerFile = 10_000;
const transactionLimit = { withinMs: 60_000 };
const archiveIntervalMs = 10 * 60_000;
const limitCleanUpIntervalMs = 60_000;

type ArchivedTable = {
  kind: 'sign_ins' | 'invitations' | 'activity';
  table: string;
  /** SQL that selects id and archived JSON of up to `$2` rows older than `$1`, in order. */
  selectExpired: string;
  /** SQL that deletes the rows with the ids `$1`. */
  deleteRows: string;
  /** Throws if the rows must remain. */
  assertArchivable?: (transaction: Queryable, key: KeyObject) => Promise<void>;
};

const signIns: ArchivedTable = {
  kind: 'sign_ins',
  table: 'sign_ins',
  // The latest sign-in of each person remains: it shows since when they are signed in.
  selectExpired: `select id, jsonb_build_object('id', id, 'person_id', person_id, 'at', at, 'address', address, 'user_agent', user_agent) as row
         from sign_ins old where at < $1 and exists (
           select from sign_ins newer where newer.person_id = old.person_id and newer.at > old.at)
         order by at, id limit $2 for update skip locked`,
  deleteRows: 'delete from sign_ins where id = any($1::bigint[])',
};

/** Erased invitations have a pseudonym instead of an address. */
const isNamed = `position('@' in email_canonical) > 0`;
const isLatest = `not exists (select from invitations open where open.email_canonical = invitation.email_canonical
    and open.status = 'pending')
  and not exists (select from invitations later where later.email_canonical = invitation.email_canonical
    and later.status <> 'pending' and later.created_at > invitation.created_at)`;

const invitations: ArchivedTable = {
  kind: 'invitations',
  table: 'invitations',
  // The latest revoked invitation of an address remains: it prevents domain auto-join (auth/domain-auto-join.ts).
  selectExpired: `select id, to_jsonb(invitation) - '{code_hash,search,email_folded,name_folded}'::text[] || jsonb_build_object('events',
           (select coalesce(jsonb_agg(to_jsonb(event) - 'invitation_id' order by at), '[]')
            from invitation_events event where invitation_id = invitation.id)) as row
         from invitations invitation
         where (status <> 'pending' or expires_at < $1) and coalesce(redeemed_at, revoked_at, expires_at) < $1
           and not (status = 'revoked' and ${isNamed} and ${isLatest})
         order by created_at limit $2 for update skip locked`,
  // The dashboard still counts the deleted invitations.
  deleteRows: `with deleted as (delete from invitations where id = any($1::uuid[]) returning *)
           insert into counts select what, at, count(*)
           from deleted, invitation_counts(status, created_at, expires_at, mailed_at, opened_at) group by what, at`,
};

const activity: ArchivedTable = {
  kind: 'activity',
  table: 'audit_log',
  // The oldest rows up to the first recent one.
  selectExpired: `select id, row from (
           select id, audit_entry(log) as row, bool_and(at < $1) over (order by id) as is_expired
           from audit_log log where id <= (select max(id) from audit_chain) order by id limit $2) oldest
         where is_expired order by id`,
  deleteRows: 'select delete_archived_entries($1::bigint[])',
  async assertArchivable(transaction, key) {
    const { problem } = await verifyRows(transaction, key, 0);
    if (problem) throw new Error(problem.message);
  },
};

export const retention = (
  deps: Omit<Parameters<typeof purgeExpired>[0], 'retentionPeriods'> & {
    settings: { current(): Promise<RetentionPeriods> };
  },
): Area => ({
  routes: [],
  timers: [
    every(archiveIntervalMs, 'archiving expired data', (stopped) =>
      purgeExpired({ ...deps, retentionPeriods: () => deps.settings.current(), stopped }),
    ),
    every(limitCleanUpIntervalMs, 'deleting expired rate limits', () => deleteExpiredLimits(deps)),
  ],
});

/** Archives the days past their retention period. Returns the numbers of archived rows. Ends early when `stopped` is aborted. */
export async function purgeExpired(
  deps: Archiving & { retentionPeriods: () => Promise<RetentionPeriods>; stopped?: AbortSignal },
): Promise<{ activity: number; signIns: number; invitations: number }> {
  const { keepActivityDays, keepSignInsDays, keepInvitationsDays } = await deps.retentionPeriods();
  const repeat = async (days: number, step: (before: Date) => Promise<number>): Promise<number> => {
    if (days === 0) return 0;
    // Whole days (UTC): one file a day, instead of one for the rows of each interval.
    const before = new Date(Math.floor(deps.now() / dayMs - days) * dayMs);
    let archived = 0;
    for (let count = -1; count !== 0 && !deps.stopped?.aborted; archived += count) count = await step(before);
    return archived;
  };
  return {
    invitations: await repeat(keepInvitationsDays, (before) => archiveRows(deps, invitations, before)),
    signIns: await repeat(keepSignInsDays, (before) => archiveRows(deps, signIns, before)),
    activity: await repeat(keepActivityDays, (before) => archiveRows(deps, activity, before)),
  };
}

/** Returns the number of archived rows. The file name is committed first, so that the file of a killed process is replaced. */
async function archiveRows(
  { database, secret, directory, now }: Archiving,
  kind: ArchivedTable,
  before: Date,
): Promise<number> {
  const at = new Date(now());
  const key = auditKey(secret);
  const reserved = await database.transaction(async (transaction) => {
    if (!(await tryLockArchives(transaction))) return null;
    const old = await rowOf<{ id: string | number }>(transaction, {
      text: kind.selectExpired,
      values: [before, 1],
    });
    return old === null ? null : reserveFile(transaction, kind, directory, at);
  }, transactionLimit);
  if (reserved === null) return 0;
  return database.transaction(async (transaction) => {
    if (!(await tryLockArchives(transaction))) return 0;
    const last = await findLastFile(transaction, kind);
    // Another process has written the file in the meantime. The next attempt reserves another file.
    if (last?.number !== reserved.number || last.row_count > 0) return 0;
    const rows = await rowsOf<{ id: string | number; row: Record<string, unknown> }>(transaction, {
      text: kind.selectExpired,
      values: [before, rowsPerFile],
    });
    if (rows.length === 0) return 0;
    await kind.assertArchivable?.(transaction, key);
    const header = {
      kind: kind.kind,
      number: reserved.number,
      encryptedKey: await readEncryptedKey(transaction),
    };
    await writeArchiveFile(
      path.join(directory, reserved.file),
      archiveLines(key, header, valuesOf(rows, 'row')),
    );
    await execute(transaction, kind.deleteRows, [rows.map(({ id }) => id)]);
    const lastId = kind === activity ? Number(rows.at(-1)?.id) : null;
    await execute(transaction)`
      update retention_archives set row_count = ${rows.length}, archived_at = ${at}, last_id = ${lastId},
        mac = ${lastId === null ? null : archiveMac(key, lastId)}
      where kind = ${kind.kind} and number = ${reserved.number}`;
    return rows.length;
  }, transactionLimit);
}

/** Locks the archives for this transaction. Returns false if another writer or an erasure has locked them. */
async function tryLockArchives(transaction: Queryable): Promise<boolean> {
  const { isLocked } = await onlyRowOf<{ isLocked: boolean }>(transaction)`
    select pg_try_advisory_xact_lock(${advisoryLocks.archives}) as "isLocked"`;
  return isLocked;
}

type ArchiveFile = { number: number; file: string; row_count: number };

const findLastFile = (transaction: Queryable, kind: ArchivedTable) =>
  rowOf<ArchiveFile>(transaction)`
    select number, file, row_count from retention_archives where kind = ${kind.kind} order by number desc limit 1`;

async function reserveFile(
  transaction: Queryable,
  kind: ArchivedTable,
  directory: string,
  at: Date,
): Promise<ArchiveFile> {
  const last = await findLastFile(transaction, kind);
  if (last?.row_count === 0) return last;
  const number = (last?.number ?? 0) + 1;
  const file = `${kind.kind.replaceAll('_', '-')}-${String(number).padStart(6, '0')}.jsonl`;
  await assertOwnFile(transaction, kind, path.join(directory, file));
  await execute(transaction)`
    insert into retention_archives (kind, number, row_count, file, archived_at)
      values (${kind.kind}, ${number}, 0, ${file}, ${at})`;
  return { number, file, row_count: 0 };
}

/**
 * Throws if the file exists and contains rows that are not in the database. A file whose rows are all in the database
 * was written before the database was restored from a backup.
 */
async function assertOwnFile(database: Queryable, { table }: ArchivedTable, file: string): Promise<void> {
  const ids = await readArchivedIds(file);
  const found = await rowOf<{ count: number }>(database)`
    select count(*) as count from ${rawSql(table)} where id::text = any(${ids})`;
  if (found?.count !== ids.length)
    throw new Error(
      `${file} is already there, and is not of this database. Move it away, or set ARCHIVE_DIR.`,
    );
}

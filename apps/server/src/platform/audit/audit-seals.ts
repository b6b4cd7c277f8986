/**
 * Seals the audit log, so that alterations outside the application are detected. Each entry gets an HMAC over its
 * content and the id of the previous entry. The HMAC key is derived from the site key, which the database stores only
 * encrypted with SECRET. Sealing runs in the background: requests that write the log never wait for it or for each
 * other.
 *
 * Ids are assigned in order, but transactions commit in any order or roll back. A row is sealed once no row with a
 * lower id can appear: all transactions that were writing when its id was read have ended.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLocks } from '../database/advisory-locks.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  scalarsOf,
  type Database,
  type Queryable,
} from '../database/database.ts';
import { compareWithEarlierSeal, isEndOfEarlierArchive } from './earlier-seals.ts';

const rowsPerTransaction = 10_000;
const rowsPerStep = 20_000;
const pollIntervalMs = 25;
/** Transactions of the application end within ten seconds. */
const defaultTimeoutMs = 12_000;

/** First row that fails verification. */
export type AuditProblem = {
  kind: 'altered' | 'removed' | 'inserted' | 'seal';
  /** Null if the record of the archive before the first row is wrong. */
  rowId: number | null;
  message: string;
};

export type AuditVerdict = {
  /** Rows verified in this step. */
  checked: number;
  /** Argument of the next `verify` call. */
  lastSeal: number;
  done: boolean;
  problem: AuditProblem | null;
};

export type AuditSeals = ReturnType<typeof createAuditSeals>;

export const auditKey = (secret: Buffer): KeyObject =>
  createSecretKey(createHmac('sha256', secret).update('vestibule audit seals').digest());

export const entryMac = (key: KeyObject, previousId: number, content: string): Buffer =>
  createHmac('sha256', key).update(`entry ${previousId}\n${content}`).digest();

/** Computes the HMAC of an archive that ends with the entry `lastId`. */
export const archiveMac = (key: KeyObject, lastId: number): Buffer =>
  createHmac('sha256', key).update(`archived ${lastId}\n`).digest();

/** Newest sealed or archived entry. */
const lastSealedId = `coalesce((select max(id) from audit_chain),
  (select max(last_id) from retention_archives where kind = 'activity'), 0)`;

/** `onMissingSeals` is called when existing seals have disappeared since the last run. */
export function createAuditSeals(
  database: Database,
  secret: Buffer,
  onMissingSeals: (message: string) => void = () => {},
) {
  const key = auditKey(secret);
  let newest = 0;

  const sealOnce = (upTo: number): Promise<number> =>
    database.transaction(async (transaction) => {
      await execute(transaction)`select pg_advisory_xact_lock(${advisoryLocks.auditSeals})`;
      const { last } = await onlyRowOf<{ last: number }>(transaction)`select ${rawSql(lastSealedId)} as last`;
      if (last < newest)
        onMissingSeals(`seals of the entries ${last + 1} to ${newest} of the audit log have been removed`);
      const earlier = await compareWithEarlierSeal(transaction, key, last);
      const entries = await rowsOf<{ id: number; content: string }>(transaction)`
        select id, audit_entry(log)::text as content from audit_log log
        where id > ${last} and id <= ${earlier?.upTo ?? upTo} order by id limit ${rawSql(rowsPerTransaction)}`;
      const contents = new Map(entries.map(({ id, content }) => [id, content]));
      const ids = [...(earlier?.intact ?? contents).keys()];
      const links = ids.map((id, index) => {
        const previousId = ids[index - 1] ?? last;
        const content = earlier?.intact.get(id) === false ? undefined : contents.get(id);
        return {
          id,
          previousId,
          mac: content === undefined ? Buffer.alloc(0) : entryMac(key, previousId, content),
        };
      });
      await execute(transaction)`
        insert into audit_chain select *
          from unnest(${ids}::bigint[], ${links.map(({ previousId }) => previousId)}::bigint[],
          ${links.map(({ mac }) => mac)}::bytea[])`;
      newest = ids.at(-1) ?? newest;
      return ids.length;
    });

  return {
    async seal({ timeoutMs = defaultTimeoutMs } = {}): Promise<number> {
      const upTo = await findFinalId(database, timeoutMs);
      if (upTo === null) return 0;
      let sealed = 0;
      for (let more = await sealOnce(upTo); more > 0; more = await sealOnce(upTo)) sealed += more;
      return sealed;
    },

    /** Verifies about 20,000 rows. Call it with 0, then with the returned `lastSeal`, until `done` is true. */
    verify: (after: number): Promise<AuditVerdict> =>
      // One snapshot, since rows, HMACs and archives have to be consistent.
      database.transaction(async (transaction) => {
        await execute(transaction, 'set transaction isolation level repeatable read read only');
        return verifyRows(transaction, key, after);
      }),

    /** Returns the number of rows to verify, and the time of the first one. */
    countRows: () =>
      onlyRowOf<{ sealed: number; since: Date | null }>(database)`
        select (select count(*) from audit_chain) as sealed,
        (select at from audit_log order by id limit 1) as since`,

    async countUnsealed(): Promise<number> {
      const { unsealed } = await onlyRowOf<{ unsealed: number }>(database)`
        select count(*) as unsealed from audit_log where id > ${rawSql(lastSealedId)}`;
      return unsealed;
    },
  };
}

type SealedRow = { id: number; previous_id: number | null; mac: Buffer | null; content: string | null };

/** Verifies about 20,000 rows after the given one, or from the beginning of the log if it was archived. */
export async function verifyRows(
  transaction: Queryable,
  key: KeyObject,
  after: number,
): Promise<AuditVerdict> {
  const archive = await rowOf<{ last_id: number; mac: Buffer | null }>(transaction)`
    select last_id, mac from retention_archives where kind = 'activity' and last_id is not null
    order by number desc limit 1`;
  if (archive && !(await isArchive(transaction, key, archive)))
    return { checked: 0, lastSeal: after, done: true, problem: archiveProblem };
  const start = Math.max(after, archive?.last_id ?? 0);
  const rows = await rowsOf<SealedRow>(transaction, {
    text: `with links as (select * from audit_chain where id > $1 order by id limit ${rowsPerStep}),
             entries as (select id, audit_entry(log)::text as content from audit_log log
               where id > $1 and id <= greatest((select max(id) from links), $2))
           select id, previous_id, mac, content from links full join entries using (id) order by id`,
    // No row may precede the first one; the lower bound includes rows that were inserted there.
    values: [start === after && after > 0 ? after : Number.MIN_SAFE_INTEGER, start],
  });
  let previousId = start;
  for (const [index, row] of rows.entries()) {
    const problem = findProblem(key, row, previousId);
    if (problem) return { checked: index, lastSeal: previousId, done: true, problem };
    previousId = row.id;
  }
  return { checked: rows.length, lastSeal: previousId, done: rows.length === 0, problem: null };
}

function findProblem(
  key: KeyObject,
  { id, previous_id: sealedPreviousId, mac, content }: SealedRow,
  previousId: number,
): AuditProblem | null {
  if (mac === null || sealedPreviousId === null)
    return rowProblem('inserted', id, 'was slipped in later: it is not among the sealed ones');
  if (content === null) return rowProblem('removed', id, 'has been removed');
  if (!mac.equals(entryMac(key, sealedPreviousId, content)))
    return rowProblem('altered', id, 'was altered after it was sealed');
  return sealedPreviousId === previousId ? null : rowProblem('removed', sealedPreviousId, 'has been removed');
}

const isArchive = async (
  transaction: Queryable,
  key: KeyObject,
  { last_id: lastId, mac }: { last_id: number; mac: Buffer | null },
): Promise<boolean> =>
  mac ? mac.equals(archiveMac(key, lastId)) : isEndOfEarlierArchive(transaction, key, lastId);

const rowProblem = (kind: AuditProblem['kind'], rowId: number, what: string): AuditProblem => ({
  kind,
  rowId,
  message: `Entry ${rowId} of the log ${what}.`,
});

const archiveProblem: AuditProblem = {
  kind: 'seal',
  rowId: null,
  message:
    'The record of the newest archive was altered, or was made with another SECRET. The entries after it cannot be vouched for.',
};

/**
 * Waits until no more rows can appear below the newest id, and returns this id. Returns null if all rows are sealed, or
 * if the wait takes longer than `timeoutMs`.
 */
async function findFinalId(database: Database, timeoutMs: number): Promise<number | null> {
  const { last, sealed } = await onlyRowOf<{ last: number; sealed: number }>(database, {
    name: 'audit-last-ids',
  })`
    select coalesce((select max(id) from audit_log), 0) as last, ${rawSql(lastSealedId)} as sealed`;
  if (last <= sealed) return null;
  let writing = await readWriters(database);
  const until = performance.now() + timeoutMs;
  while (writing.length > 0) {
    if (performance.now() >= until) return null;
    await delay(pollIntervalMs);
    const stillWriting = new Set(await readWriters(database));
    writing = writing.filter((transaction) => stillWriting.has(transaction));
  }
  return last;
}

/** Returns the transactions that hold the lock taken before a log id is assigned. */
const readWriters = (database: Queryable) =>
  scalarsOf<string>(database, { name: 'audit-writers' })`
    select distinct virtualtransaction as transaction from pg_locks
    where locktype = 'relation' and relation = 'audit_log'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`;

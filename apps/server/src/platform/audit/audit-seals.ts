/**
 * Seals the audit log, so that alterations outside the application are detected. A seal holds a digest of each row
 * since the previous seal, and an HMAC over these digests and that seal; the HMAC key is derived from the site key,
 * which requires SECRET. Sealing runs in the background: requests that write the log never wait for it or for each
 * other.
 *
 * Ids are assigned in order, but transactions commit in any order or roll back. A row is sealed once no row with a
 * lower id can appear: all transactions that were writing when its id was read have ended.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLocks } from '../database/advisory-locks.ts';
import { execute, onlyRowOf, rowOf, rowsOf, type Database, type Queryable } from '../database/database.ts';
import {
  auditKey,
  findDifference,
  findWrongArchive,
  findWrongSeal,
  missingSealProblem,
  packDigests,
  readAnchor,
  readArchives,
  readDigests,
  readSeals,
  rowsPerSeal,
  sealColumns,
  sealMac,
  unpackDigests,
  type AuditProblem,
  type SealRow,
} from './audit-chain.ts';

const pollIntervalMs = 25;
/** Transactions of the application end within ten seconds. */
const defaultTimeoutMs = 12_000;

export type AuditVerdict = {
  /** Rows compared in this step. */
  checked: number;
  /** Argument of the next `verify` call. */
  lastSeal: number;
  done: boolean;
  problem: AuditProblem | null;
};

export type AuditSeals = {
  /** Seals all final rows and returns their number. */
  seal(options?: { timeoutMs?: number }): Promise<number>;
  /** Verifies about 20,000 rows after a seal. Call it with 0, then with the returned `lastSeal`, until `done` is true. */
  verify(afterSeal: number): Promise<AuditVerdict>;
  /** Returns the number of rows to verify. */
  countRows(): Promise<{ sealed: number; unsealed: number; since: Date | null; lastSealAt: Date | null }>;
};

/** `onMissingSeals` is called when existing seals have disappeared since the last run. */
export function createAuditSeals(
  database: Database,
  secret: Buffer,
  now: () => number,
  onMissingSeals: (message: string) => void = () => {},
): AuditSeals {
  const key = auditKey(secret);
  let newestSeal = 0;

  function sealOnce(upTo: number): Promise<number> {
    return database.transaction(async (transaction) => {
      await execute(transaction, 'select pg_advisory_xact_lock($1)', [advisoryLocks.auditSeals]);
      const newest = await rowOf<SealRow>(transaction, {
        text: `select ${sealColumns} from audit_seals order by id desc limit 1`,
      });
      const previous = newest ?? (await readAnchor(transaction));
      if (previous.id < newestSeal)
        onMissingSeals(`seals ${previous.id + 1} to ${newestSeal} of the audit log have been removed`);
      const digests = await readDigests(transaction, key, {
        after: previous.to_id,
        upTo,
        limit: rowsPerSeal,
      });
      const last = digests.at(-1);
      if (!last) return 0;
      const seal = {
        id: previous.id + 1,
        from_id: String(previous.to_id),
        to_id: last.id,
        row_count: digests.length,
        rows: packDigests(digests),
        sealed_at: new Date(now()),
      };
      await transaction.query({
        text: `insert into audit_seals (id, from_id, to_id, row_count, rows, mac, sealed_at)
               values ($1, $2, $3, $4, $5, $6, $7)`,
        values: [
          seal.id,
          seal.from_id,
          seal.to_id,
          seal.row_count,
          seal.rows,
          sealMac(key, seal, previous.mac),
          seal.sealed_at,
        ],
      });
      newestSeal = seal.id;
      return digests.length;
    });
  }

  return {
    async seal({ timeoutMs = defaultTimeoutMs } = {}) {
      const upTo = await findFinalId(database, timeoutMs);
      if (upTo === null) return 0;
      let sealed = 0;
      for (let more = await sealOnce(upTo); more > 0; more = await sealOnce(upTo)) sealed += more;
      return sealed;
    },

    async verify(afterSeal) {
      if (afterSeal === 0) {
        const problem = findWrongArchive(key, await readArchives(database));
        if (problem) return failedVerdict(problem, 0);
      }
      // One snapshot, since seals, rows and archives have to be consistent.
      return database.transaction(async (transaction) => {
        await execute(transaction, 'set transaction isolation level repeatable read read only');
        const anchor = await readAnchor(transaction);
        const seals = await readSeals(transaction, Math.max(afterSeal, anchor.id + 1));
        // Rows archived since the previous step are skipped.
        const isContinuation = afterSeal > anchor.id;
        const first = isContinuation ? seals.shift() : anchor;
        if (first === undefined || (isContinuation && first.id !== afterSeal))
          return failedVerdict(missingSealProblem(afterSeal), afterSeal);
        const wrong = findWrongSeal(key, seals, first);
        const last = seals.at(-1) ?? first;
        if (wrong) return failedVerdict(wrong, last.id);
        const sealed = seals.flatMap((seal) => unpackDigests(seal.rows));
        // No row may precede the first seal; the lower bound includes rows that were inserted there.
        const after = isContinuation ? first.to_id : Number.MIN_SAFE_INTEGER;
        const isComplete = isContinuation && seals.length === 0;
        const found = isComplete ? [] : await readDigests(transaction, key, { after, upTo: last.to_id });
        const problem = findDifference(sealed, found);
        return {
          checked: problem ? sealed.filter(({ id }) => id < (problem.rowId as number)).length : sealed.length,
          lastSeal: last.id,
          done: seals.length === 0 || problem !== null,
          problem,
        };
      });
    },

    async countRows() {
      const { rows } = await database.query<{
        sealed: number;
        unsealed: number;
        since: Date | null;
        last_seal_at: Date | null;
      }>({
        text: `select coalesce((select sum(row_count)::int8 from audit_seals), 0) as sealed,
                 (select count(*) from audit_log where id > coalesce((select max(to_id) from audit_seals), (select max(to_id) from audit_archives), 0)) as unsealed,
                 (select at from audit_log order by id limit 1) as since,
                 (select sealed_at from audit_seals order by id desc limit 1) as last_seal_at`,
      });
      const { sealed = 0, unsealed = 0, since = null, last_seal_at: lastSealAt = null } = rows[0] ?? {};
      return { sealed, unsealed, since, lastSealAt };
    },
  };
}

/**
 * Waits until no more rows can appear below the newest id, and returns this id. Returns null if all rows are sealed, or
 * if the wait takes longer than `timeoutMs`.
 */
async function findFinalId(database: Database, timeoutMs: number): Promise<number | null> {
  const { last, sealed } = await onlyRowOf<{ last: number; sealed: number }>(database, {
    name: 'audit-last-ids',
    text: `select coalesce((select max(id) from audit_log), 0) as last,
             coalesce((select to_id from audit_seals order by id desc limit 1),
               (select max(to_id) from audit_archives), 0) as sealed`,
  });
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
async function readWriters(database: Queryable): Promise<string[]> {
  const rows = await rowsOf<{ transaction: string }>(database, {
    name: 'audit-writers',
    text: `select distinct virtualtransaction as transaction from pg_locks
           where locktype = 'relation' and relation = 'audit_log'::regclass and mode = 'RowExclusiveLock'
             and database = (select oid from pg_database where datname = current_database())`,
  });
  return rows.map(({ transaction }) => transaction);
}

function failedVerdict(problem: AuditProblem, lastSeal: number): AuditVerdict {
  return { checked: 0, lastSeal, done: true, problem };
}

/**
 * Seals the audit log, so that whoever alters it behind the application's back is found out. A seal holds a digest of
 * each row since the seal before, and an HMAC over them and that seal; its key is derived from SECRET and not in the
 * database. Sealing happens beside the requests: those who write the log never wait for it or for each other.
 *
 * Ids are given out in order, but transactions end in any order and some not at all. A row is sealed when nobody can
 * add one before it any more: all who were writing when its id was read have ended.
 */
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLocks } from '../database/advisory-locks.ts';
import type { Database, Queryable } from '../database/database.ts';

type SealRow = {
  id: number;
  from_id: string;
  to_id: number;
  row_count: number;
  rows: Buffer;
  mac: Buffer;
  sealed_at: Date;
};
type Digest = { id: number; digest: Buffer };

const rowsPerSeal = 10_000;
const entryBytes = 40;
/** Before the first seal. */
const start = { id: 0, to_id: 0, mac: Buffer.alloc(32) };
const secondsBetweenSeals = 5;
const pollMilliseconds = 25;
/** Transactions of the application end within ten seconds. */
const patienceMilliseconds = 12_000;

/** Everything of a row, in a spelling that does not depend on settings of the connection. */
const digestColumn = `sha256(convert_to(jsonb_build_array(id, extract(epoch from at), action, actor_id, actor_label,
  target_type, target_id, target_label, address, request_id, detail)::text, 'UTF8')) as digest`;
const sealColumns = 'id, from_id::text, to_id, row_count, rows, mac, sealed_at';

/** What is wrong, and where: the first row or seal that is not as it was. */
export type AuditProblem = {
  kind: 'altered' | 'removed' | 'inserted' | 'seal';
  /** The row; null when a seal is wrong. */
  rowId: number | null;
  message: string;
};

export type AuditVerdict = {
  /** Rows compared in this step. */
  checked: number;
  /** To go on after. */
  lastSeal: number;
  done: boolean;
  problem: AuditProblem | null;
};

export type AuditSeals = {
  /** Seals all rows that are final; gives how many. */
  seal(options?: { patienceMilliseconds?: number }): Promise<number>;
  /** Compares the rows of the next seals, about 20,000. Begin with 0 and go on with `lastSeal` until `done`. */
  verify(afterSeal: number): Promise<AuditVerdict>;
  /** What there is to verify. */
  extent(): Promise<{ sealed: number; unsealed: number; since: Date | null; lastSealAt: Date | null }>;
};

/** `onTrouble` hears when seals are gone that were there a moment ago. */
export function createAuditSeals(
  database: Database,
  secret: Buffer,
  now: () => number,
  onTrouble: (message: string) => void = () => {},
): AuditSeals {
  const key = createSecretKey(createHmac('sha256', secret).update('vestibule audit seals').digest());
  let newestSeal = 0;

  /** The newest id before which no row can appear any more; null when that takes too long. */
  async function finalId(patience: number): Promise<number | null> {
    const { rows } = await database.query<{ last: number; sealed: number }>({
      name: 'audit-last-ids',
      text: `select coalesce((select max(id) from audit_log), 0) as last,
               coalesce((select to_id from audit_seals order by id desc limit 1), 0) as sealed`,
    });
    const { last, sealed } = rows[0] as { last: number; sealed: number };
    if (last <= sealed) return null;
    let writing = await readWriters(database);
    const until = performance.now() + patience;
    while (writing.length > 0) {
      if (performance.now() >= until) return null;
      await delay(pollMilliseconds);
      const still = new Set(await readWriters(database));
      writing = writing.filter((transaction) => still.has(transaction));
    }
    return last;
  }

  function sealOnce(upTo: number): Promise<number> {
    return database.transaction(async (transaction) => {
      await transaction.query({
        text: 'select pg_advisory_xact_lock($1)',
        values: [advisoryLocks.auditSeals],
      });
      const { rows: seals } = await transaction.query<SealRow>({
        text: `select ${sealColumns} from audit_seals order by id desc limit 1`,
      });
      const previous = seals[0] ?? start;
      if (previous.id < newestSeal)
        onTrouble(`seals ${previous.id + 1} to ${newestSeal} of the audit log have been removed`);
      const digests = await readDigests(transaction, previous.to_id, upTo, rowsPerSeal);
      const last = digests.at(-1);
      if (!last) return 0;
      const seal = {
        id: previous.id + 1,
        from_id: String(previous.to_id),
        to_id: last.id,
        row_count: digests.length,
        rows: pack(digests),
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
          macOf(key, seal, previous.mac),
          seal.sealed_at,
        ],
      });
      newestSeal = seal.id;
      return digests.length;
    });
  }

  return {
    async seal({ patienceMilliseconds: patience = patienceMilliseconds } = {}) {
      const upTo = await finalId(patience);
      if (upTo === null) return 0;
      let sealed = 0;
      for (let more = await sealOnce(upTo); more > 0; more = await sealOnce(upTo)) sealed += more;
      return sealed;
    },

    async verify(afterSeal) {
      const seals = await readSeals(database, afterSeal);
      const known = afterSeal === 0 ? undefined : seals.shift();
      if (afterSeal > 0 && known?.id !== afterSeal) return missingSeal(afterSeal);
      let previous: Pick<SealRow, 'id' | 'to_id' | 'mac'> = known ?? start;
      const first = previous;
      for (const seal of seals) {
        if (seal.id !== previous.id + 1) return missingSeal(previous.id + 1);
        if (
          seal.from_id !== String(previous.to_id) ||
          seal.rows.length !== seal.row_count * entryBytes ||
          !timingSafeEqual(seal.mac, macOf(key, seal, previous.mac))
        )
          return wrongSeal(seal);
        previous = seal;
      }
      const sealed = seals.flatMap((seal) => unpack(seal.rows));
      // Before the first seal there is nothing, so a row that was slipped in there is found too.
      const from = first.id === 0 ? Number.MIN_SAFE_INTEGER : first.to_id;
      const found = seals.length === 0 ? [] : await readDigests(database, from, previous.to_id);
      const problem = compare(sealed, found);
      return {
        checked: problem ? sealed.findIndex(({ id }) => id >= (problem.rowId as number)) : sealed.length,
        lastSeal: previous.id,
        done: seals.length === 0 || problem !== null,
        problem,
      };
    },

    async extent() {
      const { rows } = await database.query<{
        sealed: number;
        unsealed: number;
        since: Date | null;
        last_seal_at: Date | null;
      }>({
        text: `select coalesce((select sum(row_count)::int8 from audit_seals), 0) as sealed,
                 (select count(*) from audit_log where id > coalesce((select max(to_id) from audit_seals), 0)) as unsealed,
                 (select at from audit_log order by id limit 1) as since,
                 (select sealed_at from audit_seals order by id desc limit 1) as last_seal_at`,
      });
      const { sealed = 0, unsealed = 0, since = null, last_seal_at: lastSealAt = null } = rows[0] ?? {};
      return { sealed, unsealed, since, lastSealAt };
    },
  };
}

/** Seals every few seconds until stopped, and once more then. */
export function keepSealing(seals: AuditSeals, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = seals
      .seal()
      .catch(onError)
      .finally(() => (busy = false));
  }, secondsBetweenSeals * 1000);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      // What others are still writing is sealed by the next start.
      await seals.seal({ patienceMilliseconds: 500 }).catch(onError);
    },
  };
}

/** The transactions that have written to the log, or are about to: they hold this lock from before they take an id. */
async function readWriters(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ transaction: string }>({
    name: 'audit-writers',
    text: `select distinct virtualtransaction as transaction from pg_locks
           where locktype = 'relation' and relation = 'audit_log'::regclass and mode = 'RowExclusiveLock'
             and database = (select oid from pg_database where datname = current_database())`,
  });
  return rows.map(({ transaction }) => transaction);
}

async function readDigests(
  database: Queryable,
  after: number,
  upTo: number,
  limit?: number,
): Promise<Digest[]> {
  const { rows } = await database.query<Digest>({
    text: `select id, ${digestColumn} from audit_log where id > $1 and id <= $2 order by id ${limit ? `limit ${limit}` : ''}`,
    values: [after, upTo],
  });
  return rows;
}

/** The named seal and those after it, until they hold twenty thousand rows. */
async function readSeals(database: Queryable, from: number): Promise<SealRow[]> {
  const { rows } = await database.query<SealRow>({
    text: `select ${sealColumns} from (
             select *, sum(row_count) over (order by id) - row_count as before
             from (select * from audit_seals where id >= $1 order by id limit 1000) next) counted
           where before < ${2 * rowsPerSeal} order by id`,
    values: [from],
  });
  return rows;
}

function pack(digests: Digest[]): Buffer {
  const bytes = Buffer.alloc(digests.length * entryBytes);
  digests.forEach(({ id, digest }, index) => {
    bytes.writeBigInt64BE(BigInt(id), index * entryBytes);
    digest.copy(bytes, index * entryBytes + 8);
  });
  return bytes;
}

function unpack(bytes: Buffer): Digest[] {
  return Array.from({ length: bytes.length / entryBytes }, (_, index) => ({
    id: Number(bytes.readBigInt64BE(index * entryBytes)),
    digest: bytes.subarray(index * entryBytes + 8, (index + 1) * entryBytes),
  }));
}

function macOf(key: KeyObject, seal: Omit<SealRow, 'mac'>, previous: Buffer): Buffer {
  const facts = [seal.id, seal.from_id, seal.to_id, seal.row_count, seal.sealed_at.getTime()].join(' ');
  return createHmac('sha256', key).update(facts).update('\n').update(previous).update(seal.rows).digest();
}

/** The first row in which what was sealed and what is there differ; both are in the order of their ids. */
function compare(sealed: Digest[], found: Digest[]): AuditProblem | null {
  for (let index = 0; index < Math.max(sealed.length, found.length); index += 1) {
    const was = sealed[index];
    const is = found[index];
    if (was && is?.id === was.id) {
      if (!is.digest.equals(was.digest))
        return problemOf('altered', is.id, 'was altered after it was sealed');
    } else if (was && (!is || is.id > was.id)) return problemOf('removed', was.id, 'has been removed');
    else if (is) return problemOf('inserted', is.id, 'was slipped in later: it is not among the sealed ones');
  }
  return null;
}

function problemOf(kind: AuditProblem['kind'], rowId: number, what: string): AuditProblem {
  return { kind, rowId, message: `Entry ${rowId} of the log ${what}.` };
}

function wrongSeal(seal: SealRow): AuditVerdict {
  const problem: AuditProblem = {
    kind: 'seal',
    rowId: null,
    message: `Seal ${seal.id} itself was altered, or was made with another SECRET. The entries after number ${seal.from_id} cannot be vouched for.`,
  };
  return { checked: 0, lastSeal: seal.id, done: true, problem };
}

function missingSeal(id: number): AuditVerdict {
  const problem: AuditProblem = {
    kind: 'seal',
    rowId: null,
    message: `Seal ${id} has been removed. The entries it covered, and those after them, cannot be vouched for.`,
  };
  return { checked: 0, lastSeal: id, done: true, problem };
}

/**
 * Reads lists from a streaming replica (DATABASE_READ_URL), for display only. A caller sees every commit before its
 * call, by any process: the replica runs the query once it has replayed up to the primary's current position. If that
 * takes longer than a tenth of a second, or the replica fails or is no replica, the primary runs the query.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, QueryResult, QueryConfig, Queryable } from './database.ts';
import { describeError, isDatabaseUnavailable, UnsuitableServerError } from './database-unavailable.ts';
import { createBatchLoader } from './batch-loader.ts';

const replayTimeoutMs = 100;
const pollMs = 10;
/** Time without further attempts after the replica lagged or failed. */
const pauseMs = { behind: 1_000, away: 10_000 };

const messages = {
  behind:
    'the replica of DATABASE_READ_URL is behind, or is no replica: lists are read from DATABASE_URL meanwhile',
  away: 'the replica of DATABASE_READ_URL cannot be used: lists are read from DATABASE_URL meanwhile',
  fine: 'lists are read from the replica of DATABASE_READ_URL again',
};

type Deps = {
  primary: Queryable;
  replica: Pick<Database, 'transaction'>;
  now: () => number;
  /** Called when the replica becomes unusable or usable again. */
  onChange: (message: string) => void;
};

export function createReplicaReader({ primary, replica, now, onChange }: Deps): Queryable {
  let state: keyof typeof messages = 'fine';
  let pausedUntil = 0;
  // Concurrent calls share the query, which is sent after the last of them.
  const readWalPosition = createBatchLoader(async (calls: null[]) => {
    const { rows } = await primary.query<{ position: string }>({
      name: 'wal-position',
      text: 'select pg_current_wal_flush_lsn()::text as position',
    });
    return calls.map(() => rows[0]?.position ?? '');
  });

  function setState(next: typeof state, error?: unknown): void {
    pausedUntil = next === 'fine' ? 0 : now() + pauseMs[next];
    if (next !== state)
      onChange(error === undefined ? messages[next] : `${messages[next]}. ${describeError(error)}`);
    state = next;
  }

  /** Returns null if the replica lags. */
  async function queryReplica<Row>(config: QueryConfig): Promise<QueryResult<Row> | null> {
    const position = await readWalPosition(null);
    return replica.transaction(async (transaction) => {
      const timeoutAt = now() + replayTimeoutMs;
      while (!(await hasReplayed(transaction, position))) {
        if (now() >= timeoutAt) return null;
        await delay(pollMs);
      }
      return transaction.query<Row>(config);
    });
  }

  return {
    async query<Row>(config: QueryConfig): Promise<QueryResult<Row>> {
      if (now() < pausedUntil) return primary.query(config);
      // After the pause, one query tries the replica; others do not wait for its result.
      if (state !== 'fine') pausedUntil = now() + pauseMs[state];
      try {
        const result = await queryReplica<Row>(config);
        setState(result ? 'fine' : 'behind');
        if (result) return result;
      } catch (error) {
        // Other errors concern the statement: a replay canceled it, or it is wrong on the primary too.
        if (error instanceof NoReplicaError) setState('behind');
        else if (isDatabaseUnavailable(error)) setState('away', error);
      }
      return primary.query(config);
    },
  };
}

/** The connection is closed, so that the next one can choose another host. */
class NoReplicaError extends UnsuitableServerError {}

async function hasReplayed(transaction: Queryable, position: string): Promise<boolean> {
  const { rows } = await transaction.query<{ is_replica: boolean; has_replayed: boolean | null }>({
    name: 'has-replayed',
    text: `select pg_is_in_recovery() as is_replica, pg_last_wal_replay_lsn() >= $1::pg_lsn as has_replayed`,
    values: [position],
  });
  if (rows[0]?.is_replica === false) throw new NoReplicaError('the server is a primary');
  return rows[0]?.has_replayed === true;
}

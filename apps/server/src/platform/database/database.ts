/**
 * The connection pool and transactions: the one way features reach PostgreSQL. It is not for migrations
 * (migrate.ts) or for starting a server (embedded-postgres.ts), and it knows no table.
 *
 * But for a deadlock, nothing here is ever repeated silently: after a lost connection nobody knows whether a COMMIT happened,
 * so the error goes to whoever asked. database-unavailable.ts tells such errors from mistakes in a query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import pg from 'pg';
import { spanAtWork, traced } from '../telemetry/span-at-work.ts';
import { createConnectionShares } from './connection-share.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';
import { statementAttributes, statementName } from './statement-name.ts';

/** What a query answers: its rows, and how many rows it changed or returned (null for commands without a count). */
export type QueryAnswer<Row> = { rows: Row[]; rowCount: number | null };

/** One SQL statement. With a name it is prepared once per connection: name every statement on a hot path. */
export type QueryConfig = { name?: string; text: string; values?: unknown[] };

/** What a feature takes to read and write, so that it works inside a transaction as well as outside. */
export type Queryable = { query<Row>(config: QueryConfig): Promise<QueryAnswer<Row>> };

/** A pool of connections to one PostgreSQL database. */
export type Database = Queryable & {
  /** The pool itself, for Kysely's dialect and the metrics; features use `query` and `transaction`. */
  pool: pg.Pool;
  /** For what is only shown, such as lists; where it is not there, `query` does. Nothing is decided by what it answers. */
  reads?: Queryable;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. It has 10 s in all, or
   * `withinMs` where it writes more than that is enough for; the limit of each statement stays.
   */
  transaction<Result>(
    work: (transaction: Queryable) => Promise<Result>,
    limit?: { withinMs: number },
  ): Promise<Result>;
  /** Lets running queries finish, then closes every connection. */
  end(): Promise<void>;
};

/**
 * An array that PostgreSQL does not look into before it plans. Otherwise a short one promises to be cheaper than the plan for any
 * length (10 is assumed), so that the statement is planned anew at each call, which costs more than to run it. For named statements
 * of every request.
 */
export const plannedOnce = (array: string) => `(select ${array})`;

/** What most of the server works with. */
export type Timed = { database: Database; now: () => number };
export type Basics = Timed & { newId: () => string };

type Options = {
  /** The most connections to hold (default 16). */
  maxConnections?: number;
  /** How many times as long as usual to wait, for connections, statements and transactions (default 1). */
  patience?: number;
  /** Told about every connection that broke; the query that was running on it is rejected as well. */
  onConnectionError?: (error: Error) => void;
  /**
   * Called when code inside a transaction asks the pool for a second connection. The default throws; a production server logs
   * the error and continues.
   */
  onSecondConnection?: (error: Error) => void;
};

/**
 * The connection that the running code holds. A request that waits for a second connection while it holds one can block
 * the whole site: with as many such requests as the pool has connections, each waits for the others.
 */
type HeldConnection = { pool: pg.Pool; isHeld: boolean; report: (error: Error) => void };

const heldConnection = new AsyncLocalStorage<HeldConnection>();

/**
 * Reports a second connection if the caller is inside a transaction (of `pool`, if given). Code that may read from the pool
 * calls this first.
 */
export function requireNoTransaction(pool?: pg.Pool): void {
  const held = heldConnection.getStore();
  if (held?.isHeld && held.pool === (pool ?? held.pool))
    held.report(
      new Error('Code inside a transaction asked the pool for a second connection. Pass the transaction on.'),
    );
}

/** Runs `work` as if it started outside the transaction of the caller, for tests that hold a lock during a request. */
export const outsideTransaction = <Result>(work: () => Result): Result => heldConnection.exit(work);

// Waiting for a connection and then for an answer ends within 14 s, so that no request hangs over 15 s. The
// server gives up first, which keeps the connection; our own clock is for a network that swallows packets.
const connectionTimeoutMs = 4_000;
const statementTimeoutMs = 9_000;
const answerTimeoutMs = 10_000;
const rollbackTimeoutMs = 1_000;
const limits = (patience: number) => ({
  text: `select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)`,
  values: [String(statementTimeoutMs * patience), String(answerTimeoutMs * patience)],
});

const int8 = 20;

// int8 (count(*), bigint) as a number instead of pg's string: counts stay below 2^53. timestamptz is a Date already.
const typeParsers = new pg.TypeOverrides();
typeParsers.setTypeParser(int8, Number);

/** Opens a pool on a PostgreSQL 15 or newer. It connects at the first query, so this neither waits nor fails. */
export function openDatabase(url: string, options: Options = {}): Database {
  const { patience = 1 } = options;
  const maxConnections = options.maxConnections ?? 16;
  const inShare = createConnectionShares(Math.ceil(maxConnections / 2), connectionTimeoutMs * patience);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'vestibule',
    max: maxConnections,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectionTimeoutMs * patience,
    query_timeout: answerTimeoutMs * patience,
    types: typeParsers,
    // Statements that do not wait for each other's answers go out together, in order.
    pipeline: true,
    stream: () => new GatheringSocket(),
  });
  const onConnectionError = options.onConnectionError ?? (() => {});
  const onSecondConnection = options.onSecondConnection ?? throwError;
  // Without a listener a lost connection would end the process. The pool listens on idle connections only
  // and forwards to its own 'error'; ours on the client also covers the time when it is checked out.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', onConnectionError);
    // Not as parameters of the connection: PgBouncer refuses those. Whoever was given the connection goes after it.
    client.query(limits(patience)).catch(onConnectionError);
  });

  function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    requireNoTransaction(pool);
    return inShare(() => withConnection(work));
  }

  async function withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // An answer from the server leaves the connection usable (pool.query would close it even after a
      // unique violation); anything else, such as our timeout, leaves it in an unknown state.
      client.release(isConnectionLost(error) || client.getTransactionStatus() !== 'I');
      throw error;
    }
  }

  return {
    pool,
    query: <Row>(config: QueryConfig) =>
      asSpan(config, () => withClient((client) => run<Row>(client, config))),
    transaction: (work, { withinMs } = { withinMs: answerTimeoutMs }) =>
      traced('transaction', 'internal', {}, () =>
        withClient((client) =>
          whileHeld(pool, onSecondConnection, () =>
            runTransaction(client, work, withinMs * patience, answerTimeoutMs * patience),
          ),
        ),
      ),
    end: () => pool.end(),
  };
}

function throwError(error: Error): never {
  throw error;
}

/** Runs `work` with the connection marked as held. Code that `work` started and that outlives it holds nothing. */
async function whileHeld<Result>(
  pool: pg.Pool,
  report: HeldConnection['report'],
  work: () => Promise<Result>,
): Promise<Result> {
  const held = { pool, isHeld: true, report };
  try {
    return await heldConnection.run(held, work);
  } finally {
    held.isHeld = false;
  }
}

const attemptsOfTurns = 3;

/** PostgreSQL's code for transactions that wait for each other (appendix A of its manual). It has rolled one of them back. */
const deadlock = '40P01';

/**
 * Runs `work` in a transaction and repeats it after a deadlock. `work` changes nothing that a rollback does not undo. All
 * attempts share `withinMs`; none starts after half of it.
 */
export async function takeTurns<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
  { withinMs } = { withinMs: answerTimeoutMs },
): Promise<Result> {
  const began = performance.now();
  for (let attempt = 1, passedMs = 0; ; attempt += 1)
    try {
      return await database.transaction(work, { withinMs: withinMs - passedMs });
    } catch (error) {
      passedMs = performance.now() - began;
      const isOver = attempt === attemptsOfTurns || passedMs > withinMs / 2;
      if ((error as { code?: string }).code !== deadlock || isOver) throw error;
    }
}

/** A statement as a part of the request that it is for, with the time it waits for a connection. */
function asSpan<Result>(config: QueryConfig, work: () => Promise<Result>): Promise<Result> {
  if (spanAtWork.getStore() === undefined) return work();
  const name = statementName(config);
  return traced(name, 'client', statementAttributes(name), work);
}

function run<Row>(client: pg.PoolClient, config: QueryConfig): Promise<QueryAnswer<Row>> {
  return client.query<Row & pg.QueryResultRow>(config);
}

/** PostgreSQL's code for a statement after one that had failed (appendix A of its manual). */
const afterFailure = '25P02';

async function runTransaction<Result>(
  client: pg.PoolClient,
  work: (transaction: Queryable) => Promise<Result>,
  withinMs: number,
  answerMs: number,
): Promise<Result> {
  // The whole transaction shares one time limit; otherwise ten slow statements would add up to minutes.
  const deadline = performance.now() + withinMs;
  let over = false;
  let failed: unknown;
  const transaction: Queryable = {
    query: <Row>(config: QueryConfig) => {
      if (over) return Promise.reject(new Error('The transaction is over: its query was not awaited.'));
      const remainingMs = Math.max(1, Math.round(deadline - performance.now()));
      return asSpan(config, () =>
        client.query<Row & pg.QueryResultRow>({
          ...config,
          query_timeout: Math.min(remainingMs, answerMs),
        } as pg.QueryConfig),
      ).catch((error: unknown) => {
        failed ??= error;
        // Statements that went out together all fail when one does: each tells of that one, whichever is heard of first.
        throw (error as { code?: string }).code === afterFailure ? failed : error;
      });
    },
  };
  // Not waited for: the first statement of `work` travels with it.
  const begun = client.query('begin');
  begun.catch(() => {});
  try {
    const result = await work(transaction);
    over = true;
    await begun;
    const committed = await client.query('commit');
    // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement failed and `work` swallowed it.
    if (committed.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
    return result;
  } catch (error) {
    over = true;
    if (!isConnectionLost(error)) await rollBack(client);
    throw error;
  }
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query({ text: 'rollback', query_timeout: rollbackTimeoutMs } as pg.QueryConfig);
  } catch {
    // The reason for rolling back is the error worth telling; the connection is closed, which rolls back too.
  }
}

/** Whether an answered error ended the connection, or left it in a state nobody knows. */
function isConnectionLost(error: unknown): boolean {
  const stillConnected = error instanceof pg.DatabaseError && error.severity === 'ERROR';
  return !stillConnected && isDatabaseUnavailable(error);
}

/** A statement; a short one without a name as its text and its values. */
type Statement = [config: QueryConfig] | [text: string, values?: unknown[]];

function ask<Row>(database: Queryable, [first, values]: Statement): Promise<QueryAnswer<Row>> {
  return database.query<Row>(typeof first === 'string' ? { text: first, ...(values && { values }) } : first);
}

/** The rows that a statement gives. */
export const rowsOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row[]> =>
  (await ask<Row>(database, statement)).rows;

/** The first of them; null when there is none. */
export const rowOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row | null> =>
  (await ask<Row>(database, statement)).rows[0] ?? null;

/** The row of a statement that always gives one. */
export const onlyRowOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row> =>
  (await rowOf<Row>(database, ...statement)) as Row;

/** Gives how many rows it changed. */
export const execute = async (database: Queryable, ...statement: Statement): Promise<number> =>
  (await ask(database, statement)).rowCount ?? 0;

/**
 * A value as the text of a jsonb parameter, for statements that write many rows. What PostgreSQL's text cannot hold
 * (NUL, half of a surrogate pair) becomes U+FFFD, so that one row's text never fails its neighbours.
 */
export function jsonParameter(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\uFFFD') : part,
  );
}

/** Sends what one turn of the event loop writes in one piece: every system call costs more than a statement's text. */
class GatheringSocket extends Socket {
  override write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    if (this.writableCorked === 0) {
      this.cork();
      process.nextTick(() => this.uncork());
    }
    return (super.write as (...all: unknown[]) => boolean).call(this, chunk, ...rest);
  }
}

/**
 * The connection pool and transactions, through which features use PostgreSQL. Migrations (migrate.ts) and the embedded
 * server (embedded-postgres.ts) are separate. Only deadlocks are retried: after a lost connection it is unknown whether
 * a COMMIT happened, so the error is thrown. database-unavailable.ts distinguishes such errors from errors in a query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { currentSpan, traced } from '../telemetry/current-span.ts';
import { connectionOptions } from './choose-server.ts';
import { createConnectionShares } from './connection-share.ts';
import { isDatabaseUnavailable, isServerUnsuitable } from './database-unavailable.ts';
import { keepAliveInitialDelayMillis, throwWithAdvice, type DatabaseVariable } from './start-connection.ts';

/** `rowCount` is the number of changed or returned rows; null for commands without a count. */
export type QueryResult<Row> = { rows: Row[]; rowCount: number | null };

/** SQL statement. A named one is prepared once per connection: name every statement on a hot path. */
export type QueryConfig = { name?: string; text: string; values?: unknown[] };

/** Pool or transaction. */
export type Queryable = { query<Row>(config: QueryConfig): Promise<QueryResult<Row>> };

export type Database = Queryable & {
  /** For Kysely's dialect and the metrics only; features use `query` and `transaction`. */
  pool: pg.Pool;
  /** Setting with the URL, for error messages. */
  variable: DatabaseVariable;
  /** Replica for display only, such as lists; without it, use `query`. Never base a decision on its results. */
  reads?: Queryable;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it throws. The time limit is 10 s in all,
   * or `withinMs`; the limit of each statement is unchanged.
   */
  transaction<Result>(
    work: (transaction: Queryable) => Promise<Result>,
    limit?: { withinMs: number },
  ): Promise<Result>;
  /** Waits for running queries, then closes every connection. */
  end(): Promise<void>;
};

/**
 * Wraps an array parameter so that the planner does not see its value. Otherwise a short array looks cheaper than the
 * generic plan (which assumes 10 elements), and the statement is replanned at each call, which costs more than running
 * it. For named statements that every request runs.
 */
export const hideFromPlanner = (array: string) => `(select ${array})`;

/** Dependencies of most server code. */
export type DatabaseDeps = { database: Database; now: () => number };
export type CoreDeps = DatabaseDeps & { newId: () => string };

type Options = {
  /** Setting with the URL (default DATABASE_URL), for error messages. */
  variable?: DatabaseVariable;
  /** Pool size (default 16). */
  maxConnections?: number;
  /** Factor for the timeouts of connections, statements and transactions (default 1). */
  timeoutFactor?: number;
  /** Called for every broken connection; its running query is rejected as well. */
  onConnectionError?: (error: Error) => void;
  /** Called for every new connection, and for every failed attempt. */
  onConnect?: () => void;
  onConnectFailure?: (error: Error) => void;
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
 * Reports a second connection if the caller holds a transaction (of `pool`, if given). Code that may read from the pool calls this first.
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

// A request waits at most 4 s for a connection and 10 s for a statement, so that it does not exceed 15 s. The server's
// statement timeout is shorter than the client's, since only the server's leaves the connection usable; the client's is
// for a network that drops packets.
const connectionTimeoutMs = 4_000;
const statementTimeoutMs = 9_000;
const responseTimeoutMs = 10_000;
const rollbackTimeoutMs = 1_000;
/** Besides the limits, DateStyle, which a database or role can change: pg reads timestamps only in ISO 8601. */
const sessionSettings = (timeoutFactor: number) => ({
  text: `select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
           set_config('datestyle', 'ISO, MDY', false)`,
  values: [String(statementTimeoutMs * timeoutFactor), String(responseTimeoutMs * timeoutFactor)],
});

const int8 = 20;
const date = 1082;

// int8 (count(*), bigint) as a number instead of pg's string: counts stay below 2^53. timestamptz is a Date already.
const typeParsers = new pg.TypeOverrides();
typeParsers.setTypeParser(int8, Number);
// date as text such as 2026-12-31 instead of pg's Date, which is midnight in the time zone of the server.
typeParsers.setTypeParser(date, String);

/** Opens a pool on PostgreSQL 15 or newer. It connects at the first query. */
export function openDatabase(url: string, options: Options = {}): Database {
  const { timeoutFactor = 1, variable = 'DATABASE_URL' } = options;
  const maxConnections = options.maxConnections ?? 16;
  const limitByWorkKind = createConnectionShares(
    Math.ceil(maxConnections / 2),
    connectionTimeoutMs * timeoutFactor,
  );
  const pool = new pg.Pool({
    ...connectionOptions(url),
    application_name: 'vestibule',
    max: maxConnections,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectionTimeoutMs * timeoutFactor,
    query_timeout: responseTimeoutMs * timeoutFactor,
    types: typeParsers,
    // Sends independent statements without waiting for each other's answers.
    pipeline: true,
  });
  const onConnectionError = options.onConnectionError ?? (() => {});
  const onSecondConnection = options.onSecondConnection ?? throwError;
  // Without a listener a lost connection would end the process. The pool forwards errors of idle connections only; the
  // listener on the client also covers checked-out ones.
  pool.on('error', () => {});
  // Connections that were opened before a server became unsuitable are closed at their next use.
  let minGeneration = 0;
  const generations = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => {
    generations.set(client, minGeneration);
    client.on('error', onConnectionError);
    options.onConnect?.();
    // A statement rather than connection parameters, which PgBouncer rejects. It runs before the first query of the connection.
    client.query(sessionSettings(timeoutFactor)).catch(onConnectionError);
  });

  function withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    requireNoTransaction(pool);
    return limitByWorkKind(() => withConnection(work));
  }

  async function takeConnection(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool
        .connect()
        .catch((error: unknown) => throwWithAdvice(error, variable))
        .catch((error: Error) => {
          options.onConnectFailure?.(error);
          throw error;
        });
      if (generations.get(client) === minGeneration) return client;
      client.release(true);
    }
  }

  async function withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await takeConnection();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // After a server error the connection is usable (pool.query would close it even after a unique violation); after
      // any other error, such as a timeout, its state is unknown.
      if (isServerUnsuitable(error) && generations.get(client) === minGeneration) minGeneration += 1;
      client.release(isConnectionLost(error) || client.getTransactionStatus() !== 'I');
      throw error;
    }
  }

  return {
    pool,
    variable,
    query: <Row>(config: QueryConfig) =>
      runInSpan(config, () => withClient((client) => run<Row>(client, config))),
    transaction: (work, { withinMs } = { withinMs: responseTimeoutMs }) =>
      traced('transaction', 'internal', {}, () =>
        withClient((client) =>
          runHoldingConnection(pool, onSecondConnection, () =>
            runTransaction(client, work, withinMs * timeoutFactor, responseTimeoutMs * timeoutFactor),
          ),
        ),
      ),
    end: () => pool.end(),
  };
}

function throwError(error: Error): never {
  throw error;
}

/** Runs `work` with the connection marked as held. The mark ends with `work`, also for code that it left running. */
async function runHoldingConnection<Result>(
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

const maxAttempts = 3;

/** SQLSTATE of a deadlock (appendix A of PostgreSQL's manual); PostgreSQL has rolled back one of the transactions. */
const deadlockDetected = '40P01';

/**
 * Runs `work` in a transaction and repeats it after a deadlock. `work` changes nothing that a rollback does not undo. All
 * attempts share the time limit `withinMs`, and no attempt starts after half of that time.
 */
export async function retryOnDeadlock<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
  { withinMs } = { withinMs: responseTimeoutMs },
): Promise<Result> {
  const startedAt = performance.now();
  for (let attempt = 1, elapsedMs = 0; ; attempt += 1)
    try {
      return await database.transaction(work, { withinMs: withinMs - elapsedMs });
    } catch (error) {
      elapsedMs = performance.now() - startedAt;
      const isLastAttempt = attempt === maxAttempts || elapsedMs > withinMs / 2;
      if ((error as { code?: string }).code !== deadlockDetected || isLastAttempt) throw error;
    }
}

/** Runs a statement in a span of its request, which includes the wait for a connection. */
function runInSpan<Result>(config: QueryConfig, work: () => Promise<Result>): Promise<Result> {
  if (currentSpan.getStore() === undefined) return work();
  const name = statementName(config);
  // Names of OpenTelemetry's semantic conventions for databases.
  return traced(name, 'client', { 'db.system.name': 'postgresql', 'db.query.summary': name }, work);
}

const verb = /^(?:\s|--[^\n]*\n|\()*([a-z]+)/i;
/** For a query with `with … as (…)`, the first table is sufficient. */
const table = /\b(?:from|into|update)\s+"?([a-z_][\w.]*)/i;

/** Returns the prepared statement's name, or a name without values, such as "select people". */
export function statementName({ name, text }: QueryConfig): string {
  if (name !== undefined) return name;
  const command = verb.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const tableName = table.exec(text)?.[1];
  return tableName === undefined ? command : `${command} ${tableName}`;
}

const run = <Row>(client: pg.PoolClient, config: QueryConfig): Promise<QueryResult<Row>> =>
  client.query<Row & pg.QueryResultRow>(config);

/** SQLSTATE of a statement in a failed transaction (appendix A of PostgreSQL's manual). */
const inFailedTransaction = '25P02';

async function runTransaction<Result>(
  client: pg.PoolClient,
  work: (transaction: Queryable) => Promise<Result>,
  withinMs: number,
  queryTimeoutMs: number,
): Promise<Result> {
  // The whole transaction shares one time limit; otherwise ten slow statements would add up to minutes.
  const deadline = performance.now() + withinMs;
  let hasEnded = false;
  let failed: unknown;
  const transaction: Queryable = {
    query: <Row>(config: QueryConfig) => {
      if (hasEnded) return Promise.reject(new Error('The transaction is over: its query was not awaited.'));
      const remainingMs = Math.max(1, Math.round(deadline - performance.now()));
      return runInSpan(config, () =>
        client.query<Row & pg.QueryResultRow>({
          ...config,
          query_timeout: Math.min(remainingMs, queryTimeoutMs),
        } as pg.QueryConfig),
      ).catch((error: unknown) => {
        failed ??= error;
        // All pipelined statements fail when one does; report the first failure as the cause.
        throw (error as { code?: string }).code === inFailedTransaction ? failed : error;
      });
    },
  };
  // Not awaited: the first statement of `work` is sent along with it.
  const beginQuery = client.query('begin');
  beginQuery.catch(() => {});
  try {
    const result = await work(transaction);
    hasEnded = true;
    await beginQuery;
    const committed = await client.query('commit');
    // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement failed and `work` swallowed it.
    if (committed.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
    return result;
  } catch (error) {
    hasEnded = true;
    if (!isConnectionLost(error)) await rollBack(client);
    throw error;
  }
}

async function rollBack(client: pg.PoolClient): Promise<void> {
  try {
    await client.query({ text: 'rollback', query_timeout: rollbackTimeoutMs } as pg.QueryConfig);
  } catch {
    // The original error is rethrown; closing the connection rolls back too.
  }
}

/** Returns whether an error ended the connection or left it in an unknown state. */
function isConnectionLost(error: unknown): boolean {
  if (isServerUnsuitable(error)) return true;
  const stillConnected = error instanceof pg.DatabaseError && error.severity === 'ERROR';
  return !stillConnected && isDatabaseUnavailable(error);
}

/** Statement, or the text and values of an unnamed one. */
type Statement = [config: QueryConfig] | [text: string, values?: unknown[]];

const runStatement = <Row>(database: Queryable, [first, values]: Statement): Promise<QueryResult<Row>> =>
  database.query<Row>(typeof first === 'string' ? { text: first, ...(values && { values }) } : first);

/** Returns all rows. */
export const rowsOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row[]> =>
  (await runStatement<Row>(database, statement)).rows;

/** Returns the first row, or null. */
export const rowOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row | null> =>
  (await runStatement<Row>(database, statement)).rows[0] ?? null;

/** Returns the row of a statement that always returns one. */
export const onlyRowOf = async <Row>(database: Queryable, ...statement: Statement): Promise<Row> =>
  (await rowOf<Row>(database, ...statement)) as Row;

/** Returns the only column of all rows. */
export const scalarsOf = async <Value>(database: Queryable, ...statement: Statement): Promise<Value[]> =>
  (await rowsOf<Record<string, Value>>(database, ...statement)).flatMap((row) => Object.values(row));

/** Returns the only column of the first row, or null. */
export const scalarOf = async <Value>(database: Queryable, ...statement: Statement): Promise<Value | null> =>
  (await scalarsOf<Value>(database, ...statement))[0] ?? null;

/** Returns whether the statement returns a row. */
export const hasRow = async (database: Queryable, ...statement: Statement): Promise<boolean> =>
  (await rowOf(database, ...statement)) !== null;

/** Returns the number of changed rows. */
export const execute = async (database: Queryable, ...statement: Statement): Promise<number> =>
  (await runStatement(database, statement)).rowCount ?? 0;

/**
 * Serializes a value for a jsonb parameter. Characters that PostgreSQL cannot store (NUL, lone surrogates) become
 * U+FFFD, so that one row's text cannot fail a whole batch.
 */
export const jsonParameter = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\uFFFD') : part,
  );

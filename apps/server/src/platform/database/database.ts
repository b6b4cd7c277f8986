/**
 * The connection pool and transactions, through which features use PostgreSQL. Migrations (migrate.ts) and the embedded
 * server (embedded-postgres.ts) are separate. Only deadlocks are retried: after a lost connection it is unknown whether
 * a COMMIT happened, so the error is thrown. database-unavailable.ts distinguishes such errors from errors in a query.
 */
import pg from 'pg';
import { traced } from '../telemetry/current-span.ts';
import { runInSpan } from '../telemetry/statement-span.ts';
import { connectionOptions } from './choose-server.ts';
import { createConnectionShares } from './connection-share.ts';
import { isDatabaseUnavailable, isServerUnsuitable } from './database-unavailable.ts';
import {
  requireNoTransaction,
  runHoldingConnection,
  type ReportSecondConnection,
} from './held-connection.ts';
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
  onSecondConnection?: ReportSecondConnection;
};

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
      runInSpan(config, () => withClient((client) => runOn<Row>(client, config))),
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

const runOn = <Row>(client: pg.PoolClient, config: QueryConfig): Promise<QueryResult<Row>> =>
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

/** A whole statement, or its text and values. */
type Statement = [config: QueryConfig] | [text: string, values?: unknown[]];

/** Name under which the statement of a template is prepared; without it, it is not prepared. */
type TagOptions = [{ name: string }?];

/** Tag of a template with a statement, whose values become parameters, except those of `rawSql`. */
type Tag<Result> = (parts: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

class RawSql {
  readonly write: (parameter: (value: unknown) => string) => string;

  constructor(write: RawSql['write']) {
    this.write = write;
  }
}

/**
 * Inserts SQL without user input into a template: a text such as a list of columns, or the condition that a function returns for parameters
 * with these values.
 */
export const rawSql = (
  sql: string | number | ((...parameters: string[]) => string),
  ...values: unknown[]
): RawSql =>
  new RawSql((parameter) => {
    const parameters = values.map(parameter);
    const text = typeof sql === 'function' ? sql(...parameters) : String(sql);
    const unknown = text.match(/\$\d+/g)?.find((one) => !parameters.includes(one));
    if (unknown !== undefined) throw new Error(`A part of a statement uses ${unknown} without its value.`);
    return text;
  });

function readTemplate(parts: TemplateStringsArray, inserted: unknown[]): QueryConfig {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const text = parts.reduce((sql, part, index) => {
    const value = inserted[index - 1];
    return sql + (value instanceof RawSql ? value.write(parameter) : parameter(value)) + part;
  });
  return { text, values };
}

function run<Row, Result>(
  database: Queryable,
  statement: TagOptions | Statement,
  read: (result: QueryResult<Row>) => Result,
): Promise<Result> | Tag<Result> {
  const runConfig = async (config: QueryConfig) => read(await database.query<Row>(config));
  const [first, values] = statement as [string | QueryConfig | TagOptions[0], unknown[]?];
  if (typeof first === 'string') return runConfig({ text: first, ...(values && { values }) });
  if (first && 'text' in first) return runConfig(first);
  return async (parts, ...inserted) => runConfig({ ...first, ...readTemplate(parts, inserted) });
}

/** Returns all rows of a statement: `rowsOf<Row>(database)`select … where id = ${id}``. */
export function rowsOf<Row>(database: Queryable, ...options: TagOptions): Tag<Row[]>;
export function rowsOf<Row>(database: Queryable, ...statement: Statement): Promise<Row[]>;
export function rowsOf<Row>(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows }: QueryResult<Row>) => rows);
}

/** Returns the first row, or null. */
export function rowOf<Row>(database: Queryable, ...options: TagOptions): Tag<Row | null>;
export function rowOf<Row>(database: Queryable, ...statement: Statement): Promise<Row | null>;
export function rowOf<Row>(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows }: QueryResult<Row>) => rows[0] ?? null);
}

/** Returns the row of a statement that always returns one. */
export function onlyRowOf<Row>(database: Queryable, ...options: TagOptions): Tag<Row>;
export function onlyRowOf<Row>(database: Queryable, ...statement: Statement): Promise<Row>;
export function onlyRowOf<Row>(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows }: QueryResult<Row>) => rows[0] as Row);
}

/** Returns the only column of all rows. */
export function scalarsOf<Value>(database: Queryable, ...options: TagOptions): Tag<Value[]>;
export function scalarsOf<Value>(database: Queryable, ...statement: Statement): Promise<Value[]>;
export function scalarsOf<Value>(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows }: QueryResult<Record<string, Value>>) =>
    rows.flatMap((row) => Object.values(row)),
  );
}

/** Returns the only column of the first row, or null. */
export function scalarOf<Value>(database: Queryable, ...options: TagOptions): Tag<Value | null>;
export function scalarOf<Value>(database: Queryable, ...statement: Statement): Promise<Value | null>;
export function scalarOf<Value>(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows: [row] }: QueryResult<Record<string, Value>>) =>
    row ? (Object.values(row)[0] ?? null) : null,
  );
}

/** Returns whether the statement returns a row. */
export function hasRow(database: Queryable, ...options: TagOptions): Tag<boolean>;
export function hasRow(database: Queryable, ...statement: Statement): Promise<boolean>;
export function hasRow(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rows }) => rows.length > 0);
}

/** Returns the number of changed rows. */
export function execute(database: Queryable, ...options: TagOptions): Tag<number>;
export function execute(database: Queryable, ...statement: Statement): Promise<number>;
export function execute(database: Queryable, ...statement: TagOptions | Statement) {
  return run(database, statement, ({ rowCount }) => rowCount ?? 0);
}

/**
 * Serializes a value for a jsonb parameter. Characters that PostgreSQL cannot store (NUL, lone surrogates) become
 * U+FFFD, so that one row's text cannot fail a whole batch.
 */
export const jsonParameter = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\uFFFD') : part,
  );

/**
 * Reads more rows than fit into memory: one read-only transaction with one snapshot on a separate connection, with a
 * cursor that returns batches. The pool remains available to requests.
 */
import pg from 'pg';
import type { Database, QueryResult, QueryConfig } from './database.ts';
import { throwWithAdvice } from './start-connection.ts';

export type Snapshot = Awaited<ReturnType<typeof openSnapshot>>;

const rowsPerBatch = 500;
const statementTimeoutMs = 60_000;
/** Idle time after which the connection is closed: an open snapshot prevents dead rows from being vacuumed. */
const idleTimeoutMs = 120_000;
/** Type id of `timestamptz` in PostgreSQL. */
const timestamptz = 1184;

export async function openSnapshot(database: Database) {
  const { options } = database.pool;
  const Client = (options.Client ?? pg.Client) as typeof pg.Client;
  const client = new Client({
    ...options,
    pipeline: false,
    query_timeout: statementTimeoutMs,
    types: withFastTimestamps(options.types),
  });
  // A connection lost between two statements is reported by the next one.
  client.on('error', () => {});
  try {
    await client.connect().catch((error: unknown) => throwWithAdvice(error, database.variable));
    // A statement rather than connection parameters, which PgBouncer rejects.
    await client.query(
      `begin isolation level repeatable read read only; set local statement_timeout = ${statementTimeoutMs};
       set local idle_in_transaction_session_timeout = ${idleTimeoutMs}; set local timezone = 'UTC'`,
    );
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return {
    query: <Row>(statement: QueryConfig): Promise<QueryResult<Row>> =>
      client.query<Row & pg.QueryResultRow>(statement),

    /** Yields the rows of one statement at a time as arrays of values. The next batch is fetched while the current one is processed. */
    async *batches({ text, values }: QueryConfig): AsyncGenerator<unknown[][]> {
      await client.query({ text: `declare batch no scroll cursor for ${text}`, ...(values && { values }) });
      const fetchNext = () => {
        const fetched = client.query<unknown[]>({
          text: `fetch ${rowsPerBatch} from batch`,
          rowMode: 'array',
        });
        // A reader that stops early does not await this batch.
        fetched.catch(() => {});
        return fetched;
      };
      let next = fetchNext();
      for (;;) {
        const { rows } = await next;
        if (rows.length === 0) {
          await client.query('close batch');
          return;
        }
        next = fetchNext();
        yield rows;
      }
    },
    /** Calls the listener when the connection ends, also by the database, which ends it if no batch is read for two minutes. */
    onEnd: (listener: () => void) => void client.once('end', listener),

    close: () => client.end().catch(() => {}),
  };
}

/**
 * Parses UTC times as PostgreSQL writes them, `2026-11-21 08:30:00.5+00`, as ISO 8601, which V8 parses fast. An export of a million
 * invitations has six million times: the parser of pg takes 2 s longer for them.
 */
function withFastTimestamps(types: pg.CustomTypesConfig | undefined): pg.CustomTypesConfig {
  const read = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return {
    getTypeParser: (id: number, format?: 'text' | 'binary') =>
      id === timestamptz ? read : (types ?? pg.types).getTypeParser(id, format),
  };
}

/** Single connections during the server's start, and errors of connections, which name the variable to correct. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { connectionOptions } from './choose-server.ts';
import {
  ConnectionRefusedError,
  describeError,
  isDatabaseStarting,
  isDatabaseUnavailable,
  UnsuitableServerError,
} from './database-unavailable.ts';

export type DatabaseVariable = 'DATABASE_URL' | 'DATABASE_OWNER_URL' | 'DATABASE_READ_URL';

export type NamedDatabase = { url: string; variable: DatabaseVariable };

const minVersion = 15;
const firstResponseTimeoutMs = 10_000;
/** Idle time after which TCP checks whether the server is still reachable. */
export const keepAliveInitialDelayMillis = 10_000;
/** Maximum wait for a failover, and the time between two attempts. */
const failoverTimeoutMs = 60_000;
const retryIntervalMs = 1_000;

/**
 * Waits until a database that is starting or failing over accepts connections. Throws the error of connectAtStart after
 * a minute, and at once if waiting does not help.
 */
export async function waitForDatabase(
  named: NamedDatabase,
  onWait: (message: string) => unknown,
): Promise<void> {
  const deadline = performance.now() + failoverTimeoutMs;
  for (let isFirst = true; ; isFirst = false)
    try {
      const client = await connectAtStart(named);
      await client.end();
      return;
    } catch (error) {
      if (!isDatabaseStarting((error as Error).cause) || performance.now() > deadline) throw error;
      if (isFirst) await onWait(`${describeError(error)} Waiting up to a minute.`);
      await delay(retryIntervalMs);
    }
}

/** Throws a StartUpError if the database is unreachable, rejects this role or is too old. */
export async function connectAtStart({ url, variable }: NamedDatabase): Promise<pg.Client> {
  const client = createClient({ url, variable });
  // A connection lost between two statements is reported by the next one.
  client.on('error', () => {});
  try {
    await client.connect();
    await requireVersion(client, variable);
  } catch (error) {
    await client.end().catch(() => {});
    if (error instanceof StartUpError) throw error;
    throw new StartUpError(`${describeConnectionError(error, client)} ${adviseOn(error)} ${variable}.`, {
      cause: error,
    });
  }
  return client;
}

/** Throws a StartUpError if the URL is invalid or names an unreadable certificate file: the constructor reads these files. */
function createClient({ url, variable }: NamedDatabase): pg.Client {
  try {
    const { connectionString, Client } = connectionOptions(url);
    return new Client({
      connectionString,
      application_name: 'vestibule start',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis,
    });
  } catch (cause) {
    throw new StartUpError(
      `${variable} cannot be used: ${describeError(cause)}. Correct sslrootcert, or what else it names.`,
      { cause },
    );
  }
}

function describeConnectionError(error: unknown, { database, host, port }: pg.Client): string {
  if (error instanceof UnsuitableServerError)
    return `The database ${database} cannot be used: ${error.message}.`;
  return `The database ${database} at ${host}:${port} cannot be used: ${describeError(error)}.`;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const adviceBySqlState: Record<string, string> = {
  '28P01': 'Correct the user or the password in',
  '28000': 'Let this user in (pg_hba.conf), or correct the user in',
  '3D000': 'Create it, or correct the name in',
  '42501': 'Let this user connect to it, or name another one in',
  '53300': 'Allow 18 connections for each process (max_connections, connection limit), or correct',
};

// https://nodejs.org/api/tls.html#x509-certificate-error-codes
const certificateErrors = /CERT|UNABLE_TO_VERIFY/;

/** Errors of looking up the host's address (https://nodejs.org/api/dns.html#error-codes). */
const hostErrors = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Throws the error of a new connection of the running server; one that waiting may not solve says what to correct. */
export function throwWithAdvice(cause: unknown, variable: DatabaseVariable): never {
  if (isDatabaseUnavailable(cause) && !(sqlStateOf(cause) in adviceBySqlState)) throw cause;
  const reason = describeError(cause);
  throw new ConnectionRefusedError(
    `The database accepts no connection: ${reason}. ${adviseOn(cause)} ${variable}.`,
    { cause },
  );
}

const sqlStateOf = (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

function adviseOn(error: unknown): string {
  if (error instanceof Error && error.message === 'Query read timeout')
    return 'Look whether it answers, or give a pooler in front of it more connections (default_pool_size of PgBouncer), 18 for each process, or correct';
  if (error instanceof Error && 'code' in error && certificateErrors.test(String(error.code)))
    return 'Name the authority that signed its certificate (sslrootcert), and the host as the certificate has it, in';
  if (error instanceof Error && 'code' in error && hostErrors.has(String(error.code)))
    return 'Check the network of this machine, or correct the host in';
  if (error instanceof Error && /does not support SSL/.test(error.message))
    return 'Enable TLS in PostgreSQL, or remove sslmode from';
  // pg refuses to send an empty password.
  if (error instanceof Error && error.message.startsWith('SASL')) return adviceBySqlState['28P01'] as string;
  return adviceBySqlState[sqlStateOf(error)] ?? 'Start it, or correct';
}

async function requireVersion(client: pg.Client, variable: DatabaseVariable): Promise<void> {
  // A pooler without free connections accepts the client and delays its first statement.
  const result = await client.query<{ server_version: string }>({
    text: 'show server_version',
    query_timeout: firstResponseTimeoutMs,
  } as pg.QueryConfig);
  const version = result.rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) < minVersion)
    throw new StartUpError(
      `The database runs PostgreSQL ${version}; Vestibule needs ${minVersion} or newer. Upgrade it, or set ${variable} to another one.`,
    );
  // ICU sorts names (migration 042). It requires Unicode. Functions of migrations name the schema public.
  const { rows } = await client.query<{ encoding: string; hasIcu: boolean; schema: string | null }>(
    `select current_setting('server_encoding') as encoding, current_schema() as schema,
       exists (select from pg_collation where collprovider = 'i') as "hasIcu"`,
  );
  if (rows[0]?.encoding !== 'UTF8')
    throw new StartUpError(
      `The database ${client.database} has the encoding ${rows[0]?.encoding}; Vestibule needs UTF8. Create it with "encoding 'UTF8' template template0", or set ${variable} to another one.`,
    );
  const { schema } = rows[0];
  if (schema !== null && schema !== 'public')
    throw new StartUpError(
      `The user ${client.user} creates tables in the schema ${schema} of the database ${client.database}; Vestibule needs the schema public, in a separate database. Run: alter role "${client.user}" in database "${client.database}" set search_path = public. Remove search_path from ${variable}, too.`,
    );
  if (!rows[0].hasIcu)
    throw new StartUpError(
      `This PostgreSQL was built without ICU, by which Vestibule sorts names. Use a build with ICU, as all packages of postgresql.org are, or set ${variable} to another one.`,
    );
}

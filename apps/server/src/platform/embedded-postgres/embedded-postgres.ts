/**
 * The embedded database: a real PostgreSQL whose programs npm has installed, with its data in a directory of ours.
 * It is what runs when DATABASE_URL names no other, and for the tests. It creates the cluster, the roles and the
 * database; it is not for their tables (migrate.ts) or for connections (database.ts).
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { createCluster, passwordFile, requireVersion, resetPassword, superuser } from './postgres-cluster.ts';
import { isAlive, readPostmasterFile, requireUnused } from './postgres-lock.ts';
import { preparePlace, recordPlace, type PostgresPlace } from './postgres-place.ts';
import { startPostgresProcess } from './postgres-process.ts';

/** A running embedded database. `notice` is a line for the person who started it, about where its files are. */
export type EmbeddedPostgres = {
  /** The database `vestibule` as its owner, an ordinary role: for migrations. */
  url: string;
  /** The same database as the role of the application, which owns nothing. */
  applicationUrl: string;
  /** The same server as its superuser, for tests and tools only. */
  administratorUrl: string;
  notice?: string;
  /** Ends it with a fast shutdown and waits for that. */
  stop(): Promise<void>;
};

type Internal = {
  /** False only in tests: they are faster when nothing waits for the disk. */
  durable?: boolean;
  /** Where to place what the database's user cannot reach elsewhere. */
  sharedDirectory?: string;
};

const role = 'vestibule';
const applicationRole = 'vestibule_app';
const database = 'vestibule';
// The answers of a server that lacks our roles or database: wrong password (said for no role as well), no database.
const missingCodes = new Set(['28P01', '3D000']);

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  // Handing each page to a process that reads it costs more than reading it, since the system has most of them in memory.
  io_method: 'sync',
  jit: 'off',
  random_page_cost: '1.1',
  fsync: 'on',
  // The log says what the server does, never what a statement or a row contained.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
const settingsWithoutDurability = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Starts PostgreSQL on a free port of 127.0.0.1 and creates what is missing. Beside the data directory stand
 * `<name>.password` (0600) and `<name>.log`. Throws a StartUpError that says what is wrong and what to do.
 */
export async function startEmbeddedPostgres(
  options: { dataDirectory: string },
  internal: Internal = {},
): Promise<EmbeddedPostgres> {
  const binaries = await findPostgresBinaries();
  const asked = resolve(options.dataDirectory);
  const place = await preparePlace(asked, binaries, internal.sharedDirectory);
  const durable = internal.durable ?? true;
  if (existsSync(`${place.dataDirectory}/PG_VERSION`)) {
    await requireVersion(place);
    await requireUnused(place.dataDirectory);
    if (!existsSync(passwordFile(place.dataDirectory))) await resetPassword(place);
  } else {
    await createCluster(place, durable);
  }
  await recordPlace(place, asked);
  const password = (await readFile(passwordFile(place.dataDirectory), 'utf8')).trim();
  const server = await startPostgresProcess(place, {
    ...settings,
    ...(durable ? {} : settingsWithoutDurability),
  });
  const urlOf = (user: string, name: string) =>
    `postgres://${user}:${password}@127.0.0.1:${server.port}/${name}`;
  const urls = {
    url: urlOf(role, database),
    applicationUrl: urlOf(applicationRole, database),
    administratorUrl: urlOf(superuser, 'postgres'),
  };
  try {
    await ensureDatabase(urls, password, place);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    ...urls,
    ...(place.notice === undefined ? {} : { notice: place.notice }),
    stop: () => server.stop(),
  };
}

/** The database as it runs already, or started for the caller's time; never created. */
export async function reachEmbeddedPostgres(options: {
  dataDirectory: string;
}): Promise<Pick<EmbeddedPostgres, 'applicationUrl' | 'stop'>> {
  const place = await preparePlace(resolve(options.dataDirectory), await findPostgresBinaries());
  if (!existsSync(`${place.dataDirectory}/PG_VERSION`))
    throw new StartUpError(
      `There is no database in ${place.dataDirectory}. Set DATA_DIR or DATABASE_URL to that of the server.`,
    );
  const file = await readPostmasterFile(place.dataDirectory);
  if (!file?.ready || !isAlive(file.pid)) return startEmbeddedPostgres(options);
  const password = (await readFile(passwordFile(place.dataDirectory), 'utf8')).trim();
  return {
    applicationUrl: `postgres://${applicationRole}:${password}@127.0.0.1:${file.port}/${database}`,
    stop: () => Promise.resolve(),
  };
}

async function ensureDatabase(
  { applicationUrl, administratorUrl }: { applicationUrl: string; administratorUrl: string },
  password: string,
  place: PostgresPlace,
): Promise<void> {
  try {
    // Made last, so when it gets in nothing is missing.
    await withClient(applicationUrl, async () => {});
  } catch (error) {
    if (!missingCodes.has(codeOf(error))) throw error;
    await createRolesAndDatabase(administratorUrl, password, place);
  }
}

async function createRolesAndDatabase(
  administratorUrl: string,
  password: string,
  place: PostgresPlace,
): Promise<void> {
  try {
    await withClient(administratorUrl, async (client) => {
      const ensureRole = async (name: string) => {
        const roles = await client.query('select from pg_roles where rolname = $1', [name]);
        const verb = roles.rowCount === 0 ? 'create' : 'alter';
        await client.query(`${verb} role ${name} login password ${client.escapeLiteral(password)}`);
      };
      await ensureRole(role);
      const databases = await client.query('select from pg_database where datname = $1', [database]);
      if (databases.rowCount === 0) await client.query(`create database ${database} owner ${role}`);
      await ensureRole(applicationRole);
    });
  } catch (cause) {
    if (codeOf(cause) !== '28P01') throw cause;
    throw new StartUpError(
      `The password in ${passwordFile(place.dataDirectory)} does not match the database beside it. Put the right file back, or delete it to set a new password.`,
      { cause },
    );
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * The embedded database: PostgreSQL from an npm package, with its data in a local directory. It runs if DATABASE_URL is not set, and for
 * tests. Creates the cluster, the roles and the database; tables (migrate.ts) and connections (database.ts) are separate.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { createCluster, passwordFile, requireVersion, resetPassword, superuser } from './postgres-cluster.ts';
import { prepareDataLocation } from './data-location.ts';
import {
  isAlive,
  readPostmasterFile,
  requireUnusedDirectory,
  startPostgresProcess,
} from './postgres-process.ts';

/** Running embedded database. */
export type EmbeddedPostgres = {
  /** URL of the database `vestibule` for its owner, an ordinary role that runs migrations. */
  url: string;
  /** URL of the same database for the application's role, which owns nothing. */
  applicationUrl: string;
  /** URL of the same server for its superuser, for tests and tools only. */
  administratorUrl: string;
  /** Requests a fast shutdown and waits for it. */
  stop(): Promise<void>;
};

const role = 'vestibule';
const applicationRole = 'vestibule_app';
const database = 'vestibule';
const invalidPassword = '28P01';

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // With 4 MB, a search with 200,000 matches remembers only their pages and tests every row of these again.
  work_mem: '32MB',
  // I/O worker processes cost more than direct reads, since most pages are in the system's cache.
  io_method: 'sync',
  jit: 'off',
  random_page_cost: '1.1',
  fsync: 'on',
  // The log must not contain statements or rows.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
/** Settings of tests, whose many small databases need no vacuum. */
const settingsWithoutDurability = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
};

/**
 * Returns an eighth of the memory of the machine, or of the container's limit, from 128 MB to 1 GB. PostgreSQL uses about 3 % of it at
 * the start, and the rest for the pages that it reads.
 */
export function chooseSharedBuffers(total: number, limit: number): string {
  const megabytes = Math.min(total, limit || total) / 1024 ** 2;
  return `${Math.round(Math.min(1024, Math.max(128, megabytes / 8)))}MB`;
}

/**
 * Starts PostgreSQL on a free port of 127.0.0.1 and creates missing roles and the database. `<name>.password` (0600)
 * and `<name>.log` are next to the data directory. Throws a StartUpError that says what to do.
 */
export async function startEmbeddedPostgres(
  options: { dataDirectory: string },
  /** False only in tests, which are faster without fsync. */
  { durable = true } = {},
): Promise<EmbeddedPostgres> {
  const place = await prepareDataLocation(resolve(options.dataDirectory), await findPostgresBinaries());
  if (existsSync(`${place.dataDirectory}/PG_VERSION`)) {
    await requireVersion(place);
    await requireUnusedDirectory(place.dataDirectory);
    if (!existsSync(passwordFile(place.dataDirectory))) await resetPassword(place);
  } else {
    await createCluster(place, durable);
  }
  const password = (await readFile(passwordFile(place.dataDirectory), 'utf8')).trim();
  const server = await startPostgresProcess(place, {
    ...settings,
    shared_buffers: durable ? chooseSharedBuffers(totalmem(), process.constrainedMemory()) : '128MB',
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
    await ensureDatabase(urls.administratorUrl, password, passwordFile(place.dataDirectory));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...urls, stop: () => server.stop() };
}

/** Returns the URL of the running database, or starts an existing one, which then runs until `stop` is called. */
export async function reachEmbeddedPostgres(options: {
  dataDirectory: string;
}): Promise<Pick<EmbeddedPostgres, 'applicationUrl' | 'stop'>> {
  const place = await prepareDataLocation(resolve(options.dataDirectory), await findPostgresBinaries());
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

/** Creates the roles and the database if they are missing, and sets the passwords of the roles, as the file may be new. */
async function ensureDatabase(administratorUrl: string, password: string, file: string): Promise<void> {
  const client = new pg.Client({ connectionString: administratorUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `select 'role ' || rolname as name from pg_roles union all select 'database ' || datname from pg_database`,
    );
    const exists = (name: string) => rows.some((row) => row.name === name);
    for (const name of [role, applicationRole])
      await client.query(
        `${exists(`role ${name}`) ? 'alter' : 'create'} role ${name} login password ${client.escapeLiteral(password)}`,
      );
    if (!exists(`database ${database}`)) await client.query(`create database ${database} owner ${role}`);
  } catch (cause) {
    if ((cause as { code?: string }).code !== invalidPassword) throw cause;
    throw new StartUpError(
      `The password in ${file} does not match the database beside it. Put the right file back, or delete it to set a new password.`,
      { cause },
    );
  } finally {
    await client.end();
  }
}

/**
 * Brings a database's schema up to date: the files `NNN-name.sql` of a directory, in order, each in a
 * transaction of its own and recorded with its checksum. Forward only; it is not for going back or for data
 * that changes while the server runs.
 *
 * Numbers below 100 are Vestibule's own, those from 100 on a team's: two series, so that a newer Vestibule may bring one of its
 * own when a team's have been applied already.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { advisoryLocks } from './advisory-locks.ts';

type Migration = { name: string; text: string; checksum: string };

const oldestVersion = 15;

/**
 * Applies the migrations in `directory` that the database at `url` lacks and answers their names. Processes
 * that start at once take turns. Throws a StartUpError when the database cannot be reached or a file does not fit.
 */
export async function migrate(url: string, directory: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const client = await connect(url);
  try {
    await requireVersion(client);
    // Held by the connection, so that it is let go even if this process is killed.
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migrations]);
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const answer = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations order by name',
    );
    const pending = findPending(migrations, answer.rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = new Set<string>();
  const migrations: Migration[] = [];
  for (const name of names) {
    const number = /^(\d{3})-[a-z0-9-]+\.sql$/.exec(name)?.[1];
    if (number === undefined || numbers.has(number)) {
      throw new StartUpError(
        `The migration ${name} needs a number of its own: three digits, a hyphen and a name, like 004-add-views.sql.`,
      );
    }
    numbers.add(number);
    const text = await readFile(join(directory, name), 'utf8');
    // Git may check the file out with other line endings; that is not an edit.
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
    migrations.push({ name, text, checksum });
  }
  return migrations;
}

function findPending(migrations: Migration[], applied: { name: string; checksum: string }[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      throw new StartUpError(
        `The database has the migration ${name}, which this version of Vestibule does not know: a newer version has used it. Start that version again, or restore a copy of the database from before.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new StartUpError(
        `The migration ${name} was edited after this database had applied it. Take the edit back and write it as a new migration.`,
      );
    }
  }
  const appliedNames = new Set(applied.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !appliedNames.has(name));
  for (const { name } of pending) {
    const last = applied.findLast((one) => isOfTeam(one.name) === isOfTeam(name))?.name;
    if (last !== undefined && name < last)
      throw new StartUpError(
        `The migration ${name} comes before ${last}, which this database has applied already. Give it a higher number.`,
      );
  }
  return pending;
}

const isOfTeam = (name: string) => name >= '100';

async function apply(client: pg.Client, { name, text, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    // The connection is closed next, which rolls the migration back.
    throw new StartUpError(`The migration ${name} failed and changed nothing: ${describe(error)}`, {
      cause: error,
    });
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'vestibule migrate',
    connectionTimeoutMillis: 5_000,
  });
  // A connection lost between two statements is reported by the next one.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    // Everything but the password may be shown.
    throw new StartUpError(
      `The database ${client.database} at ${client.host}:${client.port} cannot be used: ${describe(error)}. Start it, or correct DATABASE_URL.`,
      { cause: error },
    );
  }
  return client;
}

async function requireVersion(client: pg.Client): Promise<void> {
  const answer = await client.query<{ server_version: string }>('show server_version');
  const version = answer.rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new StartUpError(
      `The database runs PostgreSQL ${version}; Vestibule needs ${oldestVersion} or newer. Upgrade it, or name another one in DATABASE_URL.`,
    );
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's AggregateError, for a host name with several addresses, has a code but no message.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

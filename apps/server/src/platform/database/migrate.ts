/**
 * Applies the migrations `NNN-name.sql` of a directory in order, each in a transaction, and records their checksums. The
 * pending migrations of an extension share a transaction with the check of its tables, which they have to pass together.
 * Forward only. Numbers below 100 are Vestibule's, from 100 on a team's: two series, so that a newer Vestibule can add
 * migrations after a team's have been applied. Each extension has its own series, recorded as `tickets/001-tickets.sql`.
 *
 * The checksum excludes comment lines (`--`), so that comments can be edited. Versions up to 1.0.0 recorded a checksum
 * of the whole text: a migration whose comments were edited since names it in a line `-- Earlier checksum: <SHA-256>`.
 * A database with a named checksum is accepted whatever the statements are.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { advisoryLocks } from './advisory-locks.ts';
import {
  applyWithinNameSpace,
  connectRecordFiles,
  readTablesOf,
  type TableWithFiles,
} from './extension-tables.ts';
import type { Queryable } from './database.ts';
import { describeError } from './database-unavailable.ts';
import { connectAtStart, type NamedDatabase } from './start-connection.ts';
import { valuesOf } from '../values-of.ts';

/** Migrations of an extension. */
export type ExtensionMigrations = {
  name: string;
  directory: string;
  tablesWithFiles?: readonly TableWithFiles[];
  /** Throws if the definition of the extension does not fit its tables. */
  check?: (transaction: Queryable) => Promise<void>;
};

type Migration = {
  name: string;
  /** Name of the extension; absent for Vestibule's and a team's in the checkout. */
  extension?: string;
  text: string;
  /** Recorded when the migration is applied. */
  checksum: string;
  /** Checksums of earlier versions of the file. A database that recorded one of them is accepted. */
  earlierChecksums: string[];
};

/** Maximum wait for another migrating process, and the time after which the wait is reported. */
const lockTimeoutMs = 10 * 60_000;
const reportWaitAfterMs = 3_000;
const pollIntervalMs = 100;

type Options = {
  extensions?: readonly ExtensionMigrations[];
  /** Called for an extension that was removed, once if another process has to finish first, and before the indexes of a collation are rebuilt. */
  onNotice?: (message: string) => void;
  /** Maximum wait. */
  lockTimeoutMs?: number;
};

/**
 * Applies the missing migrations of `directory` and returns their names. Concurrent processes are serialized. Throws a
 * StartUpError if the database is unreachable or a file does not match.
 */
export async function migrate(
  database: NamedDatabase,
  directory: string,
  options: Options = {},
): Promise<string[]> {
  const migrations = await readAllMigrations(directory, options.extensions);
  const client = await connectAtStart(database);
  try {
    const names: string[] = [];
    for (;;) {
      const name = await applyNext(client, migrations, options);
      if (name === null) break;
      names.push(name);
    }
    for (const extension of options.extensions ?? [])
      names.push(...(await applyExtension(client, migrations, extension, options)));
    await refreshCollations(client, options);
    for (const message of await describeRemovedExtensions(client, migrations)) options.onNotice?.(message);
    return names;
  } finally {
    // Rolls back an open transaction.
    await client.end();
  }
}

/**
 * Applies missing migrations inside a transaction that holds the lock. With `upTo`, applies only the listed ones, each of
 * which must exist, so that the tables fit the data of an earlier version.
 */
export async function migrateInTransaction(
  transaction: pg.Client,
  directory: string,
  {
    upTo,
    extensions,
  }: { upTo?: readonly string[]; extensions?: readonly ExtensionMigrations[] | undefined } = {},
): Promise<void> {
  const migrations = selectMigrations(await readAllMigrations(directory, extensions), upTo);
  for (const next of findPending(migrations, await readApplied(transaction))) await apply(transaction, next);
}

/** Applies the first missing migration that is not an extension's; returns null if there is none. */
async function applyNext(
  client: pg.Client,
  migrations: Migration[],
  options: Options,
): Promise<string | null> {
  await client.query('begin');
  await lockMigrations(client, options);
  const next = findPending(migrations, await readApplied(client)).find(
    ({ extension }) => extension === undefined,
  );
  if (next) await apply(client, next);
  await client.query('commit');
  return next?.name ?? null;
}

/** Applies the missing migrations of an extension and checks its tables, in one transaction that holds the lock. */
async function applyExtension(
  client: pg.Client,
  migrations: Migration[],
  { name, tablesWithFiles = [], check }: ExtensionMigrations,
  options: Options,
): Promise<string[]> {
  await client.query('begin');
  await lockMigrations(client, options);
  const pending = findPending(migrations, await readApplied(client)).filter(
    ({ extension }) => extension === name,
  );
  for (const migration of pending) await apply(client, migration);
  await check?.(client);
  for (const table of tablesWithFiles) await connectRecordFiles(client, name, table);
  await client.query('commit');
  return valuesOf(pending, 'name');
}

/**
 * Rebuilds the indexes of ICU collations after an update of ICU, which may sort differently
 * (https://www.postgresql.org/docs/current/sql-altercollation.html).
 */
async function refreshCollations(client: pg.Client, options: Options): Promise<void> {
  const outdated = `select oid, oid::regcollation as name from pg_collation
    where collnamespace = current_schema()::regnamespace and collversion <> pg_collation_actual_version(oid)`;
  if ((await client.query(outdated)).rows.length === 0) return;
  await client.query('begin');
  await lockMigrations(client, options);
  for (const { oid, name } of (await client.query<{ oid: number; name: string }>(outdated)).rows) {
    options.onNotice?.(`ICU has been updated: rebuilding the indexes of the collation ${name}`);
    const indexes = await client.query<{ name: string }>(
      'select indexrelid::regclass as name from pg_index where $1 = any (indcollation::oid[])',
      [oid],
    );
    for (const index of indexes.rows) await client.query(`reindex index ${index.name}`);
    await client.query(`alter collation ${name} refresh version`);
  }
  await client.query('commit');
}

/**
 * Takes the migration lock, for the transaction: a session lock would remain held behind a pooler. Polls, because a
 * process that blocks in the database could not report the wait.
 */
export async function lockMigrations(
  client: pg.Client,
  { onNotice, lockTimeoutMs: timeoutMs = lockTimeoutMs }: Options = {},
): Promise<void> {
  const startedAt = performance.now();
  for (let isReported = false; ;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
      advisoryLocks.migrations,
    ]);
    if (rows[0]?.taken) return;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= timeoutMs)
      throw new StartUpError(
        'Another process has been migrating this database for too long. Check whether it is still running: its connection is called "vestibule start" in pg_stat_activity. Then start again.',
      );
    if (waitedMs >= reportWaitAfterMs && !isReported) {
      isReported = true;
      onNotice?.('waiting for another process that migrates the database');
    }
    await delay(pollIntervalMs);
  }
}

async function readApplied(client: pg.Client): Promise<{ name: string; checksum: string }[]> {
  try {
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    );
  } catch (error) {
    throw new StartUpError(
      `The user ${client.user} cannot create tables in the database ${client.database} (${describeError(error)}). Make it the owner: alter database ${client.database} owner to ${client.user}.`,
      { cause: error },
    );
  }
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  );
  return rows;
}

/** Returns Vestibule's migrations, a team's, then those of each extension. */
async function readAllMigrations(
  directory: string,
  extensions: readonly ExtensionMigrations[] = [],
): Promise<Migration[]> {
  const migrations = await readMigrations(directory);
  for (const { name: extension, directory: own } of extensions)
    for (const migration of await readMigrations(own))
      migrations.push({ ...migration, name: `${extension}/${migration.name}`, extension });
  return migrations;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = new Set<string>();
  const migrations: Migration[] = [];
  for (const name of names) {
    const number = /^(\d{3})-[a-z0-9-]+\.sql$/.exec(name)?.[1];
    if (number === undefined || numbers.has(number)) {
      throw new StartUpError(
        `The migration ${name} needs a unique number: three digits, a hyphen and a name, like 004-add-views.sql.`,
      );
    }
    numbers.add(number);
    const text = await readFile(join(directory, name), 'utf8');
    migrations.push({ name, text, ...checksumsOf(text) });
  }
  return migrations;
}

function checksumsOf(text: string): Pick<Migration, 'checksum' | 'earlierChecksums'> {
  // Git may check the file out with other line endings; that is not an edit.
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const checksum = sha256(lines.filter((line) => !line.trimStart().startsWith('--')));
  const named = lines.flatMap((line) => /^-- Earlier checksum: ([0-9a-f]{64})$/.exec(line)?.[1] ?? []);
  return { checksum, earlierChecksums: [sha256(lines), ...named] };
}

const sha256 = (lines: string[]) => createHash('sha256').update(lines.join('\n')).digest('hex');

function selectMigrations(migrations: Migration[], upTo: readonly string[] | undefined): Migration[] {
  if (!upTo) return migrations;
  const chosen = migrations.filter(({ name }) => upTo.includes(name));
  const unknown = upTo.find((name) => !migrations.some((migration) => migration.name === name));
  const removed = extensionOf(unknown ?? '');
  if (removed !== null && !migrations.some(({ extension }) => extension === removed))
    throw new StartUpError(
      `The backup contains the tables of the extension ${removed}, which is not installed. Restore it with that extension.`,
    );
  if (unknown !== undefined)
    throw new StartUpError(
      `The migration ${unknown} is not known to this version of Vestibule: a newer version has used it. Use that version.`,
    );
  return chosen;
}

function findPending(migrations: Migration[], applied: { name: string; checksum: string }[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    const extension = extensionOf(name);
    if (migration === undefined && extension !== null) {
      if (!migrations.some((one) => one.extension === extension)) continue;
      throw new StartUpError(
        `The database has the migration ${name}, which the installed version of the extension ${extension} does not have: a newer version has used it. Install that version again.`,
      );
    }
    if (migration === undefined) {
      throw new StartUpError(
        `The database has the migration ${name}, which this version of Vestibule does not know: a newer version has used it. Start that version again, or restore a copy of the database from before.`,
      );
    }
    if (migration.checksum !== checksum && !migration.earlierChecksums.includes(checksum)) {
      throw new StartUpError(
        `The migration ${name} was edited after this database had applied it. Undo the edit and write a new migration instead.`,
      );
    }
  }
  const appliedNames = new Set(valuesOf(applied, 'name'));
  const pending = migrations.filter(({ name }) => !appliedNames.has(name));
  for (const { name } of pending) {
    const last = applied.findLast((one) => seriesOf(one.name) === seriesOf(name))?.name;
    if (last !== undefined && name < last)
      throw new StartUpError(
        `The migration ${name} comes before ${last}, which this database has already applied. Give it a higher number.`,
      );
  }
  return pending;
}

/** Returns the extension of a recorded migration; null for Vestibule's and a team's in the checkout. */
const extensionOf = (name: string) => (name.includes('/') ? name.replace(/\/.*/, '') : null);

const seriesOf = (name: string) => extensionOf(name) ?? (name >= '100' ? 'team' : 'vestibule');

/** Returns a message for each extension that was removed but whose tables remain. */
async function describeRemovedExtensions(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const removed = new Set(
    (await readApplied(client))
      .flatMap(({ name }) => extensionOf(name) ?? [])
      .filter((name) => !migrations.some(({ extension }) => extension === name)),
  );
  return Promise.all(
    [...removed].map(async (name) => {
      const tables = await readTablesOf(client, name);
      return `the extension ${name} is not installed, but its tables remain. To delete its data: drop table ${tables.join(', ')}; delete from schema_migrations where name like '${name}/%'`;
    }),
  );
}

/** SQLSTATEs of a lock that was not granted in time, and of a deadlock (appendix A of PostgreSQL's manual). */
const notLocked = new Set(['55P03', '40P01']);

/**
 * Locks the tables that a migration names, such as `-- Locks: invitations, people in share mode`, before its statements. Requests lock
 * tables in this order; in another one, PostgreSQL would abort a request or the migration as a deadlock. Waits in short attempts, because
 * later requests wait too, and PostgreSQL searches for deadlocks after a second.
 */
async function lockTables(client: pg.Client, text: string): Promise<void> {
  const tables = /^-- Locks: ([a-z_, ]+)$/m.exec(text)?.[1];
  if (tables === undefined) return;
  for (;;) {
    await client.query('savepoint unlocked');
    try {
      await client.query(
        `set local lock_timeout = 500; lock table ${tables}; set local lock_timeout to default`,
      );
      return;
    } catch (error) {
      if (!notLocked.has(String((error as { code?: unknown }).code))) throw error;
      await client.query('rollback to savepoint unlocked');
      await delay(pollIntervalMs);
    }
  }
}

async function apply(client: pg.Client, { name, text, checksum, extension }: Migration): Promise<void> {
  try {
    if (extension === undefined) {
      await lockTables(client, text);
      await client.query(text);
    } else await applyWithinNameSpace(client, extension, text);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
  } catch (error) {
    throw new StartUpError(`The migration ${name} failed and changed nothing: ${describeError(error)}`, {
      cause: error,
    });
  }
}

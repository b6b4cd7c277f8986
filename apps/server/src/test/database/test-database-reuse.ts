/**
 * Databases of closed applications, for the next applications of the same test worker. Restoring the rows takes a fraction of the
 * time of a new database, whose connections read the catalog and plan each statement again.
 */
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import {
  onlyRowOf,
  openDatabase,
  rowsOf,
  type Database,
  type QueryResult,
} from '../../platform/database/database.ts';
import { createTestDatabase, longTimeouts } from './test-database.ts';

type Urls = { databaseUrl: string; ownerUrl: string };
type OpenDatabase = Urls & { pool: Database; owner: Database; release: () => Promise<void> };
/** Rows of a template as statements, and the version of its schema. */
type Original = { schema: string; statements: string[] };

/** Idle databases of a worker, because the server limits the connections of all workers together. */
const maxIdle = 2;
const maxIdleConnections = 6;
/** After more deleted rows, the next tests would be slower and have other query plans. */
const maxDeletedRows = 2_000;
const waitMs = 5;
const maxWaits = 200;

const idle: { template: string | undefined; database: OpenDatabase; drop: () => Promise<void> }[] = [];
const originals = new Map<string | undefined, Original>();

/** Opens the database of a running application. */
export function openSharedDatabase({ databaseUrl, ownerUrl }: Urls): OpenDatabase {
  const pool = openDatabase(databaseUrl, longTimeouts);
  const owner = openDatabase(ownerUrl, { ...longTimeouts, maxConnections: 2 });
  const release = async () => {
    for (const opened of [pool, owner]) if (!opened.pool.ending) await opened.end();
  };
  return { databaseUrl, ownerUrl, pool, owner, release };
}

/** Returns a database that equals the template, by default an empty one. `release` keeps it for the next application, or drops it. */
export async function takeTestDatabase(template?: string): Promise<OpenDatabase> {
  const index = idle.findIndex((one) => one.template === template);
  if (index >= 0) return idle.splice(index, 1)[0]?.database as OpenDatabase;
  const created = await createTestDatabase(template);
  const opened = openSharedDatabase({ databaseUrl: created.applicationUrl, ownerUrl: created.url });
  const original = originals.get(template) ?? (await readOriginal(opened.owner));
  originals.set(template, original);
  const drop = async () => {
    await opened.release();
    await created.drop();
  };
  const database: OpenDatabase = {
    ...opened,
    async release() {
      if (!(await restore(opened, original).catch(() => false))) return drop();
      idle.push({ template, database, drop });
      if (idle.length > maxIdle) await idle.shift()?.drop();
    },
  };
  return database;
}

/** Changes with every statement that defines something in the database. Copies of a database have the same. */
const schemaVersion = `(select sum(changed_by::text::bigint)::text from (
  select xmin from pg_class where oid >= 16384 union all select xmin from pg_attribute where attrelid >= 16384
  union all select xmin from pg_constraint union all select xmin from pg_trigger
  union all select xmin from pg_proc where oid >= 16384) as entries (changed_by))`;

/** Tables that have had rows. */
const usedTables = `pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and nspname !~ '^(pg_|information_schema$)' and pg_relation_size(c.oid) > 0`;

async function readOriginal(owner: Database): Promise<Original> {
  const { schema } = await onlyRowOf<{ schema: string }>(owner, `select ${schemaVersion} as schema`);
  const tables = await rowsOf<{ name: string; columns: string }>(
    owner,
    `select format('%I.%I', nspname, relname) as name,
       (select string_agg(quote_ident(attname), ', ') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
     from ${usedTables}`,
  );
  const statements: string[] = [];
  for (const { name, columns } of tables) {
    const { rows } = await onlyRowOf<{ rows: string | null }>(
      owner,
      `select json_agg(t)::text as rows from ${name} t`,
    );
    if (rows !== null)
      statements.push(
        `insert into ${name} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${name}, ${pg.escapeLiteral(rows)})`,
      );
  }
  const sequences = await rowsOf<{ text: string }>(
    owner,
    `select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
       coalesce(last_value, start_value), last_value is not null) as text from pg_sequences`,
  );
  return { schema, statements: [...statements, ...sequences.map(({ text }) => text)] };
}

/** Restores the rows. Returns false if the database cannot be used again. */
async function restore({ pool, owner }: OpenDatabase, original: Original): Promise<boolean> {
  const pools = [pool.pool, owner.pool];
  if (pools.some(({ ending }) => ending) || pool.pool.totalCount > maxIdleConnections) return false;
  // Work that a request started may still run after its response.
  const isBusy = () => pools.some(({ totalCount, idleCount }) => totalCount > idleCount);
  for (let waits = 0; isBusy(); waits += 1) {
    if (waits === maxWaits) return false;
    await setTimeout(waitMs);
  }
  const state = await onlyRowOf<{
    schema: string;
    connections: number;
    isLocked: boolean;
    deletes: string[];
  }>(
    owner,
    `select ${schemaVersion} as schema,
       (select count(*) from pg_stat_activity where datname = current_database()) as connections,
       exists (select from pg_locks where locktype = 'advisory' and database = (
         select oid from pg_database where datname = current_database())) as "isLocked",
       array(select format('delete from %I.%I', nspname, relname) from ${usedTables}) as deletes`,
  );
  const isShared = state.connections > pool.pool.totalCount + owner.pool.totalCount;
  if (isShared || state.isLocked || state.schema !== original.schema) return false;
  const text = [
    'begin',
    // Without triggers and foreign keys.
    'set local session_replication_role = replica',
    ...state.deletes,
    ...original.statements,
    'commit',
    'reset all',
  ].join(';\n');
  const results = (await owner.query({ text })) as unknown as QueryResult<unknown>[];
  const deleted = results
    .slice(2, 2 + state.deletes.length)
    .reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  return deleted <= maxDeletedRows;
}

/**
 * Copies all rows of a database in PostgreSQL's COPY text format (https://www.postgresql.org/docs/current/sql-copy.html): out of one
 * snapshot, and into an empty database with the current tables. Files and secrets are handled elsewhere.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { connectAtStart, type NamedDatabase } from '../database/start-connection.ts';
import { valuesOf } from '../values-of.ts';

/** `columns` excludes generated columns. */
export type Table = { name: string; columns: string[] };
export type TableDigest = { rows: number; sha256: string };
export type Sequences = Record<string, string | null>;

/** Not copied: the migrations define the tables of the target. */
const notCopied = 'schema_migrations';

/**
 * Opens a connection with fixed output settings (such as no synchronized scans), so that COPY output is deterministic.
 * `transaction` is its first statement. Throws a StartUpError if the connection fails.
 */
export async function connectForCopy(database: NamedDatabase, transaction: string): Promise<pg.Client> {
  const client = await connectAtStart(database);
  await client.query(
    `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO, YMD';
     set intervalstyle = postgres; set bytea_output = hex; set extra_float_digits = 1; set synchronize_seqscans = off; ${transaction}`,
  );
  return client;
}

/**
 * Lists tables; referenced tables come before the tables that refer to them. Leaves out tables of other programs in the same database that
 * the role cannot read.
 */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers_to: string[] }>({
    text: `select c.relname as name,
             array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
             array(select f.relname::text from pg_constraint r join pg_class f on f.oid = r.confrelid
                   where r.conrelid = c.oid and r.contype = 'f' and f.oid <> c.oid) as refers_to
           from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> $1
             and (has_table_privilege(c.oid, 'select') or c.relowner = (select relowner from pg_class where oid = 'schema_migrations'::regclass))
           order by c.relname`,
    values: [notCopied],
  });
  const sorted: Table[] = [];
  let remaining = rows;
  while (remaining.length > 0) {
    const pending = new Set(valuesOf(remaining, 'name'));
    const independent = remaining.filter((table) => table.refers_to.every((name) => !pending.has(name)));
    if (independent.length === 0) throw new Error('tables refer to each other in a circle');
    sorted.push(...independent.map(({ name, columns }) => ({ name, columns })));
    remaining = remaining.filter((table) => !independent.includes(table));
  }
  return sorted;
}

export const copyOut = (client: pg.Client, table: Table): Readable =>
  client.query(copyTo(`copy ${relation(table)} to stdout`));

export async function copyIn(
  client: pg.Client,
  table: Table,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  await pipeline(
    Readable.from(bytes, { objectMode: false }),
    // Rows are frozen, so that the first vacuum does not write them again.
    client.query(copyFrom(`copy ${relation(table)} from stdin (freeze)`)),
  );
}

/** Passes bytes through and reports their digest and row count at the end. A row is a line; line ends in values are written as `\n`. */
export async function* withDigest(
  bytes: AsyncIterable<Uint8Array>,
  onDigest: (digest: TableDigest) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    for (let at = piece.indexOf(lineEnd); at !== -1; at = piece.indexOf(lineEnd, at + 1)) rows += 1;
    yield piece;
  }
  onDigest({ rows, sha256: hash.digest('hex') });
}
const lineEnd = 10;

export async function digestOf(client: pg.Client, table: Table): Promise<TableDigest> {
  let digest: TableDigest = { rows: 0, sha256: '' };
  for await (const _ of withDigest(copyOut(client, table), (result) => (digest = result)));
  return digest;
}

/** Updates the planner's statistics of a table that has rows. An empty one would be expected to remain empty. */
export async function analyze(client: pg.Client, { name }: Table): Promise<void> {
  await client.query(`analyze ${pg.escapeIdentifier(name)}`);
}

export async function readSequences(client: pg.Client): Promise<Sequences> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    `select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Leaves out sequences that the database does not have. */
export async function writeSequences(client: pg.Client, sequences: Sequences): Promise<void> {
  for (const name of Object.keys(await readSequences(client))) {
    const value = sequences[name] ?? null;
    if (value !== null)
      await client.query('select setval($1::regclass, $2::bigint)', [
        `public.${pg.escapeIdentifier(name)}`,
        value,
      ]);
  }
}

/**
 * Empties tables and disables their triggers while `work` fills them: the rows already include the triggers' changes.
 * Indexes, keys and foreign keys are created afterwards: checking all rows at once is faster than each. Must run inside a
 * transaction, since it locks the tables.
 */
export async function fillTables(
  client: pg.Client,
  tables: Table[],
  work: () => Promise<void>,
): Promise<void> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name));
  const forAll = (actions: string) => names.map((name) => `alter table ${name} ${actions}`).join('; ');
  await client.query(forAll('disable trigger user'));
  await client.query(`truncate ${names.join(', ')}`);
  // Foreign keys are dropped before the keys that they refer to, and created after these.
  const { rows: constraints } = await client.query<Definition & { table: string }>(
    `select quote_ident(conname) as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
     from pg_constraint where conrelid = any($1::regclass[]) and contype in ('f', 'p', 'u') order by contype = 'f'`,
    [names],
  );
  const { rows: indexes } = await client.query<Definition>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [names],
  );
  for (const { name, table } of constraints.toReversed())
    await client.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await work();
  await client.query(`set local maintenance_work_mem = '${maintenanceMemory}'`);
  for (const { definition } of indexes) await client.query(definition);
  for (const { name, table, definition } of constraints)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  await client.query(forAll('enable trigger user'));
}

/** Memory of PostgreSQL while it creates an index. */
const maintenanceMemory = '256MB';

type Definition = { name: string; definition: string };

const relation = ({ name, columns }: Table): string =>
  `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;

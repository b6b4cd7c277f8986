/**
 * All rows of a database as PostgreSQL's COPY writes them (https://www.postgresql.org/docs/current/sql-copy.html, text format): out of
 * one snapshot, and into an empty database with today's tables. Knows neither files nor secrets.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { connectAtStart, type NamedDatabase } from '../database/start-connection.ts';
import { pluck } from '../pluck.ts';

/** `columns` without those that the database computes. */
export type Table = { name: string; columns: string[] };
export type TableDigest = { rows: number; sha256: string };
export type Sequences = Record<string, string | null>;

/** Not data: which migrations a database has had is what the tables are made of. */
const notCopied = 'schema_migrations';

/**
 * A connection whose texts do not depend on how the database or the role is set up, nor on where in a large table somebody else is
 * reading, and be it an index that has just been made. `transaction` begins with it. Throws a StartUpError where there is none to be had.
 */
export async function connectForCopy(database: NamedDatabase, transaction: string): Promise<pg.Client> {
  const client = await connectAtStart(database);
  await client.query(
    `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO, YMD';
     set intervalstyle = postgres; set bytea_output = hex; set extra_float_digits = 1; set synchronize_seqscans = off; ${transaction}`,
  );
  return client;
}

/** Those that others refer to come first. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers_to: string[] }>({
    text: `select c.relname as name,
             array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
             array(select f.relname::text from pg_constraint r join pg_class f on f.oid = r.confrelid
                   where r.conrelid = c.oid and r.contype = 'f' and f.oid <> c.oid) as refers_to
           from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> $1
           order by c.relname`,
    values: [notCopied],
  });
  const sorted: Table[] = [];
  let left = rows;
  while (left.length > 0) {
    const waiting = new Set(pluck(left, 'name'));
    const free = left.filter((table) => table.refers_to.every((name) => !waiting.has(name)));
    if (free.length === 0) throw new Error('tables refer to each other in a circle');
    sorted.push(...free.map(({ name, columns }) => ({ name, columns })));
    left = left.filter((table) => !free.includes(table));
  }
  return sorted;
}

export function copyOut(client: pg.Client, table: Table): Readable {
  return client.query(copyTo(`copy ${relation(table)} to stdout`));
}

export async function copyIn(
  client: pg.Client,
  table: Table,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  await pipeline(
    Readable.from(bytes, { objectMode: false }),
    client.query(copyFrom(`copy ${relation(table)} from stdin`)),
  );
}

/** Passes bytes on, and tells at the end how many rows they were. A row is a line; line ends in values are written `\n`. */
export async function* digesting(
  bytes: AsyncIterable<Uint8Array>,
  tell: (digest: TableDigest) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    for (let at = piece.indexOf(lineEnd); at !== -1; at = piece.indexOf(lineEnd, at + 1)) rows += 1;
    yield piece;
  }
  tell({ rows, sha256: hash.digest('hex') });
}
const lineEnd = 10;

export async function digestOf(client: pg.Client, table: Table): Promise<TableDigest> {
  let digest: TableDigest = { rows: 0, sha256: '' };
  for await (const _ of digesting(copyOut(client, table), (told) => (digest = told)));
  return digest;
}

export async function readSequences(client: pg.Client): Promise<Sequences> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    `select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export async function writeSequences(client: pg.Client, sequences: Sequences): Promise<void> {
  for (const [name, value] of Object.entries(sequences))
    if (value !== null)
      await client.query('select setval($1::regclass, $2::bigint)', [
        `public.${pg.escapeIdentifier(name)}`,
        value,
      ]);
}

/**
 * Empties tables, and lets their triggers rest while `work` fills them: what they keep up to date is among the rows. Foreign keys stay
 * watched. Indexes that are there for reading only are made anew afterwards, which takes half of the time. Inside a transaction, since it
 * holds the tables.
 */
export async function fillTables(
  client: pg.Client,
  tables: Table[],
  work: () => Promise<void>,
): Promise<void> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name));
  const triggers = (verb: string) =>
    names.map((name) => `alter table ${name} ${verb} trigger user`).join('; ');
  await client.query(triggers('disable'));
  await client.query(`truncate ${names.join(', ')}`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [names],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await work();
  // Foreign keys are looked at now; while they wait no table can be altered.
  await client.query('set constraints all immediate');
  for (const { definition } of indexes) await client.query(definition);
  await client.query(triggers('enable'));
}

function relation({ name, columns }: Table): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

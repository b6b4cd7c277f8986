/** The name space of an extension in the database: the tables `tickets` and `tickets_…` of the extension `tickets`. */
import type pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { guide } from '../extensions/guide.ts';
import { isOwn, readForeignObjects, tableName } from './foreign-objects.ts';

export async function readTablesOf(client: pg.Client, extension: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and ${isOwn('relname')} order by relname`,
    [tableName(extension)],
  );
  return rows.map(({ name }) => name);
}

/** Runs a migration. Throws if it creates, changes or deletes an object that does not belong to the extension. */
export async function applyWithinNameSpace(
  client: pg.Client,
  extension: string,
  migration: string,
): Promise<void> {
  await requireFreeName(client, extension);
  const before = await readForeignObjects(client, extension);
  await client.query(migration);
  const after = await readForeignObjects(client, extension);
  const changed = [...new Set([...before.keys(), ...after.keys()])].find(
    (one) => before.get(one) !== after.get(one),
  );
  if (changed === undefined) return;
  const name = tableName(extension);
  throw new Error(
    `it changes the ${changed}. An extension changes only its own tables, with their indexes, triggers, rules, policies and grants, and its own functions and types. Those of the extension ${extension} are named ${name} or begin with ${name}_`,
  );
}

/** Throws before the first migration of an extension if Vestibule has an object in its name space. */
async function requireFreeName(client: pg.Client, extension: string): Promise<void> {
  const { rows } = await client.query('select from schema_migrations where starts_with(name, $1)', [
    `${extension}/`,
  ]);
  if (rows.length > 0) return;
  const taken = await client.query<{ name: string }>(
    `select 'table ' || relname as name from pg_class where relnamespace = 'public'::regnamespace and ${isOwn('relname')}
     union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace and ${isOwn('proname')}
     union all select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace and ${isOwn('typname')}`,
    [tableName(extension)],
  );
  if (taken.rows[0])
    throw new Error(
      `the ${taken.rows[0].name} existed before the extension ${extension}. Give the extension another name`,
    );
}

/** Table of an extension whose records have files. */
export type TableWithFiles = { type: string; table: string };

/** Creates the trigger that deletes the files of deleted records. Throws a StartUpError if the table has no such records. */
export async function connectRecordFiles(
  client: pg.Client,
  extension: string,
  { type, table }: TableWithFiles,
): Promise<void> {
  const trigger = `files_of_${type}`;
  const { rows } = await client.query<{ isConnected: boolean; columns: number }>(
    `select exists (select from pg_trigger where tgrelid = to_regclass($1) and tgname = $2) as "isConnected",
       count(*)::int as columns
     from pg_attribute where attrelid = to_regclass($1) and attname in ('id', 'organization_id') and atttypid = 'uuid'::regtype`,
    [table, trigger],
  );
  if (rows[0]?.columns !== 2)
    throw new StartUpError(
      `The extension ${extension}: files on ${type} need a table ${table} with the columns id and organization_id of the type uuid. See ${guide}.`,
    );
  if (!rows[0].isConnected)
    await client.query(
      `create or replace trigger "${trigger}" after delete on ${table} referencing old table as gone_records
       for each statement execute function delete_files_of_records('${type}')`,
    );
}

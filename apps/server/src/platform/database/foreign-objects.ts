/** Digests of the objects in the database that do not belong to an extension. */
import type pg from 'pg';

export const tableName = (extension: string) => extension.replaceAll('-', '_');

/** Returns the SQL condition that `name` belongs to the extension in parameter `$1`. */
export const isOwn = (name: string) => `(${name} = $1 or starts_with(${name}, $1 || '_'))`;

/** Columns of pg_class that maintenance changes, such as vacuum and analyze. */
const maintained = `{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,relhasindex,relhasrules,relhastriggers,relhassubclass}`;

/** SQL condition: an object in a schema that is not PostgreSQL's, and not part of a PostgreSQL extension such as pg_trgm. */
const isOfSite = (catalog: string, schema: string) =>
  `${schema} in (select oid from schemas)
   and not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = ${catalog}.oid and deptype = 'e')`;

/** Catalogs whose rows belong to a relation, with the column that references it. */
const partsOfRelations = {
  pg_attribute: 'attrelid',
  pg_attrdef: 'adrelid',
  pg_constraint: 'conrelid',
  pg_index: 'indrelid',
  pg_inherits: 'inhparent',
  pg_policy: 'polrelid',
  pg_publication_rel: 'prrelid',
  pg_rewrite: 'ev_class',
  pg_statistic_ext: 'stxrelid',
};

/** Selects the rows of PostgreSQL's catalogs about objects that do not belong to the extension, by the object. */
const foreignRows = `
  with schemas as (
    select oid, nspname from pg_namespace where not starts_with(nspname, 'pg_') and nspname <> 'information_schema'),
  -- An index belongs to its table.
  relations as (
    select pg_class.oid, owner.relname as name, to_jsonb(pg_class) - '${maintained}'::text[] as definition
    from pg_class left join pg_index on indexrelid = pg_class.oid
      join pg_class owner on owner.oid = coalesce(indrelid, pg_class.oid)
    where ${isOfSite('pg_class', 'pg_class.relnamespace')}
      and not (owner.relnamespace = 'public'::regnamespace and ${isOwn('owner.relname')})),
  types as (
    select oid, typname as name, pg_type::text as definition from pg_type
    where typrelid = 0 and typelem = 0 and ${isOfSite('pg_type', 'typnamespace')}
      and not (typnamespace = 'public'::regnamespace and ${isOwn('typname')}))
  select 'table ' || name as object, definition::text from relations
  ${Object.entries(partsOfRelations)
    .map(
      ([catalog, column]) =>
        `union all select 'table ' || name, ${catalog}::text from ${catalog} join relations on relations.oid = ${column}`,
    )
    .join('\n')}
  -- A foreign key of the extension's table has internal triggers on the referenced table.
  union all select 'table ' || name, pg_trigger::text from pg_trigger join relations on relations.oid = tgrelid
    where not tgisinternal or tgconstrrelid in (select oid from relations)
  union all select 'type ' || name, definition from types
  union all select 'type ' || name, pg_enum::text from pg_enum join types on types.oid = enumtypid
  union all select 'type ' || name, pg_constraint::text from pg_constraint join types on types.oid = contypid
  union all select 'function ' || proname, pg_proc::text from pg_proc
    where ${isOfSite('pg_proc', 'pronamespace')}
      and not (pronamespace = 'public'::regnamespace and ${isOwn('proname')})
  union all select 'collation ' || collname, pg_collation::text from pg_collation
    where ${isOfSite('pg_collation', 'collnamespace')}
  union all select 'operator ' || oprname, pg_operator::text from pg_operator
    where ${isOfSite('pg_operator', 'oprnamespace')}
  union all select 'schema ' || nspname, pg_namespace::text from pg_namespace join schemas using (oid, nspname)
  union all select 'default privileges', pg_default_acl::text from pg_default_acl
  union all select 'event trigger ' || evtname, pg_event_trigger::text from pg_event_trigger`;

/** Returns digests of the definitions of all objects that do not belong to the extension, by names such as `table people`. */
export async function readForeignObjects(client: pg.Client, extension: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ object: string; digest: string }>(
    `select object, md5(string_agg(definition, ' ' order by definition collate "C")) as digest
     from (${foreignRows}) as foreign_rows group by object`,
    [tableName(extension)],
  );
  return new Map(rows.map(({ object, digest }) => [object, digest]));
}

/**
 * Rights of the application's role if it is not the owner: it reads and writes rows, and only inserts into append-only
 * tables. Migrations use the owner's role.
 */
import { parseDatabaseUrl } from '../config/database-url.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { describeError } from './database-unavailable.ts';
import { connectAtStart } from './start-connection.ts';

/** Append-only tables (security 49). */
const growingTables = ['audit_log', 'audit_chain', 'audit_seals', 'audit_archives'];
const schemas = ['public', 'jobs'];

/**
 * Makes functions with the rights of the owner find tables in the schema public first. With a search path that does not name pg_temp,
 * PostgreSQL searches it first: the application's role could replace a table by a temporary one whose triggers run as the owner.
 */
const searchTemporaryTablesLast = `do $$
  declare changed regprocedure;
  begin
    for changed in select oid from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace and pg_has_role(proowner, 'usage')
        and not exists (select from unnest(proconfig) setting where setting ~ '^search_path=.*pg_temp$') loop
      execute format('alter function %s set search_path = public, pg_temp', changed);
    end loop;
  end $$`;

/** Columns of the mail queue with parts of statements that the owner runs, who starts the queue too. */
const queueNames = ['name', 'policy', 'partition', 'table_name'];

/**
 * Grants the role of `applicationUrl` its rights on everything that `ownerUrl` owns. Does nothing if both are the same role. Returns a
 * warning if the role may create objects, which functions with the rights of the owner could call, and the owner cannot prevent it: a
 * database that was created by PostgreSQL 14 or earlier allows this to every role.
 */
export async function grantApplicationRights(
  ownerUrl: string,
  applicationUrl: string,
): Promise<string | null> {
  const role = roleOf(applicationUrl);
  if (role === roleOf(ownerUrl)) return null;
  const client = await connectAtStart({ url: ownerUrl, variable: 'DATABASE_OWNER_URL' });
  const name = client.escapeIdentifier(role);
  const all = schemas.join(', ');
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLocks.grants]);
    await client.query(`
      revoke create on schema public from public, ${name};
      grant usage on schema ${all} to ${name};
      grant select, insert, update, delete on all tables in schema ${all} to ${name};
      grant usage, select on all sequences in schema ${all} to ${name};
      grant execute on all functions in schema ${all} to ${name};
      revoke update, delete, truncate on ${growingTables.join(', ')} from ${name};
      revoke insert on audit_archives from ${name};
      revoke insert, update, delete on schema_migrations, jobs.queue, jobs.bam from ${name};
      grant update (status, started_on, completed_on, error) on jobs.bam to ${name}`);
    const { rows } = await client.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
       where attrelid = 'jobs.queue'::regclass and attnum > 0 and not attisdropped and attname <> all($1)`,
      [queueNames],
    );
    await client.query(`grant update (${rows[0]?.columns}) on jobs.queue to ${name}`);
    await client.query(searchTemporaryTablesLast);
    await client.query('commit');
    const created = await client.query<{ can: boolean }>(
      "select has_schema_privilege($1, 'public', 'create') as can",
      [role],
    );
    return created.rows[0]?.can
      ? `The role ${role} of DATABASE_URL can create objects in the schema public of the database ${client.database}. As a superuser, run there: revoke create on schema public from public, ${name}.`
      : null;
  } catch (cause) {
    throw new StartUpError(
      `The user ${client.user} of DATABASE_OWNER_URL cannot give ${role} its rights: ${describeError(cause)}. Make it the owner of the database and of everything in it: reassign owned by … to ${client.user}.`,
      { cause },
    );
  } finally {
    await client.end();
  }
}

/** Returns the role; a `user` query parameter overrides the user name. */
function roleOf(url: string): string {
  const { username, searchParams } = new URL(parseDatabaseUrl(url)?.url ?? url);
  return searchParams.get('user') || decodeURIComponent(username);
}

/**
 * Whether the databases that the configuration names fit: one database for both roles, and connections that stay themselves. Behind a
 * pooler in transaction mode a session's prepared statements, settings and LISTEN end up on connections of others.
 */
import { StartUpError } from '../config/start-up-error.ts';
import { connectAtStart, type NamedDatabase } from './start-connection.ts';

type Facts = { role: string; database: string; pid: number };

/** The first one is the application's; a second one its owner's. Throws a StartUpError that says what to correct. */
export async function checkDatabases(application: NamedDatabase, owner: NamedDatabase): Promise<void> {
  const ours = await look(application);
  if (owner.url === application.url) return;
  const theirs = await look(owner);
  if (ours.database !== theirs.database)
    throw new StartUpError(
      `${application.variable} and ${owner.variable} name different databases. The second one is the first one's database, as its owner.`,
    );
  if (ours.role === theirs.role)
    throw new StartUpError(
      `${application.variable} and ${owner.variable} name the same role, ${ours.role}. Give the application a role that owns nothing, or leave ${owner.variable} out.`,
    );
}

async function look(named: NamedDatabase): Promise<Facts> {
  const first = await connectAtStart(named);
  try {
    const facts = await ask(first);
    const second = await connectAtStart(named);
    try {
      await second.query('begin');
      // The first connection is still ours: in session mode nobody else is given what is behind it.
      if ((await ask(second)).pid === facts.pid)
        throw new StartUpError(
          `${named.variable} leads through a pooler in transaction mode, which Vestibule cannot work with: its prepared statements and notifications need connections that stay its own. Set pool_mode = session for this database (PgBouncer), or name PostgreSQL itself.`,
        );
    } finally {
      await second.end();
    }
    return facts;
  } finally {
    await first.end();
  }
}

async function ask(client: Awaited<ReturnType<typeof connectAtStart>>): Promise<Facts> {
  const { rows } = await client.query<Facts>(
    `select current_user as role, oid || ' ' || extract(epoch from pg_postmaster_start_time()) as database, pg_backend_pid() as pid
     from pg_database where datname = current_database()`,
  );
  return rows[0] as Facts;
}

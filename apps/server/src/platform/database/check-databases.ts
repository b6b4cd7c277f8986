/**
 * Checks the configured databases: both roles must use the same database, and each client must keep its server connection. Behind a pooler
 * in transaction mode, prepared statements, settings and LISTEN would affect connections of other clients.
 */
import type pg from 'pg';
import { StartUpError } from '../config/start-up-error.ts';
import { describeError } from './database-unavailable.ts';
import { connectAtStart, type NamedDatabase } from './start-connection.ts';

/**
 * Number of connections that are compared with the first one. In a pool with at most this many server connections, one
 * of them gets the server connection of the first.
 */
const connectionsPerRound = 5;
/** Number of rounds: in a larger or busy pool, a single round may not detect that connections are shared. */
const rounds = 5;

type Facts = { role: string; database: string; pid: number };

/** Checks the application's connection and the owner's. Throws a StartUpError that says what to correct. */
export async function checkDatabases(application: NamedDatabase, owner: NamedDatabase): Promise<void> {
  const applicationFacts = await readFacts(application);
  if (owner.url === application.url) return;
  const ownerFacts = await readFacts(owner);
  if (applicationFacts.database !== ownerFacts.database)
    throw new StartUpError(
      `${application.variable} and ${owner.variable} name different databases. The second must be the same database as the first, as its owner.`,
    );
  if (applicationFacts.role === ownerFacts.role)
    throw new StartUpError(
      `${application.variable} and ${owner.variable} name the same role, ${applicationFacts.role}. Give the application a role that owns nothing, or leave ${owner.variable} out.`,
    );
}

/**
 * Checks the replica, and returns a warning if it cannot be used: the server runs without it. A pooler in transaction mode is an error:
 * some statements would always fail there unnoticed, since the primary runs them instead.
 */
export async function checkReplica(replica: NamedDatabase): Promise<string | null> {
  try {
    await readFacts(replica);
    return null;
  } catch (error) {
    if (error instanceof SharedConnectionsError) throw error;
    return `the replica of ${replica.variable} cannot be used. ${describeError(error)}`;
  }
}

/**
 * Returns a warning if the database's LC_CTYPE is C or POSIX, null otherwise. pg_trgm then ignores letters outside ASCII, and without
 * another locale provider lower() does too.
 */
export async function findLocaleWarning(named: NamedDatabase): Promise<string | null> {
  const client = await connectAtStart(named);
  try {
    const { rows } = await client.query<{ database: string; ctype: string; isFolded: boolean }>(
      `select datname as database, datctype as ctype, lower('Ä') = 'ä' as "isFolded"
       from pg_database where datname = current_database()`,
    );
    const { database, ctype, isFolded } = rows[0] as (typeof rows)[number];
    if (ctype !== 'C' && ctype !== 'POSIX') return null;
    const caseEffect = isFolded ? '' : ' and treat Ä and ä as different letters';
    return `The database ${database} has the LC_CTYPE ${ctype}: searches for letters outside ASCII are slow${caseEffect}. Create the database with "encoding 'UTF8' locale 'C.UTF-8' template template0".`;
  } finally {
    await client.end();
  }
}

async function readFacts(named: NamedDatabase): Promise<Facts> {
  const clients: pg.Client[] = [];
  try {
    while (clients.length <= connectionsPerRound) clients.push(await connectAtStart(named));
    return await compareConnections(named, clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/**
 * Compares the server processes of several connections. In session mode, each connection keeps its server process. In
 * transaction mode, a further connection gets the process of the first one, or that of the first one changes.
 */
async function compareConnections(named: NamedDatabase, [first, ...rest]: pg.Client[]): Promise<Facts> {
  const facts = await readFactsOf(first as pg.Client);
  for (let round = 0; round < rounds; round += 1) {
    for (const client of rest) {
      await client.query('begin').catch((error: unknown) => {
        throw /statement pooling/.test(String(error))
          ? new SharedConnectionsError(named, 'statement')
          : error;
      });
      const isOwn =
        !isSame(await readFactsOf(client), facts) && isSame(await readFactsOf(first as pg.Client), facts);
      if (!isOwn) throw new SharedConnectionsError(named, 'transaction');
    }
    await Promise.all(rest.map((client) => client.query('rollback')));
  }
  return facts;
}

class SharedConnectionsError extends StartUpError {
  constructor({ variable }: NamedDatabase, mode: string) {
    super(
      `${variable} leads through a pooler in ${mode} mode, which Vestibule cannot work with: its prepared statements and notifications need connections that stay its own. Set pool_mode = session for this database (PgBouncer), or name PostgreSQL itself.`,
    );
  }
}

/** Compares the database too: of several servers behind one address, such as replicas, two processes may have the same id. */
const isSame = (one: Facts, other: Facts): boolean =>
  one.pid === other.pid && one.database === other.database;

async function readFactsOf(client: pg.Client): Promise<Facts> {
  const { rows } = await client.query<Facts>(
    `select current_user as role, oid || ' ' || extract(epoch from pg_postmaster_start_time()) as database, pg_backend_pid() as pid
     from pg_database where datname = current_database()`,
  );
  return rows[0] as Facts;
}

import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { installMailQueue } from '../platform/mail/mail-queue.ts';
import { grantApplicationRights } from '../platform/database/application-role.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { TestServer } from './database/test-database.ts';

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Three times what the tests use at once. */
const minimumBytesInMemory = 1024 ** 3;

/** Starts a PostgreSQL server for all tests and migrates the template database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(await findFastDirectory(), 'vestibule-test-'));
  // As root, PostgreSQL runs as another user, who must have access.
  await chmod(directory, 0o711);
  const externalUrl = process.env['TEST_POSTGRES_URL'];
  const run = randomUUID().slice(0, 8);
  const server =
    externalUrl === undefined
      ? await startEmbeddedPostgres({ dataDirectory: join(directory, 'postgres') }, { durable: false })
      : describeServer(externalUrl, run);
  const tearDown = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await migrate({ url: server.url, variable: 'DATABASE_URL' }, migrations);
    await installMailQueue(server.url);
    await grantApplicationRights(server.url, server.applicationUrl);
    await asAdministrator(server.administratorUrl, (client) =>
      // For test-database-reuse.ts.
      client.query('grant set on parameter session_replication_role to vestibule'),
    );
    if (externalUrl === undefined) await makeConnectingCheap(server);
  } catch (error) {
    await tearDown();
    throw error;
  }
  const { administratorUrl, url, applicationUrl } = server;
  const testServer: TestServer = { administratorUrl, url, applicationUrl, template: 'vestibule', run };
  project.provide('testServer', testServer);
  return tearDown;
}

/**
 * Returns Linux's directory in memory if it has room. Each test database has 800 files, and ext4 takes half a second of processor
 * time to create these shortly after those of other databases were deleted.
 */
async function findFastDirectory(): Promise<string> {
  const inMemory = '/dev/shm';
  const space = await statfs(inMemory).catch(() => null);
  return space && space.bavail * space.bsize > minimumBytesInMemory ? inMemory : tmpdir();
}

/** Sets the passwords again, with a single round of hashing. Tests open thousands of connections. */
async function makeConnectingCheap(
  server: Pick<TestServer, 'administratorUrl' | 'url' | 'applicationUrl'>,
): Promise<void> {
  await asAdministrator(server.administratorUrl, async (client) => {
    await client.query('set scram_iterations = 1');
    for (const url of [server.administratorUrl, server.url, server.applicationUrl]) {
      const { username, password } = new URL(url);
      await client.query(`alter role ${username} password ${client.escapeLiteral(password)}`);
    }
  });
}

async function asAdministrator(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Returns the URLs of a running server. The server must have the database vestibule, and the roles vestibule and vestibule_app with
 * the administrator's password.
 */
function describeServer(administratorUrl: string, run: string) {
  const as = (username: string) =>
    Object.assign(new URL(administratorUrl), { username, pathname: '/vestibule' }).href;
  return {
    administratorUrl,
    url: as('vestibule'),
    applicationUrl: as('vestibule_app'),
    stop: () => dropDatabases(administratorUrl, run),
  };
}

/** Drops the databases of this run that are still there: those that others were copied from, and idle ones. */
const dropDatabases = (administratorUrl: string, run: string) =>
  asAdministrator(administratorUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where strpos(datname, $1) > 0',
      [`_${run}_`],
    );
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  });

/**
 * `node tools/integration/pgbouncer.ts`: tests a site behind PgBouncer (apt-get install pgbouncer postgresql). Session mode has to
 * work: concurrent calls, events between processes, exports, a second process. In other modes the server has to refuse to start,
 * also while others use the pool, and leave nothing behind.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { checkDatabases } from '../../apps/server/src/platform/database/check-databases.ts';
import { findFreePorts, type Environment } from '../../e2e/fixtures/start-server.ts';
import { answers, run, startProgram } from './run-program.ts';
import { databasePassword, startSystemPostgres } from './services/system-postgres.ts';
import {
  createCaller,
  withTemporaryDirectory,
  startProvider,
  readStartError,
  report,
  startServer,
} from './fixture.ts';

const callsAtOnce = 60;
const people = 20_000;
/** Pool size from docs/run-it.md, for two processes with 18 connections each. */
const poolSize = 40;

type Pool = { mode: 'session' | 'transaction' | 'statement'; size: number; more?: string[] };

const sharedPools: Pool[] = [
  { mode: 'transaction', size: 1 },
  { mode: 'transaction', size: 2, more: ['server_round_robin = 1'] },
  { mode: 'transaction', size: 20 },
  { mode: 'transaction', size: 20, more: ['server_round_robin = 1'] },
  { mode: 'statement', size: 20 },
];
/** Numbers of other clients of the pool, and the duration of their statements in seconds. */
const poolUsers = [
  [0, 0],
  [1, 0],
  [5, 0.001],
  [60, 0.01],
] as const;
const attempts = 10;

/** Starts PgBouncer for a database. `url` converts a database URL to one through PgBouncer. */
async function startPgbouncer(directory: string, database: string, { mode, size, more = [] }: Pool) {
  const { web: port } = await findFreePorts();
  const { port: behind } = new URL(database);
  const users = path.join(directory, 'users.txt');
  writeFileSync(users, `"vestibule" "${databasePassword}"\n"vestibule_app" "${databasePassword}"\n`);
  const file = path.join(directory, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `vestibule = host=127.0.0.1 port=${behind}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
    ...more,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  run('chown', ['postgres', users, file]);
  const program = await startProgram('pgbouncer', ['--user=postgres', file], () => answers(port));
  return { program, url: (url: string) => Object.assign(new URL(url), { port: String(port) }).href };
}

async function readUntil(
  body: ReadableStream<Uint8Array>,
  isEnough: (text: string) => boolean,
): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body) if (isEnough((text += decoder.decode(part, { stream: true })))) return;
  throw new Error(`The stream ended:\n${text}`);
}

async function testSessionMode(databases: Environment, owner: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { token, environment } = await startProvider(cleanup);
  const env = { ...environment, ...databases };
  const servers = [await startServer(cleanup, { env })];
  await servers[0]?.ready();
  servers.push(await startServer(cleanup, { env }));
  await servers[1]?.ready();
  report('session mode: two processes start');

  const callServer = createCaller(token);
  const call = (index: number, method: string, at: string, body?: unknown) =>
    callServer(servers[index % 2], method, at, body);
  assert.equal((await call(0, 'GET', '/api/users/me')).status, 200);

  for (let round = 0; round < 5; round += 1) {
    const statuses = await Promise.all(
      Array.from({ length: callsAtOnce }, async (_, index) => {
        const answer = await (index % 3 === 0
          ? call(index, 'POST', '/api/invitations', { email: `invited.${round}.${index}@example.com` })
          : call(index, 'GET', index % 3 === 1 ? '/api/people' : '/api/invitations'));
        return { status: answer.status, text: await answer.text() };
      }),
    );
    for (const { status, text } of statuses) assert.equal(status, 200, text);
  }
  report(`${5 * callsAtOnce} calls, ${callsAtOnce} at once, at both: all returned 200`);

  const events = await call(0, 'GET', '/api/events');
  assert.ok(events.body);
  const received = readUntil(events.body, (text) => text.includes('invitations'));
  assert.equal((await call(1, 'POST', '/api/invitations', { email: 'new@example.com' })).status, 200);
  await received;
  report('events of one process reach clients of the other');

  run('psql', [
    owner,
    '--command',
    `insert into people (id, email, email_canonical, display_name, role, status, invited_by, ways, joined_at)
     select gen_random_uuid(), n || '@example.com', n || '@example.com', 'Person', 'member', 'active', 'admin@example.com', 'b2c', now()
     from generate_series(1, ${people}) n`,
  ]);
  const exported = await call(0, 'POST', '/api/people/export', {
    columns: ['email', 'status'],
    sort: 'email',
  });
  assert.equal(exported.status, 200);
  const rows = (await exported.text()).trim().split('\n').length - 1;
  assert.equal(rows, people + 1);
  report(`an export has all ${rows} rows`);
}

/** Runs statements of `seconds` on `count` connections. Returns a function that stops them. */
function usePool(url: string, count: number, seconds: number) {
  const use = { isOver: false };
  const all = Array.from({ length: count }, async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    while (!use.isOver) await client.query(`select pg_sleep(${seconds})`);
    await client.end();
  });
  return async () => {
    use.isOver = true;
    await Promise.all(all);
  };
}

/** Checks that the mode is detected in every attempt while others use the pool. Returns the number of attempts. */
async function testDetection(owner: string, url: string): Promise<number> {
  let looks = 0;
  for (const [count, seconds] of poolUsers) {
    const end = usePool(url, count, seconds);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      await assert.rejects(
        checkDatabases({ url, variable: 'DATABASE_URL' }, { url: owner, variable: 'DATABASE_OWNER_URL' }),
        /DATABASE_URL leads through a pooler in (?:transaction|statement) mode/,
      );
      looks += 1;
    }
    await end();
  }
  return looks;
}

async function testPgbouncer(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { web: port } = await findFreePorts();
  const postgres = await startSystemPostgres(directory, port);
  cleanup.defer(() => postgres.program.end('SIGINT'));
  const { owner } = postgres;
  run('psql', [owner, '--command', `create role vestibule_app login password '${databasePassword}'`]);
  const application = owner.replace('vestibule:', 'vestibule_app:');
  report(`PostgreSQL ${postgres.version}, ${run('pgbouncer', ['--version']).split('\n')[0]}`);

  for (const pool of sharedPools) {
    const pgbouncer = await startPgbouncer(directory, owner, pool);
    try {
      const behind = { DATABASE_URL: pgbouncer.url(application), DATABASE_OWNER_URL: pgbouncer.url(owner) };
      for (const databases of [
        behind,
        { ...behind, DATABASE_URL: application },
        { DATABASE_URL: pgbouncer.url(owner) },
        { DATABASE_URL: owner, DATABASE_READ_URL: pgbouncer.url(application) },
      ]) {
        const message = await readStartError(databases);
        assert.match(message, /^DATABASE_(?:OWNER_|READ_)?URL leads through a pooler/);
        report(`${pool.mode} mode, ${pool.size} connections: ${message}`);
      }
      const looks = await testDetection(owner, behind.DATABASE_URL);
      report(`detected in ${looks} of ${looks} attempts while others use the pool`);
    } finally {
      await pgbouncer.program.end('SIGINT');
    }
  }

  const smallPool = await startPgbouncer(directory, owner, { mode: 'session', size: 3 });
  const startError = await readStartError({ DATABASE_URL: smallPool.url(owner) });
  assert.match(startError, /more connections \(default_pool_size/);
  report(`session mode, 3 connections: ${startError}`);
  await smallPool.program.end('SIGINT');

  const pgbouncer = await startPgbouncer(directory, owner, { mode: 'session', size: poolSize });
  cleanup.defer(() => pgbouncer.program.end('SIGINT'));
  await testSessionMode(
    { DATABASE_URL: pgbouncer.url(application), DATABASE_OWNER_URL: pgbouncer.url(owner) },
    owner,
  );
  await using direct = new AsyncDisposableStack();
  const { environment } = await startProvider(direct);
  const env = { ...environment, DATABASE_URL: application, DATABASE_OWNER_URL: owner };
  await (await startServer(direct, { env })).ready();
  report('the site starts without PgBouncer');
}

await withTemporaryDirectory('pgbouncer', testPgbouncer);

/**
 * `node tools/integration/pgbouncer.ts`: tests a site behind PgBouncer (apt-get install pgbouncer postgresql). Session mode has to
 * work: concurrent calls, events between processes, exports. In other modes the server has to refuse to start.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../bench/harness/process.ts';
import { findFreePorts, type Environment } from '../../packages/testing/src/start-server.ts';
import { answers, readStartError, report, run, runTest, startProvider, startServer } from './fixture.ts';
import { databasePassword, startSystemPostgres, type SystemPostgres } from './system-postgres.ts';

const callsAtOnce = 60;
const people = 20_000;
/** Pool size from docs/run-it.md, for two processes with 18 connections each. */
const poolSize = 40;

type Mode = 'session' | 'transaction' | 'statement';

/** Starts PgBouncer, which `cleanup` stops. Returns the URLs of the database through PgBouncer. */
async function startPgbouncer(
  cleanup: AsyncDisposableStack,
  directory: string,
  postgres: SystemPostgres,
  mode: Mode,
  size: number,
): Promise<{ owner: string; application: string }> {
  const { web: port } = await findFreePorts();
  const users = path.join(directory, 'users.txt');
  writeFileSync(users, `"vestibule" "${databasePassword}"\n"vestibule_app" "${databasePassword}"\n`);
  const file = path.join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
vestibule = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${size}
`,
  );
  run('chown', ['postgres', users, file]);
  const pgbouncer = await startChild('pgbouncer', ['--user=postgres', file], () => answers(port));
  cleanup.defer(async () => void (await pgbouncer.stop('SIGTERM')));
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  return { owner: through(postgres.owner), application: through(postgres.application) };
}

await runTest(async (directory, cleanup) => {
  const postgres = await startSystemPostgres(cleanup, directory, (await findFreePorts()).web);
  for (const mode of ['transaction', 'statement'] as const) {
    await using pool = new AsyncDisposableStack();
    const { owner, application } = await startPgbouncer(pool, directory, postgres, mode, 20);
    for (const databases of [
      { DATABASE_URL: application, DATABASE_OWNER_URL: owner },
      { DATABASE_URL: postgres.application, DATABASE_OWNER_URL: owner },
      { DATABASE_URL: owner },
      { DATABASE_URL: postgres.owner, DATABASE_READ_URL: application },
    ] as Environment[])
      assert.match(await readStartError(databases), /^DATABASE_(?:OWNER_|READ_)?URL leads through a pooler/);
    report(`${mode} mode: refused at the start`);
  }
  {
    await using pool = new AsyncDisposableStack();
    const { owner } = await startPgbouncer(pool, directory, postgres, 'session', 3);
    assert.match(await readStartError({ DATABASE_URL: owner }), /more connections \(default_pool_size/);
    report('session mode with 3 connections: refused at the start');
  }
  const { owner, application } = await startPgbouncer(cleanup, directory, postgres, 'session', poolSize);
  await testSessionMode(cleanup, { DATABASE_URL: application, DATABASE_OWNER_URL: owner }, postgres.owner);
});

async function testSessionMode(
  cleanup: AsyncDisposableStack,
  databases: Environment,
  owner: string,
): Promise<void> {
  const { environment, call } = await startProvider(cleanup);
  const env = { ...environment, ...databases };
  const ports = [
    (await startServer(cleanup, { env })).ports.web,
    (await startServer(cleanup, { env })).ports.web,
  ];
  const [first = 0, second = 0] = ports;
  report('session mode: two processes start');
  assert.equal((await call(first, 'GET', '/api/users/me')).status, 200);

  for (let round = 0; round < 5; round += 1) {
    const statuses = await Promise.all(
      Array.from({ length: callsAtOnce }, async (_, index) => {
        const port = index % 2 === 0 ? first : second;
        const answer = await (index % 3 === 0
          ? call(port, 'POST', '/api/invitations', { email: `invited.${round}.${index}@example.com` })
          : call(port, 'GET', index % 3 === 1 ? '/api/people' : '/api/invitations'));
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    assert.ok(
      statuses.every((status) => status === 200),
      statuses.join(),
    );
  }
  report(`${5 * callsAtOnce} calls, ${callsAtOnce} at once, at both: all returned 200`);

  const events = await call(first, 'GET', '/api/events');
  assert.ok(events.body);
  const received = readUntil(events.body, 'invitations');
  assert.equal((await call(second, 'POST', '/api/invitations', { email: 'new@example.com' })).status, 200);
  await received;
  report('events of one process reach clients of the other');

  run('psql', [
    owner,
    '--command',
    `insert into people (id, email, email_canonical, display_name, role, status, invited_by, ways, joined_at)
     select gen_random_uuid(), n || '@example.com', n || '@example.com', 'Person', 'member', 'active', 'admin@example.com', 'b2c', now()
     from generate_series(1, ${people}) n`,
  ]);
  const exported = await call(first, 'POST', '/api/people/export', { columns: ['email'], sort: 'email' });
  assert.equal((await exported.text()).trim().split('\n').length, people + 2);
  report('an export has all rows');
}

async function readUntil(body: ReadableStream<Uint8Array>, expected: string): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body)
    if ((text += decoder.decode(part, { stream: true })).includes(expected)) return;
  throw new Error(`The stream ended:\n${text}`);
}

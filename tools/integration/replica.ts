/**
 * `node tools/integration/replica.ts`: tests a site that reads lists from a streaming replica (apt-get install postgresql). Every
 * invitation has to be in the list right after it was created: also while replay is paused, the replica is stopped, after its
 * restart and after its promotion.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { run } from './run-program.ts';
import {
  databasePassword,
  serve,
  startSystemPostgres,
  type SystemPostgres,
} from './services/system-postgres.ts';
import { createCaller, withTemporaryDirectory, startProvider, report, startServer } from './fixture.ts';

const rounds = 40;
const minTransactions = 10;

/** Creates a streaming replica of a server; `start` starts it, `query` queries it. */
function makeReplica(primary: SystemPostgres, port: number, data: string) {
  const { bin } = primary;
  const connection = `host=127.0.0.1 port=${primary.port} user=vestibule password=${databasePassword}`;
  run('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  run('runuser', [
    '-u',
    'postgres',
    '--',
    path.join(bin, 'pg_basebackup'),
    `--pgdata=${data}`,
    '--write-recovery-conf',
    '--wal-method=stream',
    // Without this, the checkpoint is spread over minutes.
    '--checkpoint=fast',
    `--dbname=${connection}`,
  ]);
  const url = primary.owner.replace(`:${primary.port}/`, `:${port}/`);
  const query = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  return { url, start: () => serve({ bin, data, port }), query };
}

async function startSiteOn(cleanup: AsyncDisposableStack, databases: Record<string, string>) {
  const { token, environment } = await startProvider(cleanup);
  const server = await startServer(cleanup, { env: { ...environment, ...databases } });
  await server.ready();
  const callServer = createCaller(token);
  const call = async (method: string, at: string, body?: unknown) => {
    const answer = await callServer(server, method, at, body);
    assert.equal(answer.status, 200, `${method} ${at}`);
    return (await answer.json()) as { rows: { email: string }[] };
  };
  await call('GET', '/api/users/me');
  return { server, call };
}

async function testReplica(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { web: primaryPort, smtp: replicaPort } = await findFreePorts();
  const primary = await startSystemPostgres(directory, primaryPort);
  cleanup.defer(() => primary.program.end('SIGINT'));
  const made = makeReplica(primary, replicaPort, path.join(directory, 'replica'));
  let replica = await made.start();
  cleanup.defer(() => replica.end('SIGINT'));
  const { server, call } = await startSiteOn(cleanup, {
    DATABASE_URL: primary.owner,
    DATABASE_READ_URL: made.url,
  });

  const transactions = async (): Promise<number> => {
    // PostgreSQL updates these statistics once a second, and the rest after ten idle seconds.
    await delay(11_000);
    const [row] = await made.query<{ count: string }>(
      `select xact_commit + xact_rollback as count from pg_stat_database where datname = 'vestibule'`,
    );
    return Number(row?.count);
  };
  let invited = 0;
  /** Invites people and checks that each is in the next list. Returns the slowest list in ms. */
  async function work(): Promise<number> {
    let longest = 0;
    for (let round = 0; round < rounds; round += 1) {
      const email = `invited.${(invited += 1)}@example.com`;
      await call('POST', '/api/invitations', { email });
      const startedAt = performance.now();
      const { rows } = await call('GET', '/api/invitations?limit=5');
      longest = Math.max(longest, performance.now() - startedAt);
      assert.equal(rows[0]?.email, email);
    }
    return Math.round(longest);
  }

  let before = await transactions();
  const fine = await work();
  const read = (await transactions()) - before;
  assert.ok(read >= rounds, `the replica answered ${read} of ${rounds} lists`);
  report(`caught up: ${rounds} lists, each up to date, from the replica; ${fine} ms at most`);

  await made.query('select pg_wal_replay_pause()');
  const behind = await work();
  assert.match(server.output(), /is behind/);
  report(`replay paused: the same, from the primary; ${behind} ms at most`);
  await made.query('select pg_wal_replay_resume()');
  await delay(1_500);
  await work();
  assert.match(server.output(), /from the replica of DATABASE_READ_URL again/);
  report('replay resumed: lists are read from the replica again');

  await replica.end('SIGKILL');
  const away = await work();
  assert.match(server.output(), /does not answer/);
  report(`killed: lists are read from the primary; ${away} ms at most`);
  replica = await made.start();
  await delay(10_500);
  before = await transactions();
  await work();
  assert.ok((await transactions()) - before >= minTransactions);
  report('restarted: lists are read from the replica again within ten seconds');

  await made.query('select pg_promote()');
  await work();
  assert.match(server.output(), /is no replica[^]*is no replica/);
  report('promoted: detected, lists are read from the primary');
}

await withTemporaryDirectory('replica', testReplica);

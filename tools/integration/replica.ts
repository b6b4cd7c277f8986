/**
 * `node tools/integration/replica.ts`: tests a site that reads lists from a streaming replica (apt-get install postgresql). Every
 * invitation has to be in the list right after it was created: while the replica is up to date, while replay is paused, while the
 * replica is stopped, after its restart and after its promotion.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findFreePorts } from '../../packages/testing/src/start-server.ts';
import { report, run, runTest, startProvider, startServer } from './fixture.ts';
import { databasePassword, startPostgres, startSystemPostgres } from './system-postgres.ts';

const rounds = 40;
const minTransactions = 10;

await runTest(async (directory, cleanup) => {
  const { web: primaryPort, smtp: replicaPort } = await findFreePorts();
  const { bin, owner } = await startSystemPostgres(cleanup, directory, primaryPort);
  const data = path.join(directory, 'replica');
  run('install', ['-d', '-o', 'postgres', '-m', '700', data]);
  run('runuser', [
    ...`-u postgres -- ${bin}/pg_basebackup --pgdata=${data} --write-recovery-conf --wal-method=stream`.split(
      ' ',
    ),
    // Otherwise the checkpoint is spread over minutes.
    '--checkpoint=fast',
    `--dbname=host=127.0.0.1 port=${primaryPort} user=vestibule password=${databasePassword}`,
  ]);
  const replicaUrl = owner.replace(`:${primaryPort}/`, `:${replicaPort}/`);
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: replicaUrl });
    await client.connect();
    try {
      return (await client.query<{ count: string }>(text)).rows[0]?.count;
    } finally {
      await client.end();
    }
  };
  let replica = await startPostgres(bin, data, replicaPort);
  cleanup.defer(async () => void (await replica.stop()));
  const { environment, call } = await startProvider(cleanup);
  const server = await startServer(cleanup, {
    env: { ...environment, DATABASE_URL: owner, DATABASE_READ_URL: replicaUrl },
  });
  await call(server.ports.web, 'GET', '/api/users/me');

  const transactions = async (): Promise<number> => {
    // A PostgreSQL process reports its transactions at most once a second, and the last ones after ten idle seconds.
    await delay(11_000);
    const count = `select xact_commit + xact_rollback as count from pg_stat_database where datname = 'vestibule'`;
    return Number(await query(count));
  };
  let invited = 0;
  /** Invites people and checks that each is in the next list. */
  async function work(): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const email = `invited.${(invited += 1)}@example.com`;
      assert.equal((await call(server.ports.web, 'POST', '/api/invitations', { email })).status, 200);
      const response = await call(server.ports.web, 'GET', '/api/invitations?limit=5');
      const { rows } = (await response.json()) as { rows: { email: string }[] };
      assert.equal(rows[0]?.email, email);
    }
  }

  let before = await transactions();
  await work();
  const read = (await transactions()) - before;
  assert.ok(read >= rounds, `the replica answered ${read} of ${rounds} lists`);
  report(`caught up: ${rounds} lists from the replica, each up to date`);

  await query('select pg_wal_replay_pause()');
  await work();
  assert.match(server.output(), /is behind/);
  await query('select pg_wal_replay_resume()');
  await delay(1_500);
  await work();
  assert.match(server.output(), /from the replica of DATABASE_READ_URL again/);
  report('replay paused: the same from the primary; resumed: from the replica again');

  await replica.stop('SIGKILL');
  await work();
  assert.match(server.output(), /cannot be used/);
  replica = await startPostgres(bin, data, replicaPort);
  await delay(10_500);
  before = await transactions();
  await work();
  assert.ok((await transactions()) - before >= minTransactions);
  report('killed: lists are read from the primary; restarted: from the replica again within ten seconds');

  await query('select pg_promote()');
  await work();
  assert.match(server.output(), /is no replica[^]*is no replica/);
  report('promoted: detected, lists are read from the primary');
});

/**
 * `node tools/integration/failover.ts [SCENARIO…] [--haproxy | --hosts]`: tests a site on a PostgreSQL cluster under Patroni with a
 * synchronous standby (apt-get install patroni etcd-server haproxy postgresql iptables; needs root), with a URL with several hosts and through HAProxy.
 * In each scenario the cluster fails over while users are invited, sign in, upload and export. No acknowledged change may be lost, no
 * request may wait longer than its time limit, and the server may not restart.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../../bench/harness/process.ts';
import {
  findFreePorts,
  type Environment,
  type ServerProcess,
} from '../../packages/testing/src/start-server.ts';
import { requestLimitMs, startLoad } from './failover-load.ts';
import { answers, report, run, runTest, startProvider, startServer } from './fixture.ts';
import { startCluster, type Cluster, type Node } from './patroni.ts';

const warmUpMs = 3_000;
const pauseMs = 30_000;
/** Longer than Patroni's ttl. */
const outageMs = 30_000;
const exportLimitMs = 70_000;

type Roles = { leader: Node; standby: Node };
/** Causes a failover. Returns a function that repairs the node. */
type Scenario = (cluster: Cluster, roles: Roles) => Promise<() => unknown>;

const scenarios: Record<string, Scenario> = {
  'leader killed': async (cluster, { leader }) => {
    await cluster.kill(leader);
    return () => cluster.start(leader);
  },
  switchover: async (cluster, { leader }) => {
    await cluster.switchOver(leader);
    return () => {};
  },
  'network cut': (cluster, { leader }) => Promise.resolve(cluster.cutNetwork(leader, 'all')),
  // It still accepts changes, which no standby confirms.
  isolated: (cluster, { leader }) => Promise.resolve(cluster.cutNetwork(leader, 'cluster')),
  paused: async (cluster, { leader }) => {
    const resume = cluster.pause(leader);
    await delay(pauseMs);
    return resume;
  },
  'disk full': (cluster, { leader }) => Promise.resolve(cluster.fillDisk(leader)),
};

const parameters = process.argv.slice(2);
const named = parameters.filter((one) => !one.startsWith('--'));
const access = ['--hosts', '--haproxy'].filter(
  (one) => parameters.includes(one) || !parameters.some((other) => other.startsWith('--')),
);

/** Starts HAProxy, which checks Patroni's REST API. Returns its URL of the database. */
async function startHaproxy(
  cleanup: AsyncDisposableStack,
  directory: string,
  cluster: Cluster,
): Promise<string> {
  const { web: port } = await findFreePorts();
  const file = path.join(directory, 'haproxy.cfg');
  const servers = cluster.nodes.map(
    ({ name, address, port: postgresPort, restPort }) =>
      `  server ${name} ${address}:${postgresPort} check port ${restPort}`,
  );
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  const haproxy = await startChild('haproxy', ['-db', '-f', file], () => answers(port));
  cleanup.defer(async () => void (await haproxy.stop('SIGTERM')));
  return Object.assign(new URL(cluster.urlOf(cluster.nodes[0] as Node)), { host: `127.0.0.1:${port}` }).href;
}

function urlWithHosts(cluster: Cluster): string {
  const hosts = cluster.nodes.map(({ address, port }) => `${address}:${port}`).join();
  const [first] = cluster.nodes as [Node];
  return `${cluster.urlOf(first).replace(`${first.address}:${first.port}`, hosts)}?target_session_attrs=read-write`;
}

const table: Record<string, Record<string, number>> = {};
const problems: string[] = [];

type Site = {
  provider: Awaited<ReturnType<typeof startProvider>>;
  server: ServerProcess;
  environment: Environment;
};

async function testStart(environment: Environment): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startServer(cleanup, { env: environment });
  assert.match(server.output(), /Waiting up to a minute/);
}

async function runScenario(
  name: string,
  cluster: Cluster,
  { provider, server, environment }: Site,
): Promise<void> {
  const roles = await cluster.healthy();
  const load = await startLoad(provider, server.ports.web);
  await delay(warmUpMs);
  const causedAt = performance.now();
  const repair = await (scenarios[name.split(': ')[1] ?? ''] as Scenario)(cluster, roles);
  try {
    // A process that starts during the outage waits for it.
    if (name.includes('killed')) await testStart(environment);
    await delay(Math.max(0, outageMs - (performance.now() - causedAt)));
  } finally {
    await repair();
  }
  const repairedAt = performance.now();
  const { leader } = await cluster.healthy();
  await delay(warmUpMs);
  await load.stop();
  const lost = await load.findLost(cluster.urlOf(leader));
  const { invitations, people, uploads, counts, slowest, unexpected, longestGapMs } = load.record;
  table[name] = {
    'seconds without writes': round(longestGapMs),
    invitations: invitations.size,
    people: people.size,
    uploads: uploads.size,
    lost: lost.length,
    unavailable: counts.unavailable,
    'not ready': counts.notReady,
    'other errors': unexpected.length,
    'slowest request, s': round(slowest.request),
    exports: counts.exports,
    'exports failed': counts.exportsFailed,
    'slowest export, s': round(slowest.export),
  };
  problems.push(
    ...[...lost.slice(0, 5), ...unexpected.slice(0, 10)].map((one) => `${name}: ${one}`),
    ...(slowest.request > requestLimitMs ? [`${name}: a request took ${round(slowest.request)} s`] : []),
    ...(slowest.export > exportLimitMs ? [`${name}: an export took ${round(slowest.export)} s`] : []),
    ...(load.record.lastEventAt > repairedAt ? [] : [`${name}: no events after the failover`]),
    ...(counts.unhealthy > 0 ? [`${name}: /healthz failed`] : []),
    ...(server.child.exitCode === null ? [] : [`${name}: the server ended`]),
  );
  console.table(table);
}

const round = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

await runTest(async (directory, cleanup) => {
  const cluster = await startCluster(cleanup, directory);
  const { leader } = await cluster.healthy();
  run('psql', [cluster.urlOf(leader).replace(/\w+$/, 'postgres'), '--command=create database vestibule']);
  report('the cluster is ready');
  // One provider for all runs: the administrator in the database has its issuer.
  const provider = await startProvider(cleanup);
  for (const kind of access) {
    await using running = new AsyncDisposableStack();
    const url = kind === '--hosts' ? urlWithHosts(cluster) : await startHaproxy(running, directory, cluster);
    const environment = {
      ...provider.environment,
      DATABASE_URL: url,
      WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
    };
    const server = await startServer(running, { env: environment });
    await provider.call(server.ports.web, 'GET', '/api/users/me');
    for (const scenario of named.length > 0 ? named : Object.keys(scenarios)) {
      const name = `${kind.slice(2)}: ${scenario}`;
      report(name);
      await runScenario(name, cluster, { provider, server, environment });
    }
  }
  for (const problem of problems) console.error(problem);
  assert.equal(problems.length, 0);
});

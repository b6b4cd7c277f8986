/**
 * PostgreSQL cluster of two nodes under Patroni, with etcd (apt-get install patroni etcd-server postgresql iptables), as in production, but on
 * addresses of the loopback interface. Needs root: PostgreSQL runs as the user postgres, iptables cuts the network of a node, and a tmpfs
 * limits its disk.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild, type Child } from '../../bench/harness/process.ts';
import { findFreePorts } from '../../packages/testing/src/start-server.ts';
import { run } from './fixture.ts';
import { databasePassword, findSystemPostgres } from './system-postgres.ts';

const user = 'postgres';
const runAsUser = `--reuid=${user} --regid=${user} --init-groups`.split(' ');
/** Patroni's default is 30 s; 20 is the minimum. */
const ttlSeconds = 20;
const diskMegabytes = 1_000;
const healthyTimeoutMs = 120_000;
/** Patroni 3.0.2 sometimes starts a former leader whose log continues after that of its successor without rewinding it. */
const reinitializeAfterMs = 45_000;

export type Node = {
  name: string;
  /** Address of PostgreSQL and of Patroni's REST API. */
  address: string;
  /** Address of etcd that only this node uses. */
  etcdAddress: string;
  directory: string;
  port: number;
  restPort: number;
  patroni?: Child;
};

export type Cluster = {
  nodes: Node[];
  /** Returns the nodes by role, once both are up and the standby is synchronous. */
  healthy(): Promise<{ leader: Node; standby: Node }>;
  urlOf(node: Node): string;
  start(node: Node): Promise<void>;
  /** Kills Patroni and PostgreSQL, as a loss of power does. */
  kill(node: Node): Promise<void>;
  switchOver(leader: Node): Promise<void>;
  /**
   * Drops all packets from and to the node, or only those of etcd and the other node, so that clients still reach it. Returns a function
   * that ends this.
   */
  cutNetwork(node: Node, from: 'all' | 'cluster'): () => void;
  pause(node: Node): () => void;
  fillDisk(node: Node): () => void;
};

export async function startCluster(cleanup: AsyncDisposableStack, directory: string): Promise<Cluster> {
  const bin = findSystemPostgres();
  const { web: etcdPort, provider: peerPort, smtp: port, mailbox: restPort } = await findFreePorts();
  const nodes = [1, 2].map((number): Node => {
    const name = `node${number}`;
    const addresses = { address: `127.0.41.${number}`, etcdAddress: `127.0.41.${10 + number}` };
    return { name, ...addresses, directory: path.join(directory, name), port, restPort };
  });
  await startEtcd(cleanup, directory, etcdPort, peerPort, nodes);
  for (const node of nodes) {
    run('install', ['-d', '-o', user, '-m', '700', node.directory]);
    run('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${diskMegabytes}m,uid=${user},mode=700`,
      'tmpfs',
      node.directory,
    ]);
    cleanup.defer(() => void run('umount', ['--lazy', node.directory]));
    writeFileSync(path.join(directory, `${node.name}.yml`), configurationOf(node, bin, etcdPort));
  }
  async function start(node: Node): Promise<void> {
    const isRunning = (output: string) => /I am \(|no action/.test(output);
    const file = path.join(directory, `${node.name}.yml`);
    // Patroni changes into its working directory again, and its user may not enter that of the trial.
    node.patroni = await startChild('setpriv', [...runAsUser, '/usr/bin/patroni', file], isRunning, {
      cwd: '/',
    });
  }
  cleanup.defer(async () => {
    for (const node of nodes) await kill(node);
  });
  for (const node of nodes) await start(node);
  const urlOf = (node: Node) =>
    `postgres://vestibule:${databasePassword}@${node.address}:${node.port}/vestibule`;
  const cluster = { nodes, urlOf, start, kill, switchOver, cutNetwork, pause, fillDisk };
  return { ...cluster, healthy: () => waitUntilHealthy(nodes) };
}

async function startEtcd(
  cleanup: AsyncDisposableStack,
  directory: string,
  port: number,
  peerPort: number,
  nodes: Node[],
): Promise<void> {
  const clients = ['127.0.0.1', ...nodes.map(({ etcdAddress }) => etcdAddress)];
  const urls = clients.map((address) => `http://${address}:${port}`).join();
  const peer = `http://127.0.0.1:${peerPort}`;
  const data = path.join(directory, 'etcd');
  run('install', ['-d', '-o', user, '-m', '700', data]);
  const etcd = await startChild(
    'setpriv',
    [
      ...runAsUser,
      'etcd',
      `--data-dir=${data}`,
      `--listen-client-urls=${urls}`,
      // Patroni uses only the address in its configuration, so that a cut of the network affects one node.
      `--advertise-client-urls=http://127.0.0.1:${port}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      ...(usesOldApi() ? ['--enable-v2'] : []),
    ],
    (output) => output.includes('ready to serve client requests'),
  );
  cleanup.defer(async () => void (await etcd.stop('SIGTERM')));
}

/**
 * Before Patroni 3.1, a leader that continues after a pause overwrites the key of its successor through version 3 of etcd's API, and the
 * changes that the successor acknowledged are lost (github.com/patroni/patroni/pull/2689). Version 2 of the API compares the key.
 */
function usesOldApi(): boolean {
  const [version = ''] = run('patroni', ['--version']).match(/[\d.]+/) ?? [];
  return version.localeCompare('3.1.0', 'en', { numeric: true }) < 0;
}

/** Patroni reads YAML, which includes JSON. */
function configurationOf(node: Node, bin: string, etcdPort: number): string {
  const account = (username: string) => ({ username, password: databasePassword });
  return JSON.stringify({
    scope: 'vestibule',
    name: node.name,
    restapi: {
      listen: `${node.address}:${node.restPort}`,
      connect_address: `${node.address}:${node.restPort}`,
    },
    [usesOldApi() ? 'etcd' : 'etcd3']: { hosts: [`${node.etcdAddress}:${etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_wal_size: '128MB', wal_keep_size: '64MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${node.address}:${node.port}`,
      connect_address: `${node.address}:${node.port}`,
      use_unix_socket: true,
      use_unix_socket_repl: true,
      data_dir: dataOf(node),
      bin_dir: bin,
      basebackup: [{ checkpoint: 'fast' }],
      pgpass: path.join(node.directory, 'pgpass'),
      authentication: {
        superuser: account('vestibule'),
        replication: account('replicator'),
        rewind: account('vestibule'),
      },
      parameters: { unix_socket_directories: node.directory },
      pg_hba: [
        'local all all trust',
        'local replication all trust',
        'host all all 127.0.0.0/8 scram-sha-256',
        'host replication all 127.0.0.0/8 scram-sha-256',
      ],
    },
  });
}

const dataOf = (node: Node) => path.join(node.directory, 'data');

type Member = { name: string; role: string; state: string };

async function membersOf(node: Node): Promise<Member[]> {
  try {
    const signal = AbortSignal.timeout(1_000);
    const response = await fetch(`http://${node.address}:${node.restPort}/cluster`, { signal });
    return ((await response.json()) as { members: Member[] }).members;
  } catch {
    return [];
  }
}

async function waitUntilHealthy(nodes: Node[]): Promise<{ leader: Node; standby: Node }> {
  const start = performance.now();
  let isReinitialized = false;
  for (;;) {
    const members = await membersOf(nodes[0] as Node);
    const find = (...roles: string[]) =>
      nodes.find(({ name }) =>
        members.some(
          (one) => one.name === name && roles.includes(one.role) && /running|streaming/.test(one.state),
        ),
      );
    const [leader, standby] = [find('leader'), find('sync_standby')];
    if (leader && standby) return { leader, standby };
    const elapsed = performance.now() - start;
    const replica = find('replica');
    if (leader && replica && elapsed > reinitializeAfterMs && !isReinitialized) {
      console.log(`${replica.name} does not stream and is initialized again`);
      isReinitialized = true;
      await reinitialize(replica);
    }
    if (elapsed > healthyTimeoutMs) {
      const logs = await Promise.all(
        nodes.map(async ({ name, patroni }) => `${name}:\n${(await patroni?.output())?.slice(-4_000)}`),
      );
      throw new Error(`The cluster is not healthy: ${JSON.stringify(members)}\n${logs.join('\n')}`);
    }
    await delay(200);
  }
}

/** Returns the process ids of Patroni, the postmaster and its children. */
function processesOf(node: Node): number[] {
  const children = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  try {
    const postmaster = Number(readFileSync(path.join(dataOf(node), 'postmaster.pid'), 'utf8').split('\n')[0]);
    return [...(node.patroni ? [node.patroni.pid] : []), postmaster, ...children(postmaster)];
  } catch {
    return node.patroni ? [node.patroni.pid] : [];
  }
}

function signalAll(node: Node, signal: NodeJS.Signals): void {
  for (const pid of processesOf(node))
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
}

async function kill(node: Node): Promise<void> {
  signalAll(node, 'SIGKILL');
  await node.patroni?.stop('SIGKILL');
}

async function switchOver(leader: Node): Promise<void> {
  const response = await fetch(`http://${leader.address}:${leader.restPort}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: leader.name }),
  });
  if (response.status !== 200) throw new Error(`The switchover failed: ${await response.text()}`);
}

/** Copies the data of the leader, as `patronictl reinit` does. */
async function reinitialize({ address, restPort }: Node): Promise<void> {
  const response = await fetch(`http://${address}:${restPort}/reinitialize`, {
    method: 'POST',
    body: JSON.stringify({ force: true }),
  });
  if (response.status !== 200) throw new Error(`The initialization failed: ${await response.text()}`);
}

function cutNetwork({ address, etcdAddress }: Node, from: 'all' | 'cluster'): () => void {
  const etcd = [`INPUT -d ${etcdAddress}`, `INPUT -s ${etcdAddress}`];
  // The other node connects as the user postgres, the server does not.
  const node =
    from === 'all'
      ? [`INPUT -d ${address}`, `INPUT -s ${address}`]
      : [`OUTPUT -d ${address} -m owner --uid-owner ${user}`];
  const apply = (verb: '-I' | '-D') => {
    for (const rule of [...etcd, ...node]) run('iptables', [verb, ...rule.split(' '), '-j', 'DROP']);
  };
  apply('-I');
  return () => apply('-D');
}

function pause(node: Node): () => void {
  signalAll(node, 'SIGSTOP');
  return () => signalAll(node, 'SIGCONT');
}

function fillDisk({ directory }: Node): () => void {
  const filler = path.join(directory, 'filler');
  // Ends with an error when the disk is full.
  run('sh', ['-c', `cat /dev/zero > ${filler} 2>/dev/null || true`]);
  return () => void run('rm', [filler]);
}

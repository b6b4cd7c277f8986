/**
 * Starts one real Vestibule for browser journeys: apps/server/src/main.ts in a process of its own, with the embedded
 * provider, database and mailbox, on free ports and with a data directory that goes when it stops.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compileCache, serverFlags } from '../../tools/server-flags.mjs';

const checkout = path.dirname(path.dirname(import.meta.dirname));
/** A start makes a database, too: where everything else runs at once, that takes a while. */
const startTimeoutMilliseconds = 90_000;
const stopTimeoutMilliseconds = 15_000;

export type Environment = Record<string, string>;

/** Ports of one instance. */
type Ports = { web: number; provider: number; mailbox: number; smtp: number };

/** A server process that was started, ready or not. */
export type ServerProcess = {
  child: ChildProcess;
  dataDirectory: string;
  ports: Ports;
  /** What it has printed so far, both streams. */
  output: () => string;
  /** Resolves with the exit code; null after a signal that it did not handle. */
  exited: Promise<number | null>;
  /** Resolves when it has said that it is ready; throws what it printed when it ends before. */
  ready: () => Promise<void>;
  /** Ends it as Ctrl+C does, and waits for that. The data stays. */
  stop: () => Promise<void>;
};

/** A new directory for data, which the database's user can enter when the tests run as root. */
export async function newDataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-e2e-'));
  await chmod(directory, 0o711);
  return directory;
}

export async function removeDataDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Starts a server; the environment holds nothing but what is given here. `root`: of another copy of the project; `command`: what starts it there
 * instead, such as npm.
 */
export async function spawnServer(
  options: {
    dataDirectory?: string;
    ports?: Ports;
    env?: Environment;
    root?: string;
    command?: string[];
  } = {},
): Promise<ServerProcess> {
  const ports = options.ports ?? (await freePorts());
  const dataDirectory = options.dataDirectory ?? (await newDataDirectory());
  const root = options.root ?? checkout;
  const [program = '', ...parameters] = options.command ?? [
    process.execPath,
    ...serverFlags,
    path.join(root, 'apps/server/src/main.ts'),
  ];
  const child = spawn(program, parameters, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compileCache,
      DATA_DIR: dataDirectory,
      PORT: String(ports.web),
      IDP_PORT: String(ports.provider),
      MAILBOX_PORT: String(ports.mailbox),
      MAILBOX_SMTP_PORT: String(ports.smtp),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let ended = false;
  void exited.then(() => (ended = true));

  async function ready(): Promise<void> {
    const deadline = Date.now() + startTimeoutMilliseconds;
    while (!printed.includes(' is ready: ')) {
      const isLate = Date.now() > deadline;
      if (ended || isLate) {
        const what = ended ? `ended (${child.exitCode ?? child.signalCode})` : 'was not ready in time';
        throw new Error(`The server ${what}. It printed: ${printed.trim() || 'nothing'}`);
      }
      await delay(20);
    }
    // The lines after it (mailbox, link, log) are printed in the same moment.
    await delay(50);
  }

  async function stop(): Promise<void> {
    if (ended) return;
    child.kill('SIGTERM');
    const guard = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMilliseconds);
    await exited;
    clearTimeout(guard);
  }

  return { child, dataDirectory, ports, output: () => printed, exited, ready, stop };
}

/** The embedded database of a running instance: its address, its process and its port. */
export function readDatabase(dataDirectory: string): { url: string; processId: number; port: number } {
  const password = readFileSync(path.join(dataDirectory, 'postgres.password'), 'utf8').trim();
  const lines = readFileSync(path.join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  const port = Number(lines[3]);
  return {
    url: `postgres://vestibule:${password}@127.0.0.1:${port}/vestibule`,
    processId: Number(lines[0]),
    port,
  };
}

/** Below those that the system hands out for outgoing connections; each worker of a test run has a stretch of its own. */
const portStretch = { first: 20_000, length: 1_500, count: 8 };
const given = new Set<number>();

/** Ports that nobody listens on. None is given twice, not to another worker either: a server opens them only seconds later. */
export async function freePorts(): Promise<Ports> {
  const { first, length, count } = portStretch;
  const worker = Number(process.env['TEST_PARALLEL_INDEX'] ?? 0) % count;
  const found: number[] = [];
  while (found.length < 4) {
    const port = first + worker * length + Math.floor(Math.random() * length);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) found.push(port);
  }
  const [web, provider, mailbox, smtp] = found as [number, number, number, number];
  return { web, provider, mailbox, smtp };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * One running PostgreSQL: started under a watcher that ends it when we are gone, restarted when it dies by itself,
 * stopped on request. It is not for creating a cluster or for finding a place for it (embedded-postgres.ts).
 *
 * The watcher's standard input is a pipe that only we hold. However we end, also by kill -9, the system closes
 * the pipe, and the watcher asks PostgreSQL for a fast shutdown. Both run in a session of their own, so that
 * Ctrl+C in a terminal reaches us alone and PostgreSQL outlives the requests that are still being answered.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '../config/read-config.ts';
import { StartUpError } from '../config/start-up-error.ts';
import type { PostgresPlace } from './postgres-place.ts';
import { findReason } from './postgres-message.ts';
import { ownerSetting, readPostmasterFile, requireUnused } from './postgres-lock.ts';

/** A PostgreSQL that answers on 127.0.0.1 at `port`. */
type PostgresProcess = { port: number; stop(): Promise<void> };

type Running = { child: ChildProcess; ended: boolean; exited: Promise<void> };

const readyTimeoutMs = 120_000;
const stopTimeoutMs = 30_000;
const restartDelayMs = 100;
const longestRestartDelayMs = 5_000;

// Descriptor 3 is our pipe: the shell gives a background command /dev/null as its standard input.
const watcher = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(while read -r _; do :; done <&3; kill -INT "$server") 2>/dev/null &
reader=$!
exec 3<&-
wait "$server"
status=$?
kill "$reader" 2>/dev/null
exit "$status"`;

/** Starts PostgreSQL and waits until it takes connections. `settings` are those of postgresql.conf. */
export async function startPostgresProcess(
  place: PostgresPlace,
  settings: Record<string, string>,
): Promise<PostgresProcess> {
  const stopping = new AbortController();
  let { running, port } = await startOnFreePort(place, settings);

  async function keepRunning(): Promise<void> {
    await running.exited;
    // It died by itself, such as by the kernel's out-of-memory killer. It comes back at the same address, so
    // that the pools find it again; until then their queries are rejected.
    let waitMs = restartDelayMs;
    while (!stopping.signal.aborted) {
      await delay(waitMs, undefined, { ref: false, signal: stopping.signal });
      running = spawnServer(place, settings, port, 'a');
      waitMs = (await isReady(place, running, port))
        ? restartDelayMs
        : Math.min(waitMs * 2, longestRestartDelayMs);
      await running.exited;
    }
  }
  // Rejected when we stop while waiting, or when the directory is gone and there is nothing left to start.
  keepRunning().catch(() => {});

  async function stop(): Promise<void> {
    stopping.abort();
    running.child.stdin?.end();
    const timer = setTimeout(() => void killServer(place), stopTimeoutMs);
    await running.exited;
    clearTimeout(timer);
  }

  return { port, stop };
}

async function startOnFreePort(
  place: PostgresPlace,
  settings: Record<string, string>,
): Promise<{ running: Running; port: number }> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    const port = await findFreePort();
    const running = spawnServer(place, settings, port, 'w');
    if (await isReady(place, running, port)) return { running, port };
    running.child.stdin?.end();
    await running.exited;
    const log = await readLog(place);
    // Two Vestibules that start at once are told apart by PostgreSQL's lock file.
    if (log.includes('lock file "postmaster.pid" already exists')) await requireUnused(place.dataDirectory);
    // The port was taken between finding and using it, or the processes of a killed server have not all ended.
    const passing =
      log.includes('Address already in use') || log.includes('pre-existing shared memory block');
    if (!passing || performance.now() > deadline) {
      throw new StartUpError(
        `The database in ${place.dataDirectory} did not start: ${findReason(log)} More is in ${logFile(place)}.`,
      );
    }
    await delay(restartDelayMs);
  }
}

function spawnServer(
  place: PostgresPlace,
  settings: Record<string, string>,
  port: number,
  logMode: 'w' | 'a',
): Running {
  const all = { ...settings, port: String(port), [ownerSetting]: String(process.pid) };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(logFile(place), logMode, 0o600);
  const [command, parameters] =
    process.platform === 'win32'
      ? [
          process.execPath,
          [
            fileURLToPath(new URL('watch-postgres-on-windows.ts', import.meta.url)),
            place.binaries.pgCtl,
            place.dataDirectory,
            ...options,
          ],
        ]
      : ['sh', ['-c', watcher, 'sh', place.binaries.postgres, '-D', place.dataDirectory, ...options]];
  const child = spawn(command, parameters, {
    stdio: ['pipe', log, log],
    detached: true,
    windowsHide: true,
    cwd: dirname(place.dataDirectory),
    env: { ...childEnvironment(), LC_ALL: 'C', TZ: 'UTC' },
    ...(place.user === undefined ? {} : { uid: place.user.uid, gid: place.user.gid }),
  });
  closeSync(log);
  // A watcher that could not be started exits as well; a broken pipe means the same.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  // The database alone does not keep this process running.
  child.unref();
  const running: Running = { child, ended: false, exited: Promise.resolve() };
  running.exited = new Promise((resolve) => {
    child.once('close', () => {
      running.ended = true;
      resolve();
    });
  });
  return running;
}

async function isReady(place: PostgresPlace, running: Running, port: number): Promise<boolean> {
  const deadline = performance.now() + readyTimeoutMs;
  while (!running.ended && performance.now() < deadline) {
    const file = await readPostmasterFile(place.dataDirectory);
    if (file?.port === port && file.ready) return true;
    await delay(10);
  }
  return false;
}

/** A fast shutdown that does not end is made an immediate one; the write-ahead log makes up for it. */
async function killServer(place: PostgresPlace): Promise<void> {
  const file = await readPostmasterFile(place.dataDirectory);
  if (file !== undefined) process.kill(file.pid, process.platform === 'win32' ? 'SIGKILL' : 'SIGQUIT');
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** PostgreSQL's own messages, beside the data directory. */
function logFile(place: PostgresPlace): string {
  return `${place.dataDirectory}.log`;
}

async function readLog(place: PostgresPlace): Promise<string> {
  return await readFile(logFile(place), 'utf8');
}

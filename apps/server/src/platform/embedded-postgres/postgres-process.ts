/**
 * A running PostgreSQL: started under a watcher that stops it when this process ends, restarted when it crashes,
 * stopped on request. embedded-postgres.ts creates the cluster.
 *
 * The watcher's standard input is a pipe that only this process holds. However this process ends, also by kill -9, the
 * system closes the pipe, and the watcher requests a fast shutdown. Both run in a separate session, so that Ctrl+C
 * reaches only this process and PostgreSQL outlives the requests that are being answered.
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
import { programFor, type PostgresLocation } from './data-location.ts';
import { findExitReason } from './postgres-cluster.ts';
import { ownerSetting, readPostmasterFile, requireUnusedDirectory } from './postgres-lock.ts';

/** PostgreSQL that accepts connections on 127.0.0.1 at `port`. */
type PostgresProcess = { port: number; stop(): Promise<void> };

type Running = { child: ChildProcess; ended: boolean; exited: Promise<void> };

const readyTimeoutMs = 120_000;
const restartDelayMs = 500;

// Descriptor 3 is the pipe: the shell gives a background command /dev/null as its standard input.
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

/** Starts PostgreSQL and waits until it accepts connections. `settings` are those of postgresql.conf. */
export async function startPostgresProcess(
  place: PostgresLocation,
  settings: Record<string, string>,
): Promise<PostgresProcess> {
  const stopping = new AbortController();
  let { running, port } = await startOnFreePort(place, settings);

  async function restartOnExit(): Promise<void> {
    // PostgreSQL crashed or was killed, for example by the kernel's out-of-memory killer. It restarts on the same port,
    // so that the pools reconnect; until then their queries are rejected.
    for (;;) {
      await running.exited;
      await delay(restartDelayMs, undefined, { ref: false, signal: stopping.signal });
      running = spawnServer(place, settings, port, 'a');
    }
  }
  // Rejects on a stop, or if the directory was deleted.
  restartOnExit().catch(() => {});

  async function stop(): Promise<void> {
    stopping.abort();
    // Keeps this process running until PostgreSQL has stopped.
    running.child.ref();
    running.child.stdin?.end();
    await running.exited;
  }

  return { port, stop };
}

async function startOnFreePort(
  place: PostgresLocation,
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
    // PostgreSQL's lock file decides between two Vestibules that start at once.
    if (log.includes('lock file "postmaster.pid" already exists'))
      await requireUnusedDirectory(place.dataDirectory);
    // The port was taken between finding and using it, or processes of a killed server are still ending.
    const isTemporary =
      log.includes('Address already in use') || log.includes('pre-existing shared memory block');
    if (!isTemporary || performance.now() > deadline) {
      throw new StartUpError(
        `The database in ${place.dataDirectory} did not start: ${findExitReason(log)} More is in ${logFile(place)}.`,
      );
    }
    await delay(restartDelayMs);
  }
}

function spawnServer(
  place: PostgresLocation,
  settings: Record<string, string>,
  port: number,
  logMode: 'w' | 'a',
): Running {
  const all = { ...settings, port: String(port), [ownerSetting]: String(process.pid) };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(logFile(place), logMode, 0o600);
  const { binaries, dataDirectory } = place;
  const windowsWatcher = fileURLToPath(new URL('watch-postgres-on-windows.ts', import.meta.url));
  const [command, parameters] =
    process.platform === 'win32'
      ? [process.execPath, [windowsWatcher, binaries.pgCtl, dataDirectory, ...options]]
      : ['sh', ['-c', watcher, 'sh', binaries.postgres, '-D', dataDirectory, ...options]];
  const child = spawn(...programFor(place.runAs, command, parameters), {
    ...place.runAs.options,
    stdio: ['pipe', log, log],
    detached: true,
    windowsHide: true,
    cwd: dirname(place.dataDirectory),
    env: { ...childEnvironment(), LC_ALL: 'C', TZ: 'UTC' },
  });
  closeSync(log);
  // Ignored: `close` also follows if the watcher could not be started or no longer reads the pipe.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  // The database alone must not keep this process running.
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

async function isReady(place: PostgresLocation, running: Running, port: number): Promise<boolean> {
  const deadline = performance.now() + readyTimeoutMs;
  while (!running.ended && performance.now() < deadline) {
    const file = await readPostmasterFile(place.dataDirectory);
    if (file?.port === port && file.ready) return true;
    await delay(10);
  }
  return false;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** PostgreSQL's log file, next to the data directory. */
function logFile(place: PostgresLocation): string {
  return `${place.dataDirectory}.log`;
}

async function readLog(place: PostgresLocation): Promise<string> {
  return await readFile(logFile(place), 'utf8');
}

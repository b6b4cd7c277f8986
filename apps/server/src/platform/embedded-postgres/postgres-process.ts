/**
 * A running PostgreSQL: started under a watcher that stops it when this process ends, restarted when it crashes,
 * stopped on request. embedded-postgres.ts creates the cluster.
 *
 * The watcher's standard input is a pipe that only this process holds. However this process ends, also by kill -9, the
 * system closes the pipe, and the watcher requests a fast shutdown. Both run in a separate session, so that Ctrl+C
 * reaches only this process and PostgreSQL outlives the requests that are being answered.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '../config/read-config.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { programFor, type PostgresLocation } from './data-location.ts';
import { findExitReason } from './postgres-cluster.ts';

/** PostgreSQL that accepts connections on 127.0.0.1 at `port`. */
type PostgresProcess = { port: number; stop(): Promise<void> };

type Running = { child: ChildProcess; ended: boolean; exited: Promise<void> };

const readyTimeoutMs = 120_000;
const endingTimeoutMs = 10_000;
const restartDelayMs = 500;

/** PostgreSQL setting with the id of the Vestibule process that owns a server; visible in the server's command line. */
const ownerSetting = 'vestibule.owner';

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
    const log = await readText(logFile(place));
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
const logFile = (place: PostgresLocation): string => `${place.dataDirectory}.log`;

/** Contents of `postmaster.pid`: https://www.postgresql.org/docs/current/storage-file-layout.html */
type PostmasterFile = { pid: number; port: number; ready: boolean };

/** Reads the lock file of a data directory; undefined if there is none. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | undefined> {
  const lines = (await readText(join(dataDirectory, 'postmaster.pid'))).split('\n');
  if (lines.length < 4) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** Throws a StartUpError with the process id if a PostgreSQL uses the data directory. */
export async function requireUnusedDirectory(dataDirectory: string): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file === undefined || !isAlive(file.pid)) return;
  const command = await readCommand(file.pid);
  const owner = Number.parseInt(command.split(`${ownerSetting}=`)[1] ?? '', 10);
  // A server started manually may not name its directory in full; assume that it uses this one.
  if (!command.includes('postgres') || (owner && !command.includes(dataDirectory)))
    return await rm(join(dataDirectory, 'postmaster.pid'), { force: true });
  if (owner && isAlive(owner)) throw inUse(dataDirectory, owner);
  // The Vestibule of this PostgreSQL was killed, and PostgreSQL is stopping.
  const deadline = performance.now() + endingTimeoutMs;
  while (isAlive(file.pid)) {
    if (performance.now() > deadline) throw inUse(dataDirectory, file.pid);
    await delay(20);
  }
}

const inUse = (dataDirectory: string, pid: number): StartUpError =>
  new StartUpError(
    `The data directory ${dataDirectory} is in use by another Vestibule (process ${pid}). Stop it, or set DATA_DIR to another directory.`,
  );

/** Returns whether the process exists, including one that may not be signalled. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the command line of a process, empty for an ended one. Slim container images have no `ps`. */
async function readCommand(pid: number): Promise<string> {
  // Windows does not provide it.
  if (process.platform === 'win32') return 'postgres';
  if (process.platform === 'linux') return (await readText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ');
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

const readText = (path: string) => readFile(path, 'utf8').catch(() => '');

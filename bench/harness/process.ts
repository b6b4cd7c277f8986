/** Starts, observes and stops the processes of measurements and of integration tests. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const defaultTimeoutMs = 120_000;
/** Time until a stopping program is killed. It is long because some programs wait for their clients to disconnect. */
const stopTimeoutMs = 20_000;

export type Child = {
  pid: number;
  /** Milliseconds from start to ready. */
  readyAfterMs: number;
  output(): Promise<string>;
  /** Sends SIGINT, or another signal, to the process group and waits for the exit. Returns the time until the exit in milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<number>;
};

let directory: string | undefined;

/** Returns a directory that is deleted when this process exits. */
function logDirectory(): string {
  if (directory === undefined) {
    const created = mkdtempSync(path.join(tmpdir(), 'vestibule-bench-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    directory = created;
  }
  return directory;
}

/**
 * Starts a program and waits until `isReady` returns true for its output so far. The environment of the program contains only `env`,
 * PATH and HOME. Its output goes to a file, as under a service manager. Rejects with the end of the output if the program exits before
 * it is ready. Prints the end of the output if the program exits later without `stop`.
 */
export async function startChild(
  command: string,
  parameters: string[],
  isReady: (output: string) => boolean | Promise<boolean>,
  {
    env = {},
    cwd,
    timeoutMs = defaultTimeoutMs,
  }: { env?: Record<string, string>; cwd?: string; timeoutMs?: number } = {},
): Promise<Child> {
  const outputFile = path.join(logDirectory(), `${randomUUID()}.log`);
  const output = await open(outputFile, 'w');
  const startedAt = performance.now();
  const child = spawn(command, parameters, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`, HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', output.fd, output.fd],
    // Own process group, so that signals reach all its processes as Ctrl+C does.
    detached: true,
  });
  await output.close();
  let ended = '';
  let isStopping = false;
  const read = () => readFile(outputFile, 'utf8');
  const exited = once(child, 'exit').then(
    ([code, signal]) => (ended = `ended with ${code ?? signal}`),
    (error: Error) => (ended = error.message),
  );
  const stop = async (signal: NodeJS.Signals = 'SIGINT') => {
    isStopping = true;
    const stoppedAt = performance.now();
    if (ended === '') {
      process.kill(-(child.pid as number), signal);
      const guard = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exited;
      clearTimeout(guard);
    }
    return performance.now() - stoppedAt;
  };
  while (!(await isReady(await read()))) {
    const isLate = performance.now() - startedAt > timeoutMs;
    if (isLate) await stop('SIGKILL');
    if (ended !== '' || isLate)
      throw new Error(
        `${command} ${isLate ? 'was not ready in time' : ended}:\n${(await read()).slice(-3000)}`,
      );
    await delay(10);
  }
  void exited.finally(() => {
    if (!isStopping) console.error(`${command} ${ended}:\n${readFileSync(outputFile, 'utf8').slice(-3000)}`);
  });
  return { pid: child.pid as number, readyAfterMs: performance.now() - startedAt, output: read, stop };
}

export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the resident memory in MB (10^6 bytes) from /proc; NaN without /proc. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return (Number(kibibytes ?? Number.NaN) * 1024) / 1e6;
}

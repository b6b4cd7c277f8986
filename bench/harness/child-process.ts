/** Starts, observes and stops the processes that are measured. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const root = path.join(import.meta.dirname, '..', '..');

const readyTimeoutMs = 120_000;

type Child = {
  pid: number;
  /** Milliseconds from start to the ready text. */
  readyAfterMs: number;
  output(): Promise<string>;
  /** Sends SIGINT, or another signal, and waits for exit. Returns the milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  kill(): Promise<void>;
};

/**
 * Starts a program and waits until its output matches `ready`; returns the match too. The program only gets the given environment,
 * and writes to a file as under a service manager. Rejects with the end of the output if it exits first.
 */
export async function startChild(
  command: string,
  args: string[],
  options: { ready: RegExp; environment?: Record<string, string> },
): Promise<Child & { match: RegExpExecArray }> {
  const outputFile = path.join(tmpdir(), `vestibule-bench-${randomUUID()}.log`);
  const output = await open(outputFile, 'w');
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...options.environment },
    stdio: ['ignore', output.fd, output.fd],
    // Own process group, so that signals reach all its processes as Ctrl+C does.
    detached: true,
  });
  await output.close();
  const pid = child.pid as number;
  const exited = once(child, 'exit');
  let isStopping = false;
  const watchExit = async (): Promise<never> => {
    const [code, signal] = (await exited) as [number | null, string | null];
    const text = await readFile(outputFile, 'utf8');
    await rm(outputFile);
    if (isStopping) return new Promise(() => {});
    throw new Error(
      `${command} ${args.join(' ')} exited unexpectedly with ${signal ?? code}:\n${text.slice(-3000)}`,
    );
  };
  const ended = watchExit();
  // A later exit makes the measurement fail; this prints the reason.
  ended.catch((error: unknown) => console.error(error));
  const stopWith = async (signal: NodeJS.Signals = 'SIGINT') => {
    if (child.exitCode !== null) return 0;
    isStopping = true;
    const stoppedAt = performance.now();
    process.kill(-pid, signal);
    await exited;
    return performance.now() - stoppedAt;
  };
  const match = await Promise.race([waitForOutput(options.ready, outputFile, startedAt), ended]);
  return {
    pid,
    match,
    readyAfterMs: performance.now() - startedAt,
    output: () => readFile(outputFile, 'utf8'),
    stop: stopWith,
    kill: async () => void (await stopWith('SIGKILL')),
  };
}

async function waitForOutput(ready: RegExp, file: string, startedAt: number): Promise<RegExpExecArray> {
  for (;;) {
    const text = await readFile(file, 'utf8');
    const match = ready.exec(text);
    if (match) return match;
    if (performance.now() - startedAt > readyTimeoutMs) throw new Error(`not ready in time:\n${text}`);
    await delay(10);
  }
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

/** Returns the processor time in seconds from /proc; NaN without /proc. */
export async function processorSeconds(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name may contain any character, so parse after it. utime and stime are fields 14 and 15, in 1/100 s (proc(5)).
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) / 100;
}

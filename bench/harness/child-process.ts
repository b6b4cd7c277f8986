/** Processes that are measured: started apart from the measuring one, watched, and stopped as a terminal stops them. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where the project stands. */
export const root = path.join(import.meta.dirname, '..', '..');

const readyTimeoutMs = 120_000;

type Child = {
  pid: number;
  /** Milliseconds from starting it to the text it was waited for. */
  readyAfterMs: number;
  /** What it has printed so far. */
  output(): Promise<string>;
  /** Ends it with SIGINT, as Ctrl+C does, or another signal, and waits; gives the milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  /** Ends it at once (SIGKILL). */
  kill(): Promise<void>;
};

/**
 * Starts a program and waits until it has printed `ready`; gives what matched too. Its environment is only `environment`,
 * so that nothing of this machine's leaks into a figure; its output goes into a file, as under a service manager.
 * Throws, with the end of its output, when it ends before.
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
    // A group of its own, which a Ctrl+C reaches as a whole.
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
      `${command} ${args.join(' ')} ended by itself with ${signal ?? code}:\n${text.slice(-3000)}`,
    );
  };
  const ended = watchExit();
  // Met in waitFor while it starts; later a measurement fails by itself, and this says why.
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

/** Whether any process of the group that `startChild` made is still there. */
export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resident memory of a process in MB (10^6 bytes), from the kernel; NaN where there is no /proc. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return (Number(kibibytes ?? Number.NaN) * 1024) / 1e6;
}

/** Seconds that a process has had a processor, from the kernel; NaN where there is no /proc. */
export async function processorSeconds(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold anything: utime and stime are the fields 14 and 15, in hundredths (proc(5)).
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) / 100;
}

/** Runs programs of the system for integration tests. */
import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Program = {
  pid: number;
  output: () => string;
  hasEnded: () => boolean;
  exited: Promise<string>;
  end(signal?: NodeJS.Signals): Promise<void>;
};

const defaultTimeoutMs = 60_000;
/** Some programs wait for their clients to disconnect. */
const stopTimeoutMs = 3_000;

/** Starts a program and waits for `isReady`. Rejects with its output if it exits first. */
export async function startProgram(
  command: string,
  parameters: string[],
  isReady: (output: string) => boolean | Promise<boolean>,
  env: Record<string, string> = {},
  { cwd, timeoutMs }: { cwd?: string; timeoutMs: number } = { timeoutMs: defaultTimeoutMs },
): Promise<Program> {
  const child = spawn(command, parameters, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  let ended = '';
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve((ended ||= `ended with ${code ?? signal}`)));
  });
  child.once('error', (error) => (ended = error.message));
  const deadline = Date.now() + timeoutMs;
  while (!(await isReady(printed))) {
    if (ended || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${command} ${ended || 'is not ready in time'}:\n${printed}`);
    }
    await delay(20);
  }
  return {
    pid: child.pid as number,
    output: () => printed,
    hasEnded: () => ended !== '',
    exited,
    async end(signal = 'SIGTERM') {
      if (ended) return;
      child.kill(signal);
      if (!(await Promise.race([exited, delay(stopTimeoutMs)]))) child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a program and returns its stdout. Throws its output if it fails. */
export function run(command: string, parameters: string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  });
  if (status !== 0)
    throw new Error(`${command} ${parameters.join(' ')}:\n${stdout}${stderr}${error?.message ?? ''}`);
  return stdout;
}

export async function answers(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

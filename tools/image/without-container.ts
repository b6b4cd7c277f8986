/** Runs the program of an image without a container, with the Node.js and flags of the image, as the baseline for containers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/harness/child-process.ts';
import { startProgram } from '../integration/run-program.ts';
import type { createContainers } from './container.ts';

/** Time until a started server is idle. */
const settledMs = 3_000;

export async function memoryAfterStart(processId: number): Promise<number> {
  await delay(settledMs);
  return residentMegabytes(processId);
}

/** Starts the program twice on a new database or data directory. Returns both start times in seconds and the memory of the second in MB. */
export async function measureWithoutContainer(
  { files, config }: ReturnType<typeof createContainers>,
  directory: string,
  given: Record<string, string> & { DATA_DIR: string },
): Promise<{ first: number; again: number; memory: number }> {
  const [node = '', ...flags] = config.Entrypoint;
  const command = path.join(files, node);
  const parameters = [...flags, ...config.Cmd].map((one) =>
    one.startsWith('/') ? path.join(files, one) : one,
  );
  const ofImage = Object.fromEntries(
    config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  const env = { ...ofImage, NODE_COMPILE_CACHE: path.join(directory, 'compiled'), ...given };
  // The compile cache of the image is tied to paths in the image, so fill another one first. The start fails because nothing is
  // configured.
  const { NODE_COMPILE_CACHE, DATA_DIR } = env;
  const { status } = spawnSync(command, parameters, { env: { NODE_COMPILE_CACHE, DATA_DIR } });
  assert.equal(status, 1);
  const startOnce = async () => {
    const startedAt = performance.now();
    const program = await startProgram(command, parameters, (output) => output.includes(' is ready: '), env);
    const seconds = (performance.now() - startedAt) / 1000;
    const memory = await memoryAfterStart(program.pid);
    await program.end('SIGKILL');
    return { seconds, memory };
  };
  const { seconds: first } = await startOnce();
  const { seconds: again, memory } = await startOnce();
  return { first, again, memory };
}

/** The program of an image as it starts and runs without a container, by the image's own Node.js and flags: what containers are held against. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/harness/child-process.ts';
import { startProgram } from '../integration/run-program.ts';
import type { containersOf } from './container.ts';

/** Until a server that has just started does nothing more of itself. */
const settledMs = 3_000;

/** What a process takes when it has started and nobody asks it for anything. */
export async function memoryAfterStart(processId: number): Promise<number> {
  await delay(settledMs);
  return residentMegabytes(processId);
}

/** Starts it twice, on a database or data directory that is empty at first; with the memory of the second, in MB. */
export async function measureWithoutContainer(
  { files, config }: ReturnType<typeof containersOf>,
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
  // What Node.js makes of the files is on board of the image, for their places there; here it is made as the image's is.
  const { NODE_COMPILE_CACHE, DATA_DIR } = env;
  const { status } = spawnSync(command, parameters, { env: { NODE_COMPILE_CACHE, DATA_DIR } });
  assert.equal(status, 1);
  const startOnce = async () => {
    const begunAt = performance.now();
    const program = await startProgram(command, parameters, (output) => output.includes(' is ready: '), env);
    const seconds = (performance.now() - begunAt) / 1000;
    const memory = await memoryAfterStart(program.pid);
    await program.end('SIGKILL');
    return { seconds, memory };
  };
  const { seconds: first } = await startOnce();
  const { seconds: again, memory } = await startOnce();
  return { first, again, memory };
}

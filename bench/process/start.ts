/** Measures `npm start` with built sources and an existing database: time to the ready line and time to stop. */
import {
  findFreePorts,
  createDataDirectory,
  removeDataDirectory,
} from '../../packages/testing/src/start-server.ts';
import { root } from '../../tools/install.mjs';
import { isGroupAlive, startChild } from '../harness/process.ts';
import { peers } from '../peers.ts';
import { atMost, figure, median, type Figure } from '../report.ts';

const repetitions = 5;

export async function measureStart(): Promise<Figure[]> {
  const directory = await createDataDirectory();
  try {
    const first = await startAndStop(directory);
    const later: (typeof first)[] = [];
    for (let index = 0; index < repetitions; index += 1) later.push(await startAndStop(directory));
    const ready = median(later.map((one) => one.readySeconds));
    const stopped = median(later.map((one) => one.stoppedSeconds));
    return [
      figure('npm start on an empty data directory, all built', first.readySeconds, 's', undefined, {
        others: peers.start,
      }),
      figure('npm start again, to the ready line', ready, 's', atMost(3)),
      figure('Ctrl+C, until all processes have ended', stopped, 's', atMost(10)),
    ];
  } finally {
    await removeDataDirectory(directory);
  }
}

async function startAndStop(directory: string): Promise<{ readySeconds: number; stoppedSeconds: number }> {
  const ports = await findFreePorts();
  const child = await startChild('npm', ['start'], (output) => output.includes(' is ready: '), {
    cwd: root,
    env: {
      DATA_DIR: directory,
      PORT: String(ports.web),
      IDP_PORT: String(ports.provider),
      MAILBOX_SMTP_PORT: String(ports.smtp),
      MAILBOX_PORT: String(ports.mailbox),
    },
  });
  const stopMs = await child.stop();
  if (isGroupAlive(child.pid)) throw new Error('A process is still running after Ctrl+C.');
  return { readySeconds: child.readyAfterMs / 1000, stoppedSeconds: stopMs / 1000 };
}

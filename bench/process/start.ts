/** Measures `npm start` with built sources and an existing database: time to the ready line and time to stop. */
import { findFreePorts, createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { isGroupAlive, startChild } from '../harness/child-process.ts';
import { median, printFigures, type Figure } from '../report/figure.ts';
import { peers } from '../report/peers.ts';

const repetitions = 5;

export async function measureStart(): Promise<Figure[]> {
  const directory = await createDataDirectory();
  try {
    const first = await startAndStop(directory);
    const later: (typeof first)[] = [];
    for (let index = 0; index < repetitions; index += 1) later.push(await startAndStop(directory));
    return [
      {
        name: 'npm start on an empty data directory, all built',
        measured: first.readySeconds,
        unit: 's',
        peers: peers.start,
      },
      {
        name: 'npm start again, to the ready line',
        measured: median(later.map((one) => one.readySeconds)),
        unit: 's',
        limit: { at: 'most', value: 3 },
      },
      {
        name: 'Ctrl+C, until nothing runs any more',
        measured: median(later.map((one) => one.stoppedSeconds)),
        unit: 's',
        limit: { at: 'most', value: 10 },
      },
    ];
  } finally {
    await removeDataDirectory(directory);
  }
}

async function startAndStop(directory: string): Promise<{ readySeconds: number; stoppedSeconds: number }> {
  const ports = await findFreePorts();
  const child = await startChild('npm', ['start'], {
    ready: / is ready: /,
    environment: {
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

if (import.meta.main) printFigures(await measureStart());

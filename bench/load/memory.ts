/** Reports the server's memory after its start, and the peak of all measurements of the run. */
import { setTimeout as delay } from 'node:timers/promises';
import { removeDataDirectory, spawnServer } from '../../packages/testing/src/start-server.ts';
import { residentMegabytes } from '../harness/process.ts';
import type { LoadedSite } from '../harness/site.ts';
import { peers } from '../peers.ts';
import { atMost, figure, type Figure } from '../report.ts';
import { measureInvite, measureRedeem } from './invitations.ts';
import { measureWhoAmI } from './sessions.ts';

export async function measureMemory(site: LoadedSite): Promise<Figure[]> {
  for (const load of [measureWhoAmI, measureInvite, measureRedeem]) await load(site);
  const { afterStart, peak } = site.memory;
  return [
    figure('server memory after start', afterStart, 'MB', atMost(150)),
    figure('the same with provider and mailbox embedded', await measureEmbedded(), 'MB', atMost(150)),
    figure('server memory under load, at most', peak, 'MB', atMost(300), { others: peers.memory }),
  ];
}

/** Returns the memory of a first `npm start`, which also runs the embedded provider and the mailbox. */
async function measureEmbedded(): Promise<number> {
  const server = await spawnServer();
  try {
    await server.ready();
    await delay(3_000);
    return await residentMegabytes(server.child.pid as number);
  } finally {
    await server.stop();
    await removeDataDirectory(server.dataDirectory);
  }
}

/** Measures server memory after start and its peak under load, including earlier measurements. */
import { setTimeout as delay } from 'node:timers/promises';
import { removeDataDirectory, spawnServer } from '../../e2e/fixtures/start-server.ts';
import { residentMegabytes } from '../harness/child-process.ts';
import type { Figure } from '../report/figure.ts';
import { measureInvite } from './invite.ts';
import { peers } from '../report/peers.ts';
import { measureRedeem } from './redeem.ts';
import { runOnBenchSite, type BenchSite } from '../harness/bench-site.ts';
import { measureWhoAmI } from './who-am-i.ts';

export async function measureMemory(site: BenchSite): Promise<Figure[]> {
  for (const load of [measureWhoAmI, measureInvite, measureRedeem]) await load(site);
  const { afterStart, peak } = site.memory;
  return [
    {
      name: 'server memory after start',
      measured: afterStart,
      unit: 'MB',
      limit: { at: 'most', value: 150 },
    },
    {
      name: 'the same with provider and mailbox embedded',
      measured: await measureEmbedded(),
      unit: 'MB',
      limit: { at: 'most', value: 150 },
    },
    {
      name: 'server memory under load, at most',
      measured: peak,
      unit: 'MB',
      limit: { at: 'most', value: 300 },
      peers: peers.memory,
    },
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

if (import.meta.main) await runOnBenchSite(measureMemory);

/** Tests network faults between server and database: each action happens at most once, and no response takes over 15 s. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../report/figure.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { Site } from './site.ts';
import { compare, startWriters } from './writers.ts';

const faultPeriodMs = 4_000;

/** Runs `times / 4` periods of faults, each followed by recovery. */
export async function injectNetworkFaults(site: Site, times: number): Promise<Figure[]> {
  const proxy = await startFaultProxy(site.databaseUrl);
  const server = await site.start(0, proxy.url);
  const load = startWriters(site, 'faults');
  let slowestReturn = 0;
  const bouts = Math.ceil(times / 4);
  for (let bout = 0; bout < bouts; bout += 1) {
    proxy.isActive = true;
    await delay(faultPeriodMs);
    proxy.isActive = false;
    const calmAt = performance.now();
    const before = load.confirmed.size;
    // More confirmations than there are requests in flight prove that new requests succeed.
    while (load.confirmed.size <= before + 64 && performance.now() - calmAt < 60_000) await delay(10);
    slowestReturn = Math.max(slowestReturn, performance.now() - calmAt);
    await delay(500);
  }
  await load.stop();
  const happened = Object.entries(proxy.counts).map(([fault, count]) => `${fault} ${count}`);
  const found = await compare(site, `connections to the database ${happened.join(', ')}`, 'faults', load);
  await server.stop();
  proxy.close();
  return [
    ...found,
    {
      name: '… slowest answer',
      measured: load.slowest() / 1000,
      unit: 's',
      limit: { at: 'most', value: 15 },
    },
    {
      name: '… until it works again, at most',
      measured: slowestReturn / 1000,
      unit: 's',
      limit: { at: 'most', value: 15 },
    },
    {
      name: '… kinds of faults that happened',
      measured: Object.values(proxy.counts).filter((count) => count > 0).length,
      unit: 'times',
      limit: { at: 'least', value: Object.keys(proxy.counts).length },
    },
  ];
}

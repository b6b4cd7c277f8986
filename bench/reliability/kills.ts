/** Tests kill -9 of the server and of PostgreSQL during writes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../harness/site.ts';
import { atMost, figure, type Figure } from '../report.ts';
import { compare, startWriters, writers } from './writers.ts';

export async function killServer(site: Site, times: number): Promise<Figure[]> {
  let server = await site.start(0);
  const load = startWriters(site, 'kill');
  let slowestStart = 0;
  for (let kill = 0; kill < times; kill += 1) {
    await delay(150 + Math.random() * 500);
    await server.stop('SIGKILL');
    server = await site.start(0);
    slowestStart = Math.max(slowestStart, server.readyAfterMs);
  }
  await load.stop();
  const found = await compare(site, `server killed ${times} times under ${writers} writers`, 'kill', load);
  await server.stop();
  return [...found, figure('… slowest start', slowestStart / 1000, 's', atMost(5))];
}

/** Kills the PostgreSQL server repeatedly; its supervisor restarts it. */
export async function killPostgres(site: Site, kills: number): Promise<Figure[]> {
  const server = await site.start(0);
  const load = startWriters(site, 'database');
  const times = Math.ceil(kills / 4);
  let slowestReturn = 0;
  for (let kill = 0; kill < times; kill += 1) {
    await delay(300 + Math.random() * 500);
    const before = load.confirmed.size;
    process.kill(await site.postmaster(), 'SIGKILL');
    const killedAt = performance.now();
    // Requests in flight are confirmed soon; more confirmations than there are writers prove that new requests succeed.
    while (load.confirmed.size <= before + 2 * writers && performance.now() - killedAt < 30_000)
      await delay(10);
    slowestReturn = Math.max(slowestReturn, performance.now() - killedAt);
  }
  await load.stop();
  const found = await compare(site, `PostgreSQL killed ${times} times`, 'database', load);
  await server.stop();
  return [
    ...found,
    figure('… until it works again, at most', slowestReturn / 1000, 's', atMost(5)),
    figure('… slowest answer', load.slowest() / 1000, 's', atMost(15)),
  ];
}

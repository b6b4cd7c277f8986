/** kill -9 of the server and of PostgreSQL under writers, and SIGTERM under clients that keep asking. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../report/figure.ts';
import { wrongs, type Site } from './site.ts';
import { compare, startWriters, writers } from './writers.ts';

/** kill -9 of the server, again and again. */
export async function killServer(site: Site, times: number): Promise<Figure[]> {
  let server = await site.start(0);
  const load = startWriters(site, 'kill');
  let slowestStart = 0;
  for (let kill = 0; kill < times; kill += 1) {
    await delay(150 + Math.random() * 500);
    await server.kill();
    server = await site.start(0);
    slowestStart = Math.max(slowestStart, server.readyAfterMs);
  }
  await load.stop();
  const found = await compare(site, `server killed ${times} times under ${writers} writers`, 'kill', load);
  await server.stop();
  return [
    ...found,
    { name: '… slowest start', measured: slowestStart / 1000, unit: 's', limit: { at: 'most', value: 5 } },
  ];
}

/** kill -9 of the whole database server; what watches over it starts it again. */
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
    // What was on its way is confirmed within moments; more than the writers hold at once can only be new.
    while (load.confirmed.size <= before + 2 * writers && performance.now() - killedAt < 30_000)
      await delay(10);
    slowestReturn = Math.max(slowestReturn, performance.now() - killedAt);
  }
  await load.stop();
  const found = await compare(site, `PostgreSQL killed ${times} times`, 'database', load);
  await server.stop();
  return [
    ...found,
    {
      name: '… until it works again, at most',
      measured: slowestReturn / 1000,
      unit: 's',
      limit: { at: 'most', value: 5 },
    },
    {
      name: '… slowest answer',
      measured: load.slowest() / 1000,
      unit: 's',
      limit: { at: 'most', value: 15 },
    },
  ];
}

/** SIGTERM while 64 clients keep asking on connections they keep: nobody's request is lost. */
export async function terminate(site: Site, times: number): Promise<Figure[]> {
  /** What became of the requests that were lost. */
  const lost: string[] = [];
  let slowestExit = 0;
  for (let round = 0; round < times; round += 1) {
    const server = await site.start(0);
    const over = new AbortController();
    let refused = false;
    const answered = new Set<number>();
    const clients = Array.from({ length: 64 }, async (_, client) => {
      while (!over.signal.aborted && !refused) {
        try {
          const answer = await fetch(`${site.urls[0]}/api/users/me`, {
            headers: { authorization: `Bearer ${site.token}` },
          });
          await answer.arrayBuffer();
          if (answer.status === 200) answered.add(client);
          else lost.push(`${answer.status}`);
        } catch (error) {
          const { cause } = error as { cause?: { code?: string } };
          // No connection at all: the server has gone, and took nothing with it. Anything else was on its way.
          if (cause?.code === 'ECONNREFUSED') refused = true;
          else lost.push(String(cause ?? error));
        }
      }
    });
    // A connection that was never accepted carries no request that could be lost.
    while (answered.size < clients.length) await delay(20);
    await delay(300);
    slowestExit = Math.max(slowestExit, await server.stop('SIGTERM'));
    over.abort();
    await Promise.all(clients);
  }
  if (lost.length > 0) console.error(lost);
  return [
    wrongs(`stopped ${times} times under 64 clients: requests lost`, lost.length),
    { name: '… slowest exit', measured: slowestExit / 1000, unit: 's', limit: { at: 'most', value: 10 } },
  ];
}

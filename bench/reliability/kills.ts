/** Tests kill -9 of the server and of PostgreSQL during writes, and SIGTERM during requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../harness/site.ts';
import { atMost, failures, figure, type Figure } from '../report.ts';
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

/** Sends SIGTERM while 64 keep-alive clients send requests; no request may be lost. */
export async function stopUnderLoad(site: Site, times: number): Promise<Figure[]> {
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
          const response = await fetch(`${site.urls[0]}/api/users/me`, {
            headers: { authorization: `Bearer ${site.token}` },
          });
          await response.arrayBuffer();
          if (response.status === 200) answered.add(client);
          else lost.push(`${response.status}`);
        } catch (error) {
          const { cause } = error as { cause?: { code?: string } };
          // ECONNREFUSED: the server has exited and the request was never accepted. Any other error lost a request.
          if (cause?.code === 'ECONNREFUSED') refused = true;
          else lost.push(String(cause ?? error));
        }
      }
    });
    while (answered.size < clients.length) await delay(20);
    await delay(300);
    slowestExit = Math.max(slowestExit, await server.stop('SIGTERM'));
    over.abort();
    await Promise.all(clients);
  }
  if (lost.length > 0) console.error(lost);
  return [
    failures(`stopped ${times} times under 64 clients: requests lost`, lost.length),
    figure('… slowest exit', slowestExit / 1000, 's', atMost(10)),
  ];
}

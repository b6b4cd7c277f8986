/** HTTP load: concurrent requests with autocannon for throughput, sequential requests for latency. */
import autocannon from 'autocannon';
import { options } from '../options.ts';
import { formatWithUnit, median } from '../report.ts';
import { seededSubject } from './seed.ts';
import type { LoadedSite } from './site.ts';

export const connections = 16;

export type LoadRequest = {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/**
 * Measures responses per second on 16 connections, for `amount` requests or for `seconds`. Throws if a response is not 2xx (3xx
 * with `expectRedirects`), because failures are faster than successes.
 */
export async function measureRequestsPerSecond(
  url: string,
  load: { createRequest: () => LoadRequest; seconds?: number; amount?: number; expectRedirects?: boolean },
): Promise<number> {
  const startedAt = performance.now();
  const result = await autocannon({
    url,
    connections,
    ...(load.amount === undefined
      ? { duration: load.seconds ?? options.seconds }
      : // Interval in ms at which autocannon checks whether all requests are done.
        { amount: load.amount, sampleInt: 50 }),
    requests: [{ setupRequest: (request) => ({ ...request, ...load.createRequest() }) }],
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const succeeded = load.expectRedirects ? result['3xx'] : result['2xx'];
  const failed =
    result['4xx'] + result['5xx'] + (load.expectRedirects ? result['2xx'] : result['3xx']) + result.errors;
  if (failed > 0 || succeeded === 0)
    throw new Error(
      `${failed} of ${result.requests.total} requests failed: ${JSON.stringify(result.statusCodeStats)}`,
    );
  return load.amount === undefined ? result.requests.average : succeeded / seconds;
}

/**
 * Returns a function that returns one item of the list after another, and starts again at the end of the list. autocannon may call it
 * once more per connection than it sends requests.
 */
export function inTurn<Item>(items: Item[]): () => Item {
  let index = 0;
  return () => items[index++ % items.length] as Item;
}

/**
 * Measures the server, and the bare server (the ceiling), which reads the same people. They take turns in three rounds, so that other load on the machine
 * affects both.
 */
export async function compareWithCeiling(
  { url, ceilingUrl }: LoadedSite,
  requests: LoadRequest[],
): Promise<{ perSecond: number; percent: number; ceiling: string }> {
  const ceiling = requests.map((_, number) => ({ path: `/people/${seededSubject(number)}` }));
  const servers = [
    { address: url, load: requests },
    { address: ceilingUrl, load: ceiling },
  ];
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round <= 3; round += 1)
    for (const [index, { address, load }] of servers.entries()) {
      const seconds = round === 0 ? 2 : options.seconds;
      const rate = await measureRequestsPerSecond(address, { createRequest: inTurn(load), seconds });
      // The first round is a warm-up.
      if (round > 0) rates[index as 0 | 1].push(rate);
    }
  const [perSecond, most] = [median(rates[0]), median(rates[1])];
  return {
    perSecond,
    percent: (perSecond / most) * 100,
    ceiling: `Fastify with one select: ${formatWithUnit(most, '/s')}`,
  };
}

/** Measures the inserts per second of the bare server. `/signed-rows` also verifies a signature before each insert. */
export const measureInserts = async (ceilingUrl: string, path: '/rows' | '/signed-rows'): Promise<string> =>
  formatWithUnit(
    await measureRequestsPerSecond(ceilingUrl, {
      createRequest: () => ({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: '{"email":"one@example.com"}',
      }),
    }),
    '/s',
  );

/** Returns the median response time in ms of sequential requests, after three warm-up requests. */
export async function measureMedianMs(
  times: number,
  sendRequest: (index: number) => Promise<unknown>,
): Promise<number> {
  for (let index = 0; index < 3; index += 1) await sendRequest(times + index);
  const durationsMs: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now();
    await sendRequest(index);
    durationsMs.push(performance.now() - startedAt);
  }
  return median(durationsMs);
}

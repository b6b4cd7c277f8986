/** Load through HTTP: many at once (autocannon) for answers per second, one at a time for the time of one answer. */
import autocannon from 'autocannon';
import { median } from '../report/figure.ts';

export const connections = 16;

export type Shot = { method?: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };

/**
 * Answers per second at 16 connections. `next` gives one request after the other; with `amount` it stops after so many,
 * else after `seconds`. Throws when an answer is not a success, or with `redirects` not one of those: a quick refusal is no figure.
 */
export async function answersPerSecond(
  url: string,
  load: { next: () => Shot; seconds?: number; amount?: number; redirects?: boolean },
): Promise<number> {
  const startedAt = performance.now();
  const result = await autocannon({
    url,
    connections,
    ...(load.amount === undefined
      ? { duration: load.seconds ?? 8 }
      : // It looks so often, in milliseconds, whether all have been answered.
        { amount: load.amount, sampleInt: 50 }),
    requests: [{ setupRequest: (request) => ({ ...request, ...load.next() }) }],
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const done = load.redirects ? result['3xx'] : result['2xx'];
  const refused =
    result['4xx'] + result['5xx'] + (load.redirects ? result['2xx'] : result['3xx']) + result.errors;
  if (refused > 0 || done === 0)
    throw new Error(
      `${refused} of ${result.requests.total} requests failed: ${JSON.stringify(result.statusCodeStats)}`,
    );
  return load.amount === undefined ? result.requests.average : done / seconds;
}

/** The median time of an answer in milliseconds, asking one after the other on one connection. */
export async function medianMilliseconds(
  times: number,
  ask: (index: number) => Promise<unknown>,
): Promise<number> {
  for (let index = 0; index < 3; index += 1) await ask(times + index);
  const taken: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now();
    await ask(index);
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}

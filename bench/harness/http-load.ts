/** Load through HTTP: many at once (autocannon) for answers per second, one at a time for the time of one answer. */
import autocannon from 'autocannon';
import { median } from '../report/figure.ts';

export const connections = 16;

export type LoadRequest = {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/**
 * Answers per second at 16 connections. `next` gives one request after the other; with `amount` it stops after so many,
 * else after `seconds`. Throws when an answer is not a success, or with `redirects` not one of those: a quick refusal is no figure.
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
      ? { duration: load.seconds ?? 8 }
      : // It looks so often, in milliseconds, whether all have been answered.
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

/** The median time of an answer in milliseconds, asking one after the other on one connection. */
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

/** HTTP load: concurrent requests with autocannon for throughput, sequential requests for latency. */
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
      ? { duration: load.seconds ?? 8 }
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

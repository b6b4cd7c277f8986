/** Health and metrics (statement O3). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../test-app.ts';

let t: TestApp;
let reachable = true;
beforeAll(async () => {
  t = await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => (reachable ? database.query(config) : Promise.reject(new Error('gone'))),
    }),
  });
});
afterAll(() => t.close());

test('/healthz answers as long as the process does, /readyz only while the database does', async () => {
  expect((await t.app.inject('/readyz')).json()).toEqual({ status: 'ready' });
  reachable = false;
  const [health, ready] = [await t.app.inject('/healthz'), await t.app.inject('/readyz')];
  reachable = true;
  expect(health.json()).toEqual({ status: 'up' });
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toEqual({ status: 'the database does not answer' });
  expect((await t.app.inject('/readyz')).statusCode).toBe(200);
});

describe('/metrics', () => {
  test('counts answers by route and status, never by address', async () => {
    await t.app.inject('/api/users/me');
    await t.app.inject('/api/people/secret-person/disable?code=secret-code');
    await t.app.inject({ method: 'POST', url: '/api/people/0192f0c1-2345-7abc-8def-0123456789ab/disable' });
    const answer = await t.app.inject('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.payload).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/users/me",status="401"} 1',
    );
    expect(answer.payload).toContain('route="/api/people/:personId/disable",status="401"} 1');
    expect(answer.payload).toContain('process_resident_memory_bytes');
    expect(answer.payload).not.toMatch(/secret-|0192f0c1/);
  });

  test.each([
    ['another machine', '192.0.2.1', {}],
    ['a proxy on this machine', '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }],
    ['a proxy that says Forwarded', '::1', { forwarded: 'for=192.0.2.1' }],
  ])('is not there for %s', async (_what, remoteAddress, headers) => {
    const answer = await t.app.inject({ url: '/metrics', remoteAddress, headers });
    expect(answer.statusCode).toBe(404);
    expect(answer.payload).not.toContain('process_');
  });
});

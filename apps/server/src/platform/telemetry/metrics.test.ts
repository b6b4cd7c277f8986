/** Health and metrics (statement O3). */
import { readFile } from 'node:fs/promises';
import { invite } from '@vestibule/contract/invitations';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';

const token = 'a-token-of-the-scraper';
const scrape = { url: '/metrics', headers: { authorization: `Bearer ${token}` } };
let reachable = true;
const t = await createTestApp({
  environment: { METRICS_TOKEN: token },
  wrapDatabase: (database) => ({
    ...database,
    query: (config) => (reachable ? database.query(config) : Promise.reject(new Error('gone'))),
  }),
});
afterAll(() => t.close());

test('/healthz returns 200 while the process runs, /readyz only while the database is available', async () => {
  expect((await t.app.inject('/readyz')).json()).toEqual({ status: 'ready' });
  reachable = false;
  const [health, ready] = [await t.app.inject('/healthz'), await t.app.inject('/readyz')];
  reachable = true;
  expect(health.json()).toEqual({ status: 'up' });
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toEqual({ status: 'the database does not answer' });
  expect((await t.app.inject('/readyz')).statusCode).toBe(200);
  expect((await t.app.inject('/livez')).json()).toEqual({ status: 'up' });
});

test('/readyz returns 503 once the process has been asked to stop, and all other routes respond as before', async () => {
  const stopping = await createTestApp();
  stopping.app.reportNotReady();
  const ready = await stopping.app.inject('/readyz');
  expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'stopping' }]);
  expect((await stopping.app.inject('/healthz')).statusCode).toBe(200);
  expect((await stopping.app.inject('/api/config')).statusCode).toBe(200);
  await stopping.close();
});

describe('/metrics', () => {
  test('counts responses by route and status, never by URL', async () => {
    await t.app.inject('/api/users/me');
    await t.app.inject('/api/people/secret-person/disable?code=secret-code');
    await t.app.inject({ method: 'POST', url: '/api/people/0192f0c1-2345-7abc-8def-0123456789ab/disable' });
    const response = await t.app.inject(scrape);
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.payload).toContain(
      'http_request_duration_seconds_count{method="GET",route="/api/users/me",status="401"} 1',
    );
    expect(response.payload).toContain('route="/api/people/:personId/disable",status="401"} 1');
    expect(response.payload).toContain('process_resident_memory_bytes');
    expect(response.payload).not.toMatch(/secret-|0192f0c1/);
  });

  test('counts refused sign-ins by method and code', async () => {
    const body = { code: 'wrong' };
    await t.app.inject({ method: 'POST', url: '/api/sign-in/invitation', body });
    expect((await t.app.inject(scrape)).payload).toContain(
      'vestibule_sign_ins_refused_total{method="invitation",code="invitation.unknown"} 1',
    );
  });

  test('reports database connections, waiting mails, unsealed log rows and event streams', async () => {
    const admin = await t.join('boss@example.com', 'admin');
    await t.callAs(admin, invite, { body: { email: 'ann@example.com' } });
    const { payload } = await t.app.inject(scrape);
    expect(payload).toContain('vestibule_mails{state="waiting"} 1');
    expect(payload).toMatch(/vestibule_database_connections\{state="idle"\} [1-9]/);
    expect(payload).toMatch(/vestibule_audit_rows_unsealed [1-9]/);
    expect(payload).toContain('vestibule_event_streams 0');
  });

  test('omits the values that it cannot read, and returns 200', async () => {
    reachable = false;
    const { statusCode, payload } = await t.app.inject(scrape);
    reachable = true;
    expect([statusCode, payload.includes('vestibule_mails{')]).toEqual([200, false]);
    expect(payload).toContain('vestibule_event_streams 0');
  });

  test.each(['prometheus-alerts.yaml', 'grafana-dashboard.json'])(
    'contains every metric that deploy/%s uses',
    async (file) => {
      const rules = await readFile(new URL(`../../../../../deploy/${file}`, import.meta.url), 'utf8');
      const { payload } = await t.app.inject(scrape);
      const queried = rules.match(/\b(?:vestibule|http|process|nodejs)_[a-z\d_]+/g) ?? [];
      expect(queried.length).toBeGreaterThan(8);
      for (const name of queried) expect(payload).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    },
  );

  test('contains no Vestibule metric that the dashboard lacks', async () => {
    const dashboard = await readFile(
      new URL('../../../../../deploy/grafana-dashboard.json', import.meta.url),
      'utf8',
    );
    expect((JSON.parse(dashboard) as { panels: object[] }).panels.length).toBeGreaterThan(8);
    const { payload } = await t.app.inject(scrape);
    const own = new Set([...payload.matchAll(/^# HELP (vestibule_\w+)/gm)].map(([, name]) => name as string));
    for (const name of own) expect(dashboard).toContain(name);
  });

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer an-unknown-token' }],
    ['the token with a suffix', { authorization: `Bearer ${token}x` }],
    ['the token as a password', { authorization: `Basic ${btoa(`:${token}`)}` }],
    ['the headers of a proxy', { 'x-forwarded-for': '127.0.0.1' }],
  ])('returns 404 for %s, from any remote address', async (_what, headers) => {
    for (const remoteAddress of ['127.0.0.1', '::1', '192.0.2.1']) {
      const response = await t.app.inject({ url: '/metrics', remoteAddress, headers });
      expect(response.statusCode).toBe(404);
      expect(response.payload).not.toContain('process_');
    }
    const inTheAddress = await t.app.inject({ url: `/metrics?token=${token}` });
    expect([inTheAddress.statusCode, inTheAddress.json<{ code: string }>().code]).toEqual([
      404,
      'request.not_found',
    ]);
  });

  test('returns 404 while no METRICS_TOKEN is set', async () => {
    const without = await createTestApp();
    for (const headers of [scrape.headers, {}, { authorization: 'Bearer null' }])
      expect((await without.app.inject({ url: '/metrics', headers })).statusCode).toBe(404);
    await without.close();
  });
});

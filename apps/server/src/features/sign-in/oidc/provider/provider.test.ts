/** Providers that refuse, fail, changed or are not there: what a person is told, and what Settings shows. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestOidcSite,
  home,
  wayEnvironment,
  type TestOidcSite,
} from '../../../../test/test-oidc-site.ts';
import { newSigningKey } from '../../../../test/test-oidc-provider.ts';
import { createTestApp } from '../../../../test/test-app.ts';
import { createTestBrowser } from '../../../../test/test-browser.ts';

let site: TestOidcSite;
let ann: Awaited<ReturnType<TestOidcSite['join']>>;
beforeAll(async () => {
  site = await createTestOidcSite();
  ann = await site.join();
});
beforeEach(() => {
  Object.assign(site.acme.next, { error: null, answer: null, instead: null, sub: ann.sub });
});
afterAll(() => site.close());

describe('a provider', () => {
  const answers = (path: string, status: number, body = '', type = 'application/json') => {
    site.acme.next.instead = ({ url = '' }, response) => {
      if (!url.startsWith(path)) return false;
      response.writeHead(status, { 'content-type': type }).end(body);
      return true;
    };
  };

  test.each([
    ['access_denied', 'sign_in.cancelled'],
    ['login_required', 'sign_in.refused_by_provider'],
    ['server_error', 'sign_in.provider_down'],
    ['temporarily_unavailable', 'sign_in.provider_down'],
    ['invalid_scope', 'sign_in.provider_setup'],
  ])('that answers with %s is told as %s', async (error, code) => {
    site.acme.next.error = error;
    expect(await site.tryToSignIn()).toBe(code);
  });

  test('that never tells the address of somebody who is inside is waited for a few seconds only', async () => {
    site.acme.forgeIdToken((claims) => ({ ...claims, email: undefined, email_verified: undefined }));
    // Neither answers nor hangs up.
    site.acme.next.instead = ({ url = '' }) => url.startsWith('/me');
    const began = performance.now();
    expect(await site.tryToSignIn()).toBe(home);
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(site.acme.next.calls).toContain('/me');
  });

  test.each<[string, string, () => void]>([
    [
      'is down for the token',
      'sign_in.provider_down',
      () => answers('/token', 503, '{"error":"server_error"}'),
    ],
    ['is broken', 'sign_in.provider_down', () => answers('/token', 500, '<h1>Oops</h1>', 'text/html')],
    [
      'answers with a page',
      'sign_in.provider_answer',
      () => answers('/token', 200, '<h1>Hello</h1>', 'text/html'),
    ],
    [
      'answers with half of an answer',
      'sign_in.provider_answer',
      () => answers('/token', 200, '{"access_token"'),
    ],
    ['leads elsewhere', 'sign_in.provider_answer', () => answers('/token', 302, '')],
    [
      'does not know the secret',
      'sign_in.provider_setup',
      () => answers('/token', 401, '{"error":"invalid_client"}'),
    ],
    [
      'breaks the connection off',
      'sign_in.provider_down',
      () => {
        site.acme.next.instead = ({ url = '' }, response) =>
          url.startsWith('/token') && response.destroy() !== undefined;
      },
    ],
  ])('that %s is told as %s, and the way on is to try again', async (_what, code, prepare) => {
    prepare();
    const browser = site.browser();
    const outcome = await browser.outcome(await browser.signIn({ way: 'acme' }));
    expect(outcome).toMatchObject({ code, canRetry: true, values: { provider: 'Acme' } });
    // No text of the library or of the provider.
    expect(JSON.stringify(outcome)).not.toMatch(/OAUTH|Oops|fetch|oauth|undefined/);
  });

  test('that changed its keys since they were read a moment ago opens nothing, and the way on is to try again', async () => {
    const t = await createTestApp({
      beside: site.t,
      environment: { OIDC_PROVIDERS: 'acme', ...wayEnvironment('acme', site.acme) },
    });
    const browser = createTestBrowser(t);
    expect(await browser.signIn({ way: 'acme' })).toBe(home);
    const fresh = await newSigningKey('k2');
    site.acme.forgeIdToken((claims) => claims, { key: fresh.privateKey, header: { kid: 'k2' } });
    const outcome = await browser.outcome(await browser.signIn({ way: 'acme' }));
    expect(outcome).toMatchObject({ code: 'sign_in.provider_answer', canRetry: true });
    await t.close();
  });

  test('that is down stops no start; the start of a sign-in says so, and works once it is back', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    server.close();
    const t = await createTestApp({
      beside: site.t,
      environment: {
        OIDC_PROVIDERS: 'acme,away',
        ...wayEnvironment('acme', site.acme),
        ...wayEnvironment('away', { issuer: `http://127.0.0.1:${port}` }),
      },
    });
    const browser = createTestBrowser(t);
    const answer = await browser.ask('POST', '/api/sign-in/start', { body: { way: 'away' } });
    expect(answer.json()).toMatchObject({ code: 'sign_in.provider_down', values: { provider: 'Away' } });
    expect(answer.statusCode).toBe(503);
    expect(await browser.signIn({ way: 'acme' })).toBe(home);
    await t.close();
  });

  test('whose issuer is another than the configured one signs nobody in', async () => {
    const t = await createTestApp({
      beside: site.t,
      environment: {
        OIDC_PROVIDERS: 'acme',
        ...wayEnvironment('acme', { issuer: site.acme.issuer.replace('127.0.0.1', 'localhost') }),
      },
    });
    const answer = await createTestBrowser(t).ask('POST', '/api/sign-in/start', { body: { way: 'acme' } });
    expect(answer.json()).toMatchObject({ code: expect.stringMatching(/^sign_in\.provider_/) });
    await t.close();
  });

  test('is chosen by name, or by nothing where there is one; an unknown one is refused', async () => {
    const browser = site.browser();
    for (const body of [{ way: 'nowhere' }, {}, { address: 'ann@elsewhere.example' }])
      expect((await browser.ask('POST', '/api/sign-in/start', { body })).json()).toMatchObject({
        code: 'sign_in.way_unknown',
      });
    expect((await browser.ask('POST', '/api/sign-in/start', { body: { way: 'b2c' } })).json()).toEqual({
      way: { id: 'b2c', kind: 'b2c', name: 'Microsoft' },
      url: null,
    });
  });
});

test('what failed is noted for Settings, without what the provider sent', async () => {
  site.acme.next.error = 'server_error';
  site.t.clock.advance(2_000);
  await site.tryToSignIn();
  await expect
    .poll(() => site.t.select("select last_failure_code from sign_in_ways where way = 'acme'"))
    .toEqual([{ last_failure_code: 'sign_in.provider_down' }]);
  site.acme.next.error = null;
  const admin = await site.join('admin');
  const { rows } = (await admin.browser.ask('GET', '/api/settings/sign-in-ways')).json<{
    rows: { id: string; lastFailure: { message: string } | null }[];
  }>();
  expect(rows.map(({ id, lastFailure }) => [id, lastFailure?.message ?? null])).toEqual([
    ['b2c', null],
    ['acme', 'Acme cannot be reached at the moment. Try again in a minute.'],
    ['other', null],
  ]);
  expect(site.t.log.join('')).not.toMatch(/code=|state=/);
});

/** Requests of one callback that is delivered twice or reloaded while its code is being exchanged (security 51, 54, 55). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestOidcSite, homePath, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { sessionCookie } from '../sessions/sessions.ts';

let site: TestOidcSite;
let ann: Awaited<ReturnType<TestOidcSite['join']>>;
beforeAll(async () => {
  site = await createTestOidcSite();
  ann = await site.join();
});
afterEach(() => {
  Object.assign(site.acme.next, { answer: null, instead: null, error: null });
});
afterAll(async () => {
  await site.close();
});

type Browser = ReturnType<TestOidcSite['browser']>;

/** Delays answers of the token endpoint until `release` is called. */
function slowTokens() {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.acme.next.calls.length = 0;
  site.acme.next.answer = async (path, body) => {
    if (path === '/token') await promise;
    return body;
  };
  const exchanges = () => site.acme.next.calls.filter((path) => path === '/token').length;
  const isAsked = async () => {
    await expect.poll(exchanges).toBe(1);
  };
  return { release: resolve, exchanges, isAsked };
}

async function callbackOf(browser: Browser, body: Parameters<Browser['start']>[0] = {}): Promise<string> {
  site.acme.next.sub = ann.sub;
  return browser.visitProvider(await browser.start({ way: 'acme', returnTo: '/attachment?page=2', ...body }));
}
const locationOf = async (browser: Browser, back: string) =>
  String((await browser.ask('GET', back)).headers.location);
const sessionsSince = (at: Date) =>
  site.t.select<{ id: string }>('select id from sessions where created_at >= $1', [at]);
const rightNow = () => new Date(site.t.clock.now());

describe('a callback that is requested again while its code is being exchanged', () => {
  test('signs the browser in by either response, with one exchange and one session', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    const [tokens, at] = [slowTokens(), rightNow()];
    const answers = [browser.ask('GET', back), browser.ask('GET', back)];
    await tokens.isAsked();
    tokens.release();
    const values: unknown[] = [];
    for (const answer of await Promise.all(answers)) {
      expect(answer.headers.location).toBe('/attachment?page=2');
      values.push(answer.cookies.find(({ name }) => name === sessionCookie)?.value);
    }
    expect(values[0]).toMatch(/^[\w-]{43}$/);
    expect(values[1]).toBe(values[0]);
    expect(await browser.whoAmI()).toBe(ann.email);
    expect(tokens.exchanges()).toBe(1);
    expect(await sessionsSince(at)).toHaveLength(1);
  });

  test('reports the problem of the exchange to both requests', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    const { promise, resolve } = Promise.withResolvers<void>();
    site.acme.next.calls.length = 0;
    site.acme.next.instead = ({ url }, response) => {
      if (url !== '/token') return false;
      void promise.then(() => response.writeHead(503).end());
      return true;
    };
    const answers = [locationOf(browser, back), locationOf(browser, back)];
    await expect.poll(() => site.acme.next.calls).toContain('/token');
    resolve();
    for (const path of await Promise.all(answers))
      expect(await browser.outcome(path)).toMatchObject({
        code: 'sign_in.provider_down',
        returnTo: '/attachment?page=2',
      });
  });

  test('does not sign in another browser, which gets its response at once', async () => {
    const [browser, other] = [site.browser(), site.browser()];
    const back = await callbackOf(browser);
    const tokens = slowTokens();
    const first = locationOf(browser, back);
    await tokens.isAsked();
    expect(await other.outcome(await locationOf(other, back))).toMatchObject({ code: 'sign_in.expired' });
    for (const name of browser.cookies.keys()) other.cookies.set(name, 'A'.repeat(43));
    expect(await other.outcome(await locationOf(other, back))).toMatchObject({
      code: 'sign_in.expired',
      returnTo: homePath,
    });
    tokens.release();
    expect(await first).toBe('/attachment?page=2');
    expect(await other.outcome(await locationOf(other, back))).toMatchObject({ code: 'sign_in.expired' });
    expect(other.cookies.has(sessionCookie)).toBe(false);
  });
});

describe('a callback that is requested again later', () => {
  test('redirects the browser that it signed in to the requested address', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    expect(await locationOf(browser, back)).toBe('/attachment?page=2');
    expect(await locationOf(browser, back)).toBe('/attachment?page=2');
    const stranger = await site.join();
    expect(await locationOf(stranger.browser, back)).toBe(homePath);
  });

  test('does not sign in again after signing out', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    const before = new Map(browser.cookies);
    await locationOf(browser, back);
    expect((await browser.ask('POST', '/api/sign-out')).statusCode).toBe(200);
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect(await browser.outcome(await locationOf(browser, back))).toMatchObject({
      code: 'sign_in.expired',
      returnTo: '/attachment?page=2',
    });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });
});

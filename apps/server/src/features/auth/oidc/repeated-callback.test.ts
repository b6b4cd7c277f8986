/** Requests of one callback that is delivered twice, reloaded or aborted while its code is being exchanged (security 51, 54, 55). */
import type { AddressInfo } from 'node:net';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../../test/test-app.ts';
import {
  createTestOidcSite,
  homePath,
  providerEnvironment,
  type TestOidcSite,
} from '../../../test/test-oidc-site.ts';
import { deleteExpired } from '../sessions/session-store.ts';
import { sessionCookie } from '../sessions/sessions.ts';

let site: TestOidcSite;
let ann: Awaited<ReturnType<TestOidcSite['join']>>;
/** Another process of the site, on a port of this machine. */
let process: TestApp;
let address: string;
beforeAll(async () => {
  site = await createTestOidcSite();
  ann = await site.join();
  process = await createTestApp({
    sharedWith: site.t,
    environment: {
      OIDC_PROVIDERS: 'acme,other',
      ...providerEnvironment('acme', site.acme),
      ...providerEnvironment('other', site.other),
    },
  });
  await process.app.listen({ port: 0, host: '127.0.0.1' });
  address = `http://127.0.0.1:${(process.app.server.address() as AddressInfo).port}`;
});
afterEach(() => {
  Object.assign(site.acme.next, { answer: null, instead: null, error: null });
});
afterAll(async () => {
  await process.close();
  await site.close();
});

type Browser = ReturnType<TestOidcSite['browser']>;

/** Delays responses of the token endpoint until `release` is called. */
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
const cookiesOf = ({ cookies }: Browser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const sessionsSince = (at: Date) =>
  site.t.select<{ id: string }>('select id from sessions where created_at >= $1', [at]);
const rightNow = () => new Date(site.t.clock.now());

/** Sends the callback to the other process, and aborts the request once the code is being exchanged. */
async function abortedCallback(browser: Browser, back: string, tokens: ReturnType<typeof slowTokens>) {
  const controller = new AbortController();
  const aborted = fetch(address + back, {
    headers: { cookie: cookiesOf(browser) },
    redirect: 'manual',
    signal: controller.signal,
  }).catch(() => 'aborted');
  await tokens.isAsked();
  controller.abort();
  expect(await aborted).toBe('aborted');
}

describe('a callback that is requested again while its code is being exchanged', () => {
  test('exchanges its code once and starts one session, and both responses sign the browser in', async () => {
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

  test('signs the browser in at another process after the first request was aborted', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    const [tokens, at] = [slowTokens(), rightNow()];
    await abortedCallback(browser, back, tokens);
    const again = locationOf(browser, back);
    tokens.release();
    expect(await again).toBe('/attachment?page=2');
    expect(await browser.whoAmI()).toBe(ann.email);
    expect(tokens.exchanges()).toBe(1);
    expect(await sessionsSince(at)).toHaveLength(1);
  });

  test('signs in with the first code if two requests of one sign-in have different codes', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    const tokens = slowTokens();
    const second = new URL(back, site.t.config.publicUrl);
    second.searchParams.set('code', 'the-code-of-a-second-click');
    const answers = [locationOf(browser, back), locationOf(browser, second.pathname + second.search)];
    await tokens.isAsked();
    tokens.release();
    expect(await Promise.all(answers)).toEqual(['/attachment?page=2', '/attachment?page=2']);
    expect(tokens.exchanges()).toBe(1);
  });

  test('signs in a new user whose invitation is redeemed meanwhile', async () => {
    const email = site.newAddress();
    const { code: invitation } = await site.t.invitationTo(email);
    const browser = site.browser();
    const url = await browser.start({ way: 'acme', invitation, returnTo: '/profile' });
    site.acme.setNextAccount(`sub of ${email}`, { email, email_verified: true });
    const back = await browser.visitProvider(url);
    const tokens = slowTokens();
    await abortedCallback(browser, back, tokens);
    const again = locationOf(browser, back);
    tokens.release();
    expect(await again).toBe('/profile');
    expect(await browser.whoAmI()).toBe(email);
  });

  test('keeps the user signed in if the callback completes a confirmation', async () => {
    const { browser, sub, email } = await site.join();
    site.acme.next.sub = sub;
    const started = await browser.ask('POST', confirmSignIn.path, { body: { returnTo: '/settings' } });
    const { url } = started.json<{ url: string }>();
    browser.forgetProvider();
    const back = await browser.visitProvider(url);
    const tokens = slowTokens();
    await abortedCallback(browser, back, tokens);
    const again = locationOf(browser, back);
    tokens.release();
    expect(await again).toBe('/settings');
    expect(await browser.whoAmI()).toBe(email);
  });

  test('returns the error of the exchange to both requests', async () => {
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

  test('returns an error to another browser at once, and does not sign it in', async () => {
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
  test('redirects the signed-in browser to the return URL of the sign-in, and other browsers to the start page', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    expect(await locationOf(browser, back)).toBe('/attachment?page=2');
    expect(await locationOf(browser, back)).toBe('/attachment?page=2');
    const stranger = await site.join();
    expect(await locationOf(stranger.browser, back)).toBe(homePath);
  });

  test('does not sign the user in again after they signed out', async () => {
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

  test('returns an error with the return URL of the sign-in if the process that exchanged the code has died', async () => {
    const browser = site.browser();
    const back = await callbackOf(browser);
    await site.t.select('update sign_in_transactions set used_at = $1 where used_at is null', [
      new Date(site.t.clock.now() - 60_000),
    ]);
    expect(await browser.outcome(await locationOf(browser, back))).toMatchObject({
      code: 'sign_in.expired',
      returnTo: '/attachment?page=2',
    });
  });
});

describe('a session whose cookie did not reach the browser with the first response', () => {
  const tenMinutes = 600_000;
  const clean = () =>
    deleteExpired(site.t.database, {
      now: site.t.clock.now() + tenMinutes,
      absoluteMs: 24 * 3_600_000,
      transactionMs: tenMinutes,
    });
  const isReceived = (at: Date) =>
    site.t.select<{ received: string | null }>(
      "select outcome->>'isReceived' as received from sign_in_transactions where created_at >= $1",
      [at],
    );

  test('is removed when its sign-in expires', async () => {
    const browser = site.browser();
    const at = rightNow();
    const back = await callbackOf(browser);
    const tokens = slowTokens();
    await abortedCallback(browser, back, tokens);
    tokens.release();
    await expect.poll(() => isReceived(at)).toEqual([{ received: 'false' }]);
    expect(await sessionsSince(at)).toHaveLength(1);
    await clean();
    expect(await sessionsSince(at)).toEqual([]);
  });

  test('is kept if a second request has received the cookie', async () => {
    const browser = site.browser();
    const at = rightNow();
    const back = await callbackOf(browser);
    const tokens = slowTokens();
    await abortedCallback(browser, back, tokens);
    tokens.release();
    await expect.poll(() => isReceived(at)).toEqual([{ received: 'false' }]);
    expect(await locationOf(browser, back)).toBe('/attachment?page=2');
    await expect.poll(() => isReceived(at)).toEqual([{ received: 'true' }]);
    await clean();
    expect(await browser.whoAmI()).toBe(ann.email);
  });

  test('is kept if it was used', async () => {
    const browser = site.browser();
    const at = rightNow();
    const back = await callbackOf(browser);
    const tokens = slowTokens();
    await abortedCallback(browser, back, tokens);
    tokens.release();
    await expect.poll(() => isReceived(at)).toEqual([{ received: 'false' }]);
    await site.t.select(
      "update sessions set seen_at = seen_at + interval '1 minute' where created_at >= $1",
      [at],
    );
    await clean();
    expect(await sessionsSince(at)).toHaveLength(1);
  });
});

import { changeApplication, createApplication } from '@vestibule/contract/applications';
import { describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { askProxy, createApplicationSite, proxyAddress, type Browser } from './test-applications.ts';
import { deleteExpiredCodes } from './gate-store.ts';

const site = closeAfterTests(await createApplicationSite());
const { t, admin, a, b, register, browser } = site;
const callback = /\/\.vestibule\/callback/;
const host = (address: string) => new URL(address).host;
const opened = (applicationId: string) =>
  t.select<{ actor_label: string; target_label: string }>`
    select actor_label, target_label from audit_log where action = 'application.opened' and target_id = ${applicationId}
    order by id`;

describe('a deep link', () => {
  test('opens after the start page has signed the browser in, with query and fragment', async () => {
    const { address, id } = await register();
    const visitor = await browser(a.member);
    const deepLink = `${address}/page//x?a=b&to=/other&c=%2F%26#part?1`;
    const { url, response } = await visitor.open(deepLink);
    expect([response?.statusCode, url]).toEqual([200, deepLink]);
    expect(response?.headers['remote-user']).toBe('member@acme.example');
    expect(await opened(id)).toEqual([{ actor_label: 'member@acme.example', target_label: 'Wiki' }]);
  });

  test('of a second application needs no second login, and the first use of each is recorded once', async () => {
    const [one, two] = [await register(), await register()];
    const visitor = await browser(a.member);
    for (const { address } of [one, two, one, two])
      expect((await visitor.open(address)).response?.statusCode).toBe(200);
    visitor.jarOf(host(one.address)).clear();
    expect((await visitor.open(one.address)).response?.statusCode).toBe(200);
    expect([(await opened(one.id)).length, (await opened(two.id)).length]).toEqual([1, 1]);
    await (await browser(a.member)).open(one.address);
    expect(await opened(one.id)).toHaveLength(2);
  });

  test('leads visitors to the sign-in screen, and back with the fragment', async () => {
    const { address } = await register();
    const visitor = await browser();
    const { url } = await visitor.open(`${address}/page?a=b#part`, /\/layout\//);
    expect(url).toMatch(/^https:\/\/portal\.example\.com\/layout\/open-application\?.*#part$/);
    const { search, hash } = new URL(url);
    const signedIn = await browser(a.member);
    signedIn.jarOf(host(address)).set(...([...visitor.jarOf(host(address))][0] as [string, string]));
    const back = `https://portal.example.com/applications/start${search}&signedIn=1&fragment=${encodeURIComponent(hash)}`;
    expect(await signedIn.open(back)).toMatchObject({
      url: `${address}/page?a=b#part`,
      response: { statusCode: 200 },
    });
  });

  test('ends in an explanation, without a loop, if the sign-in started no session', async () => {
    const { address } = await register();
    const visitor = await browser();
    const { url } = await visitor.open(address, /\/layout\//);
    const back = url.replace('/layout/open-application', '/applications/start');
    const response = await visitor.get(`${back}&signedIn=1`);
    expect(response.statusCode).toBe(403);
    expect(response.payload).toContain('needs another sign-in method');
  });

  test('opens in two tabs that sign in at the same time', async () => {
    const { address } = await register();
    const visitor = await browser(a.member);
    const [one, two] = [
      await visitor.open(`${address}/1`, callback),
      await visitor.open(`${address}/2`, callback),
    ];
    expect((await visitor.open(two.url)).url).toBe(`${address}/2`);
    expect((await visitor.open(one.url)).url).toBe(`${address}/1`);
    expect(visitor.jarOf(host(address)).size).toBe(2);
  });
});

test.each([
  ['//evil.example/x', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example/', '/'],
  ['https%3A%2F%2Fevil.example%2F', '/'],
  ['%2F%2Fevil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['blob%3Ahttps%3A%2F%2FHOST%2Fpage', '/'],
  ['blob:https://HOST/page', '/'],
  ['%', '/'],
  ['/.vestibule/start?to=/', '/'],
  ['/x/../.vestibule/sign-out', '/'],
  [`/${'x'.repeat(2_000)}`, '/'],
  ['/page?a=b&c', '/page?a=b&c'],
  ['%2Fpage%3Fa%3Db', '/page?a=b'],
  ['https%3A%2F%2FHOST%2Fpage', '/page'],
  ['https://HOST/page', '/page'],
  ['/page?rd=/other&to=/third', '/page?rd=/other&to=/third'],
])('the return address %s opens %s', async (to, path) => {
  const { address } = await register();
  const visitor = await browser(a.member);
  const start = `${address}/.vestibule/start?to=${to.replace('HOST', host(address))}`;
  // The URL parser of the test must not change the address.
  const response = await t.app.inject({
    url: start.slice(address.length),
    remoteAddress: proxyAddress,
    headers: { 'x-forwarded-proto': 'https', host: host(address) },
  });
  visitor.jarOf(host(address)).set(...cookieIn(response.headers['set-cookie']));
  expect((await visitor.open(String(response.headers.location))).url).toBe(address + path);
});

const cookieIn = (line: unknown): [string, string] =>
  String(line).split(';')[0]?.split('=') as [string, string];

describe('the start page', () => {
  const start = (query: Record<string, string>) =>
    `https://portal.example.com/applications/start?${new URLSearchParams(query).toString()}`;
  const secret = 'a'.repeat(43);

  test.each([
    ['an unregistered address', { address: 'https://evil.example', to: '/', browser: secret }, 403],
    [
      'an address that begins like a registered one',
      { address: 'ADDRESS.evil.example', to: '/', browser: secret },
      403,
    ],
    ['an address with a path', { address: 'ADDRESS/x', to: '/', browser: secret }, 403],
    ['no address', { to: '/', browser: secret }, 400],
    ['no browser', { address: 'ADDRESS', to: '/' }, 400],
    ['a malformed browser', { address: 'ADDRESS', to: '/', browser: 'x' }, 400],
  ])('does not redirect to %s', async (_what, query, status) => {
    const { address } = await register();
    const values = Object.entries(query).map(
      ([name, value]) => [name, value.replace('ADDRESS', address)] as const,
    );
    const response = await (await browser(a.member)).get(start(Object.fromEntries(values)));
    expect([response.statusCode, response.headers.location]).toEqual([status, undefined]);
  });

  test.each([
    'Your account is locked, call 0900. Otherwise',
    'https://evil.example',
    '\0',
    'https://\0',
    'https://portal.example.com/\0',
  ])('does not name the unregistered application %j, with or without a session', async (address) => {
    for (const visitor of [await browser(), await browser(a.member)]) {
      const response = await visitor.get(start({ address, to: '/', browser: secret, signedIn: '1' }));
      expect(response.statusCode).toBe(403);
      expect(response.payload).toContain('This address is not registered');
      expect(response.payload).not.toMatch(/0900|evil/);
    }
  });

  test('redirects to the application itself if the return path names another host', async () => {
    const { address } = await register();
    const visitor = await browser(a.member);
    const { url } = await visitor.open(`${address}/`, /\/applications\/start/);
    const forged = url.replace(/to=[^&]*/, `to=${encodeURIComponent('https://evil.example/')}`);
    expect((await visitor.open(forged)).url).toBe(`${address}/`);
  });
});

describe('a code', () => {
  /** Returns a browser and the address with its code. */
  async function codeFor(address: string, visitor?: Browser) {
    const used = visitor ?? (await browser(a.member));
    return { visitor: used, url: (await used.open(`${address}/page`, callback)).url };
  }
  /** Returns `refused` for the explanation, without a cookie. */
  async function redeem(visitor: Browser, url: string): Promise<string> {
    const { statusCode, payload, headers } = await visitor.get(url);
    const isRefused = statusCode === 400 && payload.includes('This sign-in has expired');
    return isRefused && headers['set-cookie'] === undefined ? 'refused' : `${statusCode}`;
  }

  test('is accepted once', async () => {
    const { address } = await register();
    const { visitor, url } = await codeFor(address);
    expect((await visitor.get(url)).headers.location).toBe(`${address}/page`);
    visitor.jarOf(host(address)).delete('__Host-vestibule-application');
    expect(await redeem(visitor, url)).toBe('refused');
  });

  test('of a link that Word or another program opened first is refused with a link to the page, which signs in', async () => {
    const { address } = await register();
    const program = await browser();
    const { url: handedOver } = await program.open(`${address}/page?id=7`, /\/layout\/open-application/);
    const visitor = await browser(a.member);
    const { url } = await visitor.open(
      handedOver.replace('/layout/open-application', '/applications/start'),
      callback,
    );
    const { payload } = await visitor.get(url);
    expect(payload).toContain(`href="${address}/page?id=7"`);
    expect((await visitor.open(`${address}/page?id=7`)).url).toBe(`${address}/page?id=7`);
  });

  test('expires after a minute, and is deleted', async () => {
    const { address } = await register();
    const { visitor, url } = await codeFor(address);
    t.clock.advance(60_000);
    expect(await redeem(visitor, url)).toBe('refused');
    await codeFor(address);
    t.clock.advance(60_000);
    await deleteExpiredCodes(t.database, new Date(t.clock.now()));
    expect(await t.select('select 1 from application_codes')).toEqual([]);
  });

  test('of another browser is refused, and is useless afterwards', async () => {
    const { address } = await register();
    const { visitor, url } = await codeFor(address);
    const other = await browser(b.member);
    await other.open(`${address}/`, /\/applications\//);
    expect(await redeem(other, url)).toBe('refused');
    expect(await redeem(visitor, url)).toBe('refused');
    const without = await codeFor(address);
    without.visitor.jarOf(host(address)).clear();
    expect(await redeem(without.visitor, without.url)).toBe('refused');
  });

  test('of another host is refused', async () => {
    const [one, two] = [await register(), await register()];
    const { visitor, url } = await codeFor(one.address);
    const [cookie] = [...visitor.jarOf(host(one.address))];
    visitor.jarOf(host(two.address)).set(...(cookie as [string, string]));
    expect(await redeem(visitor, url.replace(one.address, two.address))).toBe('refused');
  });

  test('is refused after the session or the access has ended', async () => {
    const { address, id } = await register();
    const first = await codeFor(address);
    await t.callAs(admin, changeApplication, { params: { applicationId: id }, body: { access: [] } });
    expect(await redeem(first.visitor, first.url)).toBe('refused');
    const other = await register();
    const second = await codeFor(other.address);
    await t.app.inject({
      method: 'POST',
      url: '/api/sign-out',
      headers: { cookie: second.visitor.cookieOf('portal.example.com'), 'sec-fetch-site': 'same-origin' },
    });
    expect(await redeem(second.visitor, second.url)).toBe('refused');
  });

  test('is not accepted directly from a client', async () => {
    const { address } = await register();
    const { visitor, url } = await codeFor(address);
    const response = await t.app.inject({
      url: url.slice(address.length),
      remoteAddress: '203.0.113.7',
      headers: {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': host(address),
        cookie: visitor.cookieOf(host(address)),
      },
    });
    expect([response.statusCode, response.headers['set-cookie']]).toEqual([403, undefined]);
  });
});

test('the cookie of an application is for its host only, and not the one of the session', async () => {
  const { address } = await register();
  const visitor = await browser(a.member);
  const { url } = await visitor.open(`${address}/`, callback);
  const [line] = [(await visitor.get(url)).headers['set-cookie']].flat();
  expect(line).toMatch(
    /^__Host-vestibule-application=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(visitor.cookieOf('portal.example.com')).toMatch(/^__Host-vestibule=[\w-]{43}$/);
});

describe('/.vestibule/sign-out', () => {
  const post = (visitor: Browser, address: string, site_: string) =>
    t.app.inject({
      method: 'POST',
      url: '/.vestibule/sign-out',
      remoteAddress: proxyAddress,
      headers: {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': host(address),
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': site_,
        cookie: visitor.cookieOf(host(address)),
      },
      payload: '',
    });

  test('asks first, then ends the session and with it the sign-ins at all applications', async () => {
    const [one, two] = [await register(), await register()];
    const visitor = await browser(a.member);
    for (const { address } of [one, two]) await visitor.open(address);
    const page = await visitor.get(`${one.address}/.vestibule/sign-out`);
    expect(page.payload).toContain('<form method="post">');
    expect((await post(visitor, one.address, 'cross-site')).statusCode).toBe(403);
    expect((await post(visitor, one.address, 'same-site')).statusCode).toBe(403);
    expect((await visitor.get(two.address)).statusCode).toBe(200);
    const response = await post(visitor, one.address, 'same-origin');
    const signedOut = 'https://portal.example.com/login?sign-in=signed-out';
    expect([response.statusCode, response.headers.location]).toEqual([303, signedOut]);
    for (const { address } of [one, two]) expect((await visitor.get(address)).statusCode).toBe(302);
    const me = await visitor.get('https://portal.example.com/api/users/me');
    expect(me.statusCode).toBe(401);
    const again = await visitor.get(`${one.address}/.vestibule/sign-out`);
    expect(again.headers.location).toBe(signedOut);
  });
});

test('/.vestibule/denied explains a missing right of access to users behind nginx', async () => {
  const { address, id } = await register();
  const visitor = await browser(a.member);
  await visitor.open(address);
  expect((await visitor.get(`${address}/.vestibule/denied`)).headers.location).toBe(`${address}/`);
  await t.callAs(admin, changeApplication, { params: { applicationId: id }, body: { access: [] } });
  const response = await visitor.get(`${address}/.vestibule/denied`);
  expect([response.statusCode, response.payload.includes('member@acme.example')]).toEqual([403, true]);

  const [, link] = /href="([^"]+)">Use another account</.exec(response.payload) ?? [];
  const { url } = await visitor.open(link as string, /\/layout\//);
  const offered = new URL(url);
  expect(offered.origin + offered.pathname).toBe('https://portal.example.com/layout/open-application');
  expect(Object.fromEntries(offered.searchParams)).toMatchObject({ another: '1', address, to: '/' });
});

test('an application on http://localhost works as one on https does', async () => {
  const body = {
    name: 'Local',
    address: 'http://wiki.localhost:8080',
    access: [{ kind: 'everyone' as const }],
  };
  expect((await t.callAs(admin, createApplication, { body })).status).toBe(200);
  const visitor = await browser(a.member);
  expect((await visitor.open(`${body.address}/page`)).response?.statusCode).toBe(200);
  expect((await askProxy(t, 'http://wiki.localhost/page')).statusCode).toBe(403);
});

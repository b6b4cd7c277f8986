import { randomUUID } from 'node:crypto';
import { changeApplication } from '@vestibule/contract/applications';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { askProxy, createApplicationSite, pageHeaders, proxyAddress } from './test-applications.ts';

const site = closeAfterTests(await createApplicationSite());
const { t, admin, a, register, browser, signedIn } = site;

const codeOf = (response: { json: () => unknown }) => (response.json() as { code?: string }).code;
const identityOf = ({ headers }: { headers: Record<string, unknown> }) =>
  Object.fromEntries(
    ['remote-user', 'remote-email', 'remote-name', 'remote-groups', 'x-vestibule-assertion'].map((name) => [
      name,
      headers[name],
    ]),
  );
const nothing = {
  'remote-user': '',
  'remote-email': '',
  'remote-name': '',
  'remote-groups': '',
  'x-vestibule-assertion': '',
};

const keys = async () =>
  createLocalJWKSet((await t.app.inject('/.well-known/jwks.json')).json<JSONWebKeySet>());

describe('GET /forward-auth', () => {
  test('answers 200 with the identity of a signed-in user who has access', async () => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const response = await opened.get(`${address}/page`);
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['set-cookie']).toBeUndefined();
    expect(identityOf(response)).toMatchObject({
      'remote-user': 'manager@acme.example',
      'remote-email': 'manager@acme.example',
      'remote-groups': 'member,organization:acme,organization:acme:manager',
    });
    const assertion = String(response.headers['x-vestibule-assertion']);
    const verify = async (clockDifferenceMs: number) =>
      jwtVerify(assertion, await keys(), {
        issuer: 'https://portal.example.com',
        audience: address,
        currentDate: new Date(t.clock.now() + clockDifferenceMs),
      });
    const { payload } = await verify(0);
    for (const differenceMs of [-60_000, 60_000]) await verify(differenceMs);
    expect(payload).toMatchObject({
      sub: a.manager.id,
      email: 'manager@acme.example',
      groups: ['member', 'organization:acme', 'organization:acme:manager'],
    });
    expect((payload.exp as number) - (payload.iat as number)).toBe(300);
  });

  test('ignores headers about the body, which proxies pass on without it, such as those of git', async () => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-git-upload-pack-request' };
    expect((await opened.get(`${address}/repository/git-upload-pack`, headers)).statusCode).toBe(200);
  });

  test('signs a new assertion before the previous one is a minute old', async () => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const assertion = async () => (await opened.get(address)).headers['x-vestibule-assertion'];
    const first = await assertion();
    expect(await assertion()).toBe(first);
    t.clock.advance(61_000);
    expect(await assertion()).not.toBe(first);
  });

  test('encodes names so that they are one line of ASCII', async () => {
    const { address } = await register();
    const person = await t.join('joerg@example.com');
    await t.select`
      update people set display_name = ${'Jörg 50%\r\nRemote-User: admin\u{1F600}'} where id = ${person.id}`;
    const response = await (await signedIn(person, address)).get(address);
    expect(response.headers['remote-name']).toBe('J%C3%B6rg 50%25%0D%0ARemote-User: admin%F0%9F%98%80');
    expect(response.headers['remote-user']).toBe(person.email);
  });

  test('answers with the groups of the directory, which can also give access', async () => {
    const person = await t.join('grouped@example.com');
    const groupIds = ['Finance, "EU"', 'all', 'Zürich'].map((name) => ({ id: randomUUID(), name }));
    const userId = randomUUID();
    await t.select`
      insert into directory_users (id, user_name, email, email_canonical, active, person_id, created_at, modified_at)
      values (${userId}, ${person.email}, ${person.email}, ${person.email}, true, ${person.id}, now(), now())`;
    for (const { id, name } of groupIds) {
      await t.select`
        insert into directory_groups (id, display_name, created_at, modified_at) values (${id}, ${name}, now(), now())`;
      if (name !== 'all') await t.select`insert into directory_members values (${id}, ${userId})`;
    }
    const { address } = await register([{ kind: 'group', groupId: groupIds[2]?.id as string }]);
    const response = await (await signedIn(person, address)).get(address);
    expect(response.statusCode).toBe(200);
    expect(response.headers['remote-groups']).toBe('member,group:Finance%2C "EU",group:Z%C3%BCrich');
    const other = await register([{ kind: 'group', groupId: groupIds[1]?.id as string }]);
    await expect(signedIn(person, other.address)).rejects.toThrow('403');
  });

  test.each([
    ['a page load', { ...pageHeaders }, 302],
    ['a page load of a browser without Fetch Metadata', { accept: 'text/html' }, 302],
    ['a HEAD request of a page', { ...pageHeaders, 'x-forwarded-method': 'HEAD' }, 302],
    [
      'a link in a document of Word',
      { accept: '*/*', 'user-agent': 'Mozilla/4.0 (compatible; ms-office)' },
      302,
    ],
    ['a page in an Android app', { ...pageHeaders, 'x-requested-with': 'com.google.android.gm' }, 302],
    ['fetch', { accept: '*/*', 'sec-fetch-mode': 'cors' }, 401],
    ['fetch that accepts HTML', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, 401],
    ['XMLHttpRequest', { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }, 401],
    ['a program', {}, 401],
    ['a form', { ...pageHeaders, 'x-forwarded-method': 'POST' }, 401],
    [
      'a CORS preflight',
      {
        'x-forwarded-method': 'OPTIONS',
        origin: 'https://other.example',
        'access-control-request-method': 'PUT',
      },
      401,
    ],
    ['a WebSocket', { ...pageHeaders, 'sec-websocket-key': 'x' }, 401],
    [
      'a page load with credentials for the application',
      { ...pageHeaders, authorization: 'Basic dTpw' },
      302,
    ],
    ['credentials of a program', { accept: 'text/html', authorization: 'Basic dTpw' }, 401],
    ['malformed credentials', { accept: 'text/html', authorization: 'Bearer' }, 401],
    ['empty credentials', { accept: 'text/html', authorization: '' }, 401],
    ['an unknown access token', { ...pageHeaders, authorization: `Bearer vst_${'a'.repeat(43)}` }, 401],
  ])('answers %s without a sign-in: %o gets %i', async (_what, headers, status) => {
    const { address } = await register();
    const response = await askProxy(t, `${address}/a?b=c&d`, headers);
    expect(response.statusCode).toBe(status);
    expect(response.headers.location).toBe(
      status === 302 ? `${address}/.vestibule/start?to=/a?b=c&d` : undefined,
    );
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['application.untrusted_proxy', 'the client claims a host by its own headers', {}, '203.0.113.7'],
    ['application.untrusted_proxy', 'X-Forwarded-Host is missing', { 'x-forwarded-host': undefined }],
    ['application.untrusted_proxy', 'X-Forwarded-Proto is missing', { 'x-forwarded-proto': undefined }],
    [
      'application.untrusted_proxy',
      'X-Forwarded-Host has two values',
      { 'x-forwarded-host': 'a.example.com, HOST' },
    ],
    ['application.untrusted_proxy', 'X-Forwarded-Host has credentials', { 'x-forwarded-host': 'x@HOST' }],
    ['application.untrusted_proxy', 'X-Forwarded-Host has a path', { 'x-forwarded-host': 'HOST/x' }],
    ['application.unknown_host', 'the host is not registered', { 'x-forwarded-host': 'other.example.com' }],
    ['application.unknown_host', 'the host is a part of a registered one', { 'x-forwarded-host': 'xHOST' }],
    [
      'application.unknown_host',
      'the host continues a registered one',
      { 'x-forwarded-host': 'HOST.evil.example' },
    ],
    ['application.unknown_host', 'the port differs', { 'x-forwarded-host': 'HOST:8443' }],
    ['application.unknown_host', 'the scheme differs', { 'x-forwarded-proto': 'http' }],
    ['application.unknown_host', 'the host ends with a dot', { 'x-forwarded-host': 'HOST.' }],
  ])('answers 403 with %s if %s', async (code, _what, headers, remoteAddress = proxyAddress) => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const { host } = new URL(address);
    const changed = Object.fromEntries(
      Object.entries(headers as Record<string, string | undefined>).map(([name, value]) => [
        name,
        value?.replace('HOST', host),
      ]),
    );
    const cookie = opened.cookieOf(host);
    for (const path of ['/forward-auth', '/forward-auth/optional']) {
      const response = await askProxy(t, address, { cookie, ...changed }, { remoteAddress, path });
      expect([path, response.statusCode, codeOf(response)]).toEqual([path, 403, code]);
    }
    const page = await askProxy(t, address, { cookie, ...pageHeaders, ...changed }, { remoteAddress });
    expect([page.statusCode, page.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
  });

  test.each([
    ['in upper case', (host: string) => host.toUpperCase()],
    ['with the default port', (host: string) => `${host}:443`],
  ])('accepts the host %s', async (_what, change) => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const { host } = new URL(address);
    const response = await askProxy(t, address, {
      cookie: opened.cookieOf(host),
      'x-forwarded-host': change(host),
    });
    expect(response.statusCode).toBe(200);
  });

  test.each([
    ['HTTP/1.1', { 'sec-websocket-key': 'x', 'x-forwarded-proto': 'wss' }],
    ['HTTP/2, as HAProxy reports them', { upgrade: 'websocket' }],
    ['HTTP/2', { 'x-forwarded-method': 'CONNECT' }],
  ])('accepts WebSockets of pages of the application only (%s)', async (_, headers) => {
    const { address } = await register();
    const opened = await signedIn(a.manager, address);
    const socket = (origin: string) => opened.get(`${address}/socket`, { ...headers, origin });
    expect((await socket(address)).statusCode).toBe(200);
    const foreign = await socket('https://other.example.com');
    expect([foreign.statusCode, codeOf(foreign)]).toEqual([403, 'request.foreign_origin']);
  });

  test('accepts the cookie of one application at that application only', async () => {
    const [one, two] = [await register(), await register()];
    const opened = await signedIn(a.manager, one.address);
    const cookie = opened.cookieOf(new URL(one.address).host);
    expect((await askProxy(t, one.address, { cookie })).statusCode).toBe(200);
    expect((await askProxy(t, two.address, { cookie })).statusCode).toBe(401);
  });

  test('at /optional, always answers 200, with empty headers unless the user has access', async () => {
    const { address, id } = await register();
    const opened = await signedIn(a.manager, address);
    const cookie = opened.cookieOf(new URL(address).host);
    const optional = (headers: Record<string, string>) =>
      askProxy(t, address, { ...pageHeaders, ...headers }, { path: '/forward-auth/optional' });
    expect((await optional({ cookie })).headers['remote-user']).toBe('manager@acme.example');
    await t.callAs(admin, changeApplication, { params: { applicationId: id }, body: { access: [] } });
    for (const headers of [
      { cookie },
      { 'remote-user': 'forged' },
      { authorization: 'Bearer' },
      { authorization: `Bearer vst_${'a'.repeat(43)}` },
      { 'x-forwarded-method': 'POST' },
    ]) {
      const response = await optional(headers);
      expect([response.statusCode, identityOf(response)]).toEqual([200, nothing]);
    }
  });
});

test.each(['/forward-auth?optional', '/forward-auth?/optional', '/forward-auth/nginx?optional=true'])(
  'ignores the query of %s, which Caddy copies from the client',
  async (path) => {
    const { address } = await register();
    const response = await askProxy(t, address, { 'x-original-url': `${address}/` }, { path });
    expect(response.statusCode).toBe(401);
  },
);

describe('GET /forward-auth/nginx', () => {
  const ask = (address: string, headers: Record<string, string | undefined>) =>
    askProxy(
      t,
      address,
      {
        'x-forwarded-host': undefined,
        'x-forwarded-proto': undefined,
        'x-original-url': `${address}/a?b`,
        ...headers,
      },
      { path: '/forward-auth/nginx' },
    );

  test('answers only 200, 401 and 403', async () => {
    const { address, id } = await register();
    const opened = await signedIn(a.manager, address);
    const cookie = opened.cookieOf(new URL(address).host);
    const allowed = await ask(address, { cookie });
    expect([allowed.statusCode, allowed.headers['remote-user']]).toEqual([200, 'manager@acme.example']);
    const anonymous = await ask(address, pageHeaders);
    expect([anonymous.statusCode, anonymous.headers.location]).toEqual([401, undefined]);
    expect((await ask('https://unknown.example.com', { cookie })).statusCode).toBe(403);
    expect((await ask(address, { cookie, 'x-original-url': undefined })).statusCode).toBe(403);
    await t.callAs(admin, changeApplication, { params: { applicationId: id }, body: { access: [] } });
    expect((await ask(address, { ...pageHeaders, cookie })).statusCode).toBe(403);
  });

  test('rejects an X-Original-URL that names another host than X-Forwarded-Host', async () => {
    const [one, two] = [await register(), await register([])];
    const opened = await signedIn(a.manager, one.address);
    const cookie = opened.cookieOf(new URL(one.address).host);
    const forwardedHost = (address: string) => ({ 'x-forwarded-host': new URL(address).host });
    expect((await ask(one.address, { cookie, ...forwardedHost(one.address) })).statusCode).toBe(200);
    expect((await ask(one.address, { cookie, ...forwardedHost(two.address) })).statusCode).toBe(403);
  });

  test('does not read X-Original-URL at the address for other proxies', async () => {
    const [one, two] = [await register(), await register([])];
    const opened = await signedIn(a.manager, one.address);
    const cookie = opened.cookieOf(new URL(one.address).host);
    const response = await askProxy(t, two.address, { cookie, 'x-original-url': `${one.address}/` });
    expect(response.statusCode).toBe(401);
  });
});

test('/forward-auth/envoy/… answers for the method, host and path of the request', async () => {
  const { address } = await register();
  const opened = await signedIn(a.manager, address);
  const { host } = new URL(address);
  const ask = (method: 'GET' | 'POST' | 'PROPFIND', headers: Record<string, string>) =>
    t.app.inject({
      method,
      url: '/forward-auth/envoy/page?optional',
      remoteAddress: proxyAddress,
      headers: { host, 'x-forwarded-proto': 'https', 'content-type': 'application/json', ...headers },
    });
  const response = await ask('POST', { cookie: opened.cookieOf(host) });
  expect([response.statusCode, response.headers['remote-user']]).toEqual([200, 'manager@acme.example']);
  expect((await ask('POST', pageHeaders)).statusCode).toBe(401);
  expect((await ask('PROPFIND', { cookie: opened.cookieOf(host) })).statusCode).toBe(200);
  expect((await ask('PROPFIND', {})).statusCode).toBe(401);
  expect((await ask('GET', pageHeaders)).headers.location).toBe(
    `${address}/.vestibule/start?to=/page?optional`,
  );
});

test('a page explains a missing right of access, and names whom to ask', async () => {
  const { address } = await register([]);
  const opened = await browser(a.manager);
  const { response, url } = await opened.open(`${address}/secret`);
  expect([response?.statusCode, new URL(url).host]).toEqual([403, 'portal.example.com']);
  expect(response?.payload).toContain('You do not have access to Wiki');
  expect(response?.payload).toContain('manager@acme.example');
  const german = await opened.get(url, { 'accept-language': 'de' });
  expect(german.payload).toContain('Sie haben keinen Zugang zu Wiki');
});

/** Invalid requests, and headers of every response (E3; security 2, 11, 38–40, 44). */
import { requestErrors } from '@vestibule/contract/request-errors';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { createTestApp, type TestApp } from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';
import { withoutColumn } from '../../test/database/test-faults.ts';

let t: TestApp;
const reported: string[] = [];
const webDirectory = mkdtempSync(path.join(tmpdir(), 'vestibule-web-'));
mkdirSync(path.join(webDirectory, 'assets'));
writeFileSync(path.join(webDirectory, 'index.html'), '<!doctype html><title>Portal</title>');
writeFileSync(path.join(webDirectory, 'assets', 'main-abc123.js'), 'export {};');
t = await createTestApp({ webDirectory, reportError: (text) => reported.push(text) });
const admin = await t.join('admin@example.com', 'admin');
afterAll(async () => {
  await t.close();
  rmSync(webDirectory, { recursive: true });
});

const authorization = () => ({ authorization: `Bearer ${admin.token}` });
const post = (
  payload: string | Buffer | undefined,
  headers: Record<string, string>,
  url = '/api/invitations',
) =>
  t.app.inject({
    method: 'POST',
    url,
    headers: { ...authorization(), ...headers },
    ...(payload !== undefined && { payload }),
  });
const json = { 'content-type': 'application/json' };
const errorBody = {
  code: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/),
  message: expect.stringMatching(/\.$/),
  requestId: expect.stringMatching(/^[0-9a-f]{16}$/),
};

describe('an invalid body', () => {
  test.each([
    ['text/plain', 'text/plain', '{"email":"a@example.com"}'],
    ['a form', 'application/x-www-form-urlencoded', 'email=a@example.com'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['XML', 'application/xml', '<email/>'],
    ['a type with two slashes', 'application/json/x', '{}'],
    ['missing', '', '{}'],
    ['nonsense', ';;;', '{}'],
  ])('is refused with 415 if its type is %s', async (_what, type, payload) => {
    const response = await post(payload, { 'content-type': type });
    expect(response.statusCode).toBe(415);
    expect(response.json()).toEqual({ ...errorBody, code: 'request.unsupported_type' });
  });

  test.each([
    ['half an object', '{"email":'],
    ['nothing', ''],
    ['two objects', '{}{}'],
    ['an array', '[]'],
    ['a text', '"a@example.com"'],
    ['null', 'null'],
    ['a number', '7'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['Latin-1', Buffer.from('{"email":"jörg@example.com"}', 'latin1')],
    ['__proto__', '{"email":"a@example.com","__proto__":{}}'],
    ['100,000 brackets', '['.repeat(100_000)],
  ])('is refused with 400 if it contains %s', async (_what, payload) => {
    const response = await post(payload, json);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ ...errorBody, code: 'request.malformed' });
  });

  test('is refused with 415 if it is compressed', async () => {
    const response = await post(gzipSync('{"email":"ann@example.com"}'), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(response.statusCode).toBe(415);
    expect(response.json()).toMatchObject({ code: 'request.compressed' });
  });

  test('is refused with 413 if it is larger than 256 KB', async () => {
    const response = await post(JSON.stringify({ email: 'x'.repeat(256 * 1024) }), json);
    expect(response.json()).toEqual({ ...errorBody, code: 'request.too_large' });
    expect(response.statusCode).toBe(413);
  });

  test('is refused with 400 and without field errors if it is missing', async () => {
    expect((await post(undefined, {})).json()).toEqual({ ...errorBody, code: 'request.malformed' });
  });

  test.each(['constructor', 'toString', 'nickname'])(
    'is refused with the name of the unknown field %s',
    async (name) => {
      const response = await post(JSON.stringify({ email: 'a@example.com', [name]: 1 }), json);
      expect(response.json()).toMatchObject({ fields: { [name]: 'This field is not known here.' } });
      expect(response.statusCode).toBe(400);
    },
  );
});

test.each([undefined, 'application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
  'a call without a body is accepted with the content type %s',
  async (type) => {
    const { body } = await t.callAs(admin, invite, { body: { email: 'revoked@example.com' } });
    const response = await t.app.inject({
      method: 'POST',
      url: revokeInvitation.path.replace(':invitationId', body.id),
      headers: { ...authorization(), ...(type && { 'content-type': type }), 'content-length': '0' },
    });
    expect(response.statusCode).toBe(200);
  },
);

test.each(['/api/people/', '//api//people?limit=1', '/healthz/', '//readyz'])(
  'surplus slashes are ignored: %s',
  async (url) => {
    const response = await t.app.inject({ url, headers: authorization() });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('application/json');
  },
);

describe('an invalid address', () => {
  test.each([
    ['/api/users/%'],
    ['/api/users/%zz'],
    ['/api/people/%00/disable'],
    ['/api/people/%c0%ae%c0%ae/disable'],
    ['/api/people/..%2f..%2fetc%2fpasswd/disable'],
    [`/api/people/${'x'.repeat(10_000)}/disable`],
    [`/api/people?search=${'x'.repeat(60_000)}`],
    [`/api/people?${'a=1&'.repeat(15_000)}`],
    ['/api/people?limit[]=1&limit[__proto__]=2&__proto__=1&constructor=1'],
    ['/api/people?%zz=%zz&limit=%'],
    ['/api'],
    ['/api/'],
    ['/api/nothing'],
    ['/%zz'],
  ])('gets an error in the format of the API (number %#)', async (url) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const) {
      const response = await t.app.inject({ method, url, headers: authorization() });
      expect(response.statusCode).toBeLessThan(500);
      expect(response.statusCode < 400 || method === 'HEAD' ? errorBody : response.json()).toMatchObject(
        errorBody,
      );
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

test('a request that is not HTTP is refused, and the server keeps running', async () => {
  await listen();
  const { port } = t.app.server.address() as AddressInfo;
  for (const text of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nbad header\r\n\r\n',
    '\0\0\0\0',
    'GET /\r\n\r\n',
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.end(text);
    let response = '';
    for await (const chunk of socket) response += String(chunk);
    expect(response).not.toMatch(/at .*\.[jt]s|node_modules/);
  }
  expect((await t.callAs(admin, getMe)).status).toBe(200);
});

describe('every response', () => {
  const addresses = [
    '/api/config',
    '/api/users/me',
    '/api/nothing',
    '/api/docs',
    '/',
    '/assets/none.js',
    '/healthz',
  ];
  test.each(addresses)('to %s has the security headers and a request id', async (url) => {
    const { headers } = await t.app.inject(url);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-request-id': expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie'])
      expect(headers).not.toHaveProperty(name);
  });

  test.each([
    ['https://portal.example.com', 'max-age=31536000'],
    ['http://localhost:3000', undefined],
    ['https://localhost:3000', undefined],
  ])('has Strict-Transport-Security if the site is public and on https (%s)', async (publicUrl, header) => {
    const site = await createTestApp({ sharedWith: t, environment: { PUBLIC_URL: publicUrl } });
    const { headers } = await site.app.inject('/api/config');
    await site.close();
    expect(headers['strict-transport-security']).toBe(header);
  });

  test.each(contractRoutes.map((route) => [route.method, route.path] as const))(
    'to %s %s has Cache-Control: no-store',
    async (method, url) => {
      for (const headers of [{}, authorization()]) {
        // Event streams have no end.
        const response = await t.app.inject({ method, url, headers, payloadAsStream: true });
        response.stream().resume();
        expect(response.headers['cache-control']).toMatch(/^no-store\b/);
      }
    },
  );

  test.each(['https://evil.example', 'null', 'https://portal.example.com.evil.example'])(
    'to the origin %s has no CORS headers',
    async (origin) => {
      const preflight = await t.app.inject({
        method: 'OPTIONS',
        url: '/api/users/me',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(preflight.statusCode).toBe(404);
      const simple = await t.app.inject({ url: '/api/config', headers: { origin } });
      for (const { headers } of [preflight, simple])
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );
});

describe('the page', () => {
  test.each(['/', '/signup?i=abc', '/layout/dashboard', '/error', '/no/such/screen'])(
    'is served at %s with its content security policy',
    async (url) => {
      const response = await t.app.inject(url);
      expect(response.statusCode).toBe(200);
      expect(response.payload).toContain('Portal');
      expect(response.headers['cache-control']).toBe('no-cache');
      const directives = Object.fromEntries(
        String(response.headers['content-security-policy'])
          .split('; ')
          .map((directive) => {
            const [name = '', ...values] = directive.split(' ');
            return [name, values.join(' ')];
          }),
      );
      expect(directives).toMatchObject({
        'default-src': "'self'",
        'script-src': "'self'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'frame-ancestors': "'self'",
        'connect-src': "'self' https://contoso.b2clogin.com",
        'frame-src': "'self' https://contoso.b2clogin.com",
      });
    },
  );

  test.each([
    ['//signup?i=abc&from=a//b', '/signup?i=abc&from=a//b'],
    ['/layout//people/', '/layout/people/'],
    ['//evil.example', '/evil.example'],
  ])('is opened at an address without surplus slashes: %s', async (url, location) => {
    const response = await t.app.inject({ url, headers: { accept: 'text/html,*/*' } });
    expect(response.statusCode).toBe(308);
    expect(response.headers.location).toBe(`https://portal.example.com${location}`);
  });

  test.each(['/%', '/layout/%zz?x=%', '/%c0%ae'])(
    'is served to a browser at an address that cannot be decoded: %s',
    async (url) => {
      const response = await t.app.inject({ url, headers: { accept: 'text/html,*/*' } });
      expect([response.statusCode, response.payload]).toEqual([200, expect.stringContaining('Portal')]);
      expect(response.headers['content-security-policy']).toContain("default-src 'self'");
      for (const other of [`/api${url}`, `/scim/v2${url}`])
        expect((await t.app.inject({ url: other, headers: { accept: 'text/html,*/*' } })).statusCode).toBe(
          400,
        );
    },
  );

  test('is not served for a missing asset or below /api/ and /.vestibule/', async () => {
    for (const url of [
      '/assets/none.js',
      '/favicon.png',
      '/api',
      '/api/x',
      '/.vestibule/x',
      '/API/people',
      '/SCIM/v2/Users',
      '/.env',
      '/assets/../../package.json',
    ]) {
      const response = await t.app.inject(url);
      expect(response.statusCode).toBe(404);
      expect(response.payload).not.toContain('Portal');
    }
  });

  test('has assets that browsers cache for a year', async () => {
    const response = await t.app.inject('/assets/main-abc123.js');
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(response.headers['content-type']).toContain('javascript');
  });
});

describe('an unexpected error', () => {
  test('returns 500 without details, and is logged in full with the same request id', async () => {
    const token = await t.mint({ sub: 'x', emails: ['x@example.com'] });
    const response = await withoutColumn(t, 'people', 'display_name', () => t.call(getMe, { token }));
    expect(response).toMatchObject({ status: 500, body: { ...errorBody, code: 'server.unexpected' } });
    expect(response.text).not.toMatch(/display_name|column|select|\.ts|node_modules|postgres/i);
    // Neither the body nor a header reveals the software (security 44).
    expect(Object.keys(response.body).toSorted()).toEqual(['code', 'message', 'requestId']);
    expect(response.body.message).toBe(requestErrors.unexpected.message);
    expect(Object.keys(response.headers)).not.toContain('server');
    expect(JSON.stringify(response.headers)).not.toMatch(/fastify|node|express|postgres/i);
    const line = t.log.find((one) => one.includes(response.body.requestId) && one.includes('"level":50'));
    expect(line).toContain('display_name');
    expect(reported.at(-1)).toMatch(/column .*display_name.*\n\s+at /s);
    expect(response.headers['x-request-id']).toBe(response.body.requestId);
  });

  test.each([
    ['is unreachable', 'ECONNREFUSED'],
    ['became read-only', '25006'],
    ['is shutting down', '57P01'],
    ['has a full disk', '53100'],
  ])('returns 503 with Retry-After if the database %s', async (_, code) => {
    const appWithoutDatabase = await createTestApp({
      sharedWith: t,
      wrapDatabase: (database) => ({
        ...database,
        query: (config) =>
          config.name === 'find-people-by-identity'
            ? Promise.reject(Object.assign(new Error('the database failed'), { code }))
            : database.query(config),
      }),
    });
    const response = await appWithoutDatabase.callAs(admin, getMe);
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { ...errorBody, code: 'server.unavailable' },
    });
    await appWithoutDatabase.close();
  });

  test('returns 503 with Retry-After if the database refuses the login, and logs the setting to correct', async () => {
    const refused = openDatabase(Object.assign(new URL(t.databaseUrl), { password: 'rotated' }).href);
    const appWithoutLogin = await createTestApp({
      sharedWith: t,
      wrapDatabase: (database) => ({
        ...database,
        query: (config) => (config.name === 'find-people-by-identity' ? refused : database).query(config),
      }),
    });
    expect(await appWithoutLogin.callAs(admin, getMe)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { ...errorBody, code: 'server.unavailable' },
    });
    expect(appWithoutLogin.log.join('')).toContain('Correct the user or the password in DATABASE_URL.');
    await appWithoutLogin.close();
    await refused.end();
  });
});

test('every request is logged once, without its query', async () => {
  const response = await t.app.inject('/signup?i=secret-code&t=secret-token');
  const lines = t.log.filter((line) => line.includes(response.headers['x-request-id'] as string));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ msg: 'answered', path: '/signup', status: 200 });
  expect(t.log.join('')).not.toContain('secret-');
});

async function listen(): Promise<void> {
  if (t.app.server.listening) return;
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  if (!t.app.server.listening) await once(t.app.server, 'listening');
}

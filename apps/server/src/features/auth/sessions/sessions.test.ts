import { watchChanges } from '@vestibule/contract/events';
import { getMe } from '@vestibule/contract/profile/me';
import { disablePerson, enablePerson, signOutPerson } from '@vestibule/contract/people';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { backgroundHeader } from '@vestibule/contract/rules/limits';
import { endSessionOf, listSessionsOf } from '@vestibule/contract/sign-in/sessions';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser } from '../../../test/sign-in/test-browser.ts';
import { providerEnvironment, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { userEndReason, sessionCookie } from './sessions.ts';
import { preloadHeaders } from './preload-headers.ts';

const site = await setUpOidcSite();
const admin = await site.t.join('admin@example.com', 'admin');

const hourMs = 3_600_000;
const asAdmin = async () => ({ token: await site.t.mint({ sub: admin.subject, emails: [admin.email] }) });
const rowsOf = (personId: string) =>
  site.t.select<{ id: string; seen_at: Date; refresh_token_sealed: Buffer; id_token_sealed: Buffer }>`
    select * from sessions where person_id = ${personId}`;
async function emailOfSession(cookie: string): Promise<string> {
  const response = await site.t.app.inject({ url: getMe.path, headers: { cookie } });
  const body = response.json<{ Email?: string; code?: string }>();
  return body.Email ?? (body.code as string);
}

describe('a session cookie', () => {
  test('is inaccessible to scripts, other sites and plain connections; only its hash is stored', async () => {
    const { id, browser } = await site.join();
    expect(browser.cookies.get(sessionCookie)).toMatch(/^[\w-]{43}$/);
    const back = await browser.visitProvider(await browser.start({ way: 'acme' }));
    const response = await browser.ask('GET', back);
    expect([response.headers['set-cookie']].flat()).toContainEqual(
      expect.stringMatching(
        /^__Host-vestibule=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax$/,
      ),
    );
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify(await rowsOf(id))).not.toContain(browser.cookies.get(sessionCookie));
  });

  test('is replaced by every sign-in, and the previous one stops working', async () => {
    const { id, email, sub, browser } = await site.join();
    const before = browser.cookies.get(sessionCookie);
    site.acme.next.sub = sub;
    await browser.signIn({ way: 'acme' });
    expect(browser.cookies.get(sessionCookie)).not.toBe(before);
    expect(await emailOfSession(`${sessionCookie}=${before}`)).toBe('sign_in.needed');
    expect(await browser.whoAmI()).toBe(email);
    expect(await rowsOf(id)).toHaveLength(1);
  });

  test.each<[string, (value: string) => string]>([
    [
      'sent twice with another value',
      (value) => `${sessionCookie}=${value}; ${sessionCookie}=${'a'.repeat(43)}`,
    ],
    ['sent twice with the same value', (value) => `${sessionCookie}=${value}; ${sessionCookie}=${value}`],
    [
      'with one changed character',
      (value) => `${sessionCookie}=${value.slice(0, 42)}${value.endsWith('A') ? 'B' : 'A'}`,
    ],
    ['under a name without the prefix', (value) => `vestibule=${value}`],
    ['cut short', (value) => `${sessionCookie}=${value.slice(0, 42)}`],
    ['in quotes', (value) => `${sessionCookie}="${value}"`],
    ['followed by 64 KB', (value) => `${sessionCookie}=${value}${'a'.repeat(64_000)}`],
  ])('is refused %s', async (_how, alter) => {
    const { browser } = await site.join();
    expect(await emailOfSession(alter(browser.cookies.get(sessionCookie) as string))).toBe('sign_in.needed');
  });

  test('is refused by another installation', async () => {
    const { browser } = await site.join();
    const elsewhere = await createTestApp({
      environment: { OIDC_PROVIDERS: 'acme', ...providerEnvironment('acme', site.acme) },
    });
    const response = await elsewhere.app.inject({
      url: getMe.path,
      headers: { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}` },
    });
    expect(response.statusCode).toBe(401);
    await elsewhere.close();
  });

  test('is not used if the request has an invalid bearer token', async () => {
    const { browser } = await site.join();
    const response = await browser.ask('GET', getMe.path, {
      headers: { authorization: 'Bearer no.such.token' },
    });
    expect(response.statusCode).toBe(401);
  });

  test('is refused after its sign-in method is disabled', async () => {
    const { browser } = await site.join();
    const without = await createTestApp({
      sharedWith: site.t,
      environment: { OIDC_PROVIDERS: 'other', ...providerEnvironment('other', site.other) },
    });
    const closed = createTestBrowser(without);
    closed.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string);
    expect(await closed.whoAmI()).toBe('sign_in.needed');
    await without.close();
  });

  test('is refused while its person is disabled, and works again after they are enabled', async () => {
    const { id, email, browser } = await site.join();
    const params = { personId: id };
    await site.t.call(disablePerson, { ...(await asAdmin()), params, query: {} });
    expect(await browser.whoAmI()).toBe('person.disabled');
    await site.t.call(enablePerson, { ...(await asAdmin()), params, query: {} });
    expect(await browser.whoAmI()).toBe(email);
  });
});

describe('a session', () => {
  test('ends after the configured idle hours and days; requests extend the idle time', async () => {
    const { id, email, browser } = await site.join();
    const age = (column: string, milliseconds: number) =>
      site.t.select(`update sessions set ${column} = $2 where person_id = $1`, [
        id,
        new Date(site.t.clock.now() - milliseconds),
      ]);
    await age('seen_at', 12 * hourMs - 60_000);
    expect(await browser.whoAmI()).toBe(email);
    const [seen] = await rowsOf(id);
    expect(site.t.clock.now() - (seen?.seen_at.getTime() ?? 0)).toBeLessThan(60_000);
    await age('seen_at', 12 * hourMs);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    await age('seen_at', 0);
    await age('created_at', 7 * 24 * hourMs);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
  });

  test('is not extended by background requests or the event stream', async () => {
    const { id, email, browser } = await site.join();
    const seenAt = new Date(site.t.clock.now() - hourMs);
    await site.t.select`update sessions set seen_at = ${seenAt} where person_id = ${id}`;
    const seen = async () => (await rowsOf(id))[0]?.seen_at;
    const background = await browser.ask('GET', getMe.path, { headers: { [backgroundHeader]: '1' } });
    expect(background.json()).toMatchObject({ Email: email });
    const events = await site.t.app.inject({
      url: watchChanges.path,
      headers: { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}` },
      payloadAsStream: true,
    });
    expect(events.statusCode).toBe(200);
    events.stream().destroy();
    expect(await seen()).toEqual(seenAt);
    await browser.whoAmI();
    expect(await seen()).not.toEqual(seenAt);
  });

  test('can be ended alone or with all others except the current one, immediately in every process (K6)', async () => {
    const { id, email, sub, browser } = await site.join();
    const otherProcess = await site.startProcess();
    site.acme.next.sub = sub;
    const [phone, tablet] = [
      createTestBrowser(otherProcess, 'Mozilla/5.0 (iPhone) Safari/605'),
      createTestBrowser(otherProcess, 'Mozilla/5.0 (Android) Chrome/151.0'),
    ];
    for (const other of [phone, tablet]) await other.signIn({ way: 'acme' });
    const list = (await browser.ask('GET', '/api/users/me/sessions')).json<{
      rows: { id: string; current: boolean; browser: string; system: string; way: string }[];
    }>().rows;
    expect(
      new Set(list.map(({ current, browser: name, system, way }) => [current, name, system, way].join(' '))),
    ).toEqual(new Set(['false Chrome Android Acme', 'false Safari iOS Acme', 'true Firefox  Acme']));
    const phoneSessionId = list.find(({ system }) => system === 'iOS')?.id;
    expect((await browser.ask('POST', `/api/users/me/sessions/${phoneSessionId}/end`)).statusCode).toBe(200);
    expect([await phone.whoAmI(), await tablet.whoAmI(), await browser.whoAmI()]).toEqual([
      'sign_in.needed',
      email,
      email,
    ]);
    expect((await browser.ask('POST', `/api/users/me/sessions/${phoneSessionId}/end`)).json()).toMatchObject({
      code: 'session.not_found',
    });
    expect((await browser.ask('POST', '/api/users/me/sessions/end-others')).json()).toEqual({ ended: 1 });
    expect([await tablet.whoAmI(), await browser.whoAmI()]).toEqual(['sign_in.needed', email]);
    expect((await site.t.auditOf(id, 'session.ended')).map(({ detail }) => detail['why'])).toEqual([
      userEndReason,
      userEndReason,
    ]);
    await otherProcess.close();
  });

  test('cannot be ended by other people, who get the response for an unknown id (security 14)', async () => {
    const [ann, bob] = [await site.join(), await site.join()];
    const [row] = await rowsOf(ann.id);
    expect((await bob.browser.ask('POST', `/api/users/me/sessions/${row?.id}/end`)).statusCode).toBe(404);
    expect(await ann.browser.whoAmI()).toBe(ann.email);
  });

  test('is ended by an administrator and by signing out everywhere', async () => {
    const { id, email, sub, browser } = await site.join();
    const { rows } = (await site.t.call(listSessionsOf, { ...(await asAdmin()), params: { personId: id } }))
      .body;
    const params = { personId: id, sessionId: rows[0]?.id as string };
    expect((await site.t.call(endSessionOf, { ...(await asAdmin()), params })).status).toBe(200);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    site.acme.next.sub = sub;
    await browser.signIn({ way: 'acme' });
    await site.t.call(signOutPerson, { ...(await asAdmin()), params: { personId: id }, query: {} });
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    await browser.signIn({ way: 'acme' });
    expect(await browser.whoAmI()).toBe(email);
    expect(
      (await browser.ask('POST', signOutEverywhere.path, { body: { revokeTokens: false } })).statusCode,
    ).toBe(200);
    expect(await browser.whoAmI()).toBe('sign_in.needed');
    expect(await rowsOf(id)).toEqual([]);
  });

  test('is ended by signing out, which returns the logout URL of the provider with an id_token_hint', async () => {
    const { id, browser } = await site.join();
    const value = browser.cookies.get(sessionCookie);
    const { url } = (await browser.ask('POST', '/api/sign-out')).json<{ url: string }>();
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(site.acme.issuer);
    // Amazon Cognito expects the second name.
    for (const name of ['post_logout_redirect_uri', 'logout_uri'])
      expect(searchParams.get(name)).toBe(`${site.t.config.publicUrl}/`);
    expect(searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    expect(await emailOfSession(`${sessionCookie}=${value}`)).toBe('sign_in.needed');
    expect(await rowsOf(id)).toEqual([]);
    expect((await browser.ask('POST', '/api/sign-out')).json()).toEqual({ url: null });
  });
});

describe('requests that change data and are authenticated by a session (security 52)', () => {
  const foreign: [string, Record<string, string>][] = [
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sister domain', { 'sec-fetch-site': 'same-site', origin: 'https://portal.example.com' }],
    ['typed by the user', { 'sec-fetch-site': 'none' }],
    ['with a foreign origin', { origin: 'https://evil.example' }],
    ['with a null origin', { origin: 'null' }],
    ['with the origin of another port', { origin: 'https://portal.example.com:8443' }],
    ['without Sec-Fetch-Site and Origin', {}],
  ];

  test.each(foreign)('%s are refused on every route', async (_what, headers) => {
    const { browser } = await site.join('admin');
    const routes = site.t.routes.filter(
      ({ method, config, url }) =>
        !['GET', 'HEAD', 'OPTIONS'].includes(method) &&
        url.startsWith('/api') &&
        (config.access !== 'public' || config.sameOrigin),
    );
    expect(routes.length).toBeGreaterThan(40);
    const passed: string[] = [];
    for (const { key, method, url } of routes) {
      const response = await site.t.app.inject({
        method: method as 'POST',
        url: url.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab'),
        headers: { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}`, ...headers },
        payload: {},
      });
      if (response.statusCode !== 403 || response.json<{ code: string }>().code !== 'request.foreign_origin')
        passed.push(key);
    }
    expect(passed).toEqual([]);
  });

  test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=a'])(
    'are refused from another site with the content type %s',
    async (type) => {
      const { id, browser } = await site.join();
      const response = await browser.ask('POST', '/api/users/me/sessions/end-others', {
        body: 'a=b',
        headers: { 'content-type': type, 'sec-fetch-site': 'cross-site' },
      });
      expect(response.statusCode).toBe(403);
      expect(await rowsOf(id)).toHaveLength(1);
    },
  );

  test('are accepted from a page of this site, also with only an Origin header', async () => {
    const { browser } = await site.join();
    const response = await site.t.app.inject({
      method: 'PATCH',
      url: '/api/users/me/preferences',
      headers: {
        cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}`,
        origin: site.t.config.publicUrl,
      },
      payload: { theme: 'dusk' },
    });
    expect(response.statusCode).toBe(200);
  });

  test('are refused from other sites, but requests from there that only read data are accepted', async () => {
    const { email, browser } = await site.join();
    const response = await browser.ask('GET', getMe.path, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(response.json()).toMatchObject({ Email: email });
  });
});

test('tokens of the provider are encrypted in the database and absent from the log (security 58)', async () => {
  const { id, email } = await site.join();
  const [row] = await rowsOf(id);
  expect(row?.refresh_token_sealed.length).toBeGreaterThan(28);
  for (const sealed of [row?.refresh_token_sealed, row?.id_token_sealed])
    expect(sealed?.toString('latin1')).not.toMatch(/eyJ|sub of/);
  expect(site.t.log.join('')).not.toMatch(/eyJ[\w-]{10,}/);
  expect(site.t.log.join('')).not.toContain(`sub of ${email}`);
});

const session = `language=de; ${sessionCookie}=${'a'.repeat(43)}`;
const files =
  '/api/attachments?limit=5&filters=%5B%7B%22column%22%3A%22owner%22%2C%22is%22%3A%22oneOf%22%2C%22values%22%3A%5B%22mine%22%2C%22shared%22%5D%7D%5D';

test.each([
  ['/', session, ['/api/config']],
  ['/signup?i=code', session, ['/api/config']],
  ['/layout/dashboard', 'language=de', ['/api/config']],
  ['/layout/people?search=a', session, ['/api/config', '/api/users/me']],
  ['/layout/dashboard?days=7', session, ['/api/config', '/api/users/me', '/api/dashboard', files]],
])('%s with the cookies %s preloads %j', (url, cookie, expected) => {
  expect(preloadHeaders({ url, headers: { cookie } })).toEqual(expected);
});

/** Cases of forward authentication without a browser that depend on the configuration of the proxy: access, and attacks. */
import assert from 'node:assert/strict';
import { pageHeaders, webSocketHeaders, type ReceivedResponse } from './client.ts';
import { receivedHeaders, type ProtectedSite } from './site.ts';

type Case = [title: string, run: (site: ProtectedSite) => Promise<void>];

const forged = 'forged@example.com';
const uploadBytes = 100_000_000;
const propfind = { method: 'PROPFIND', headers: { depth: '0' } };

/** Asserts that a request did not reach the application. */
function assertRefused({ status, text, url }: ReceivedResponse, expected: number): void {
  assert.equal(status, expected, `${url}: ${text}`);
  assert.doesNotMatch(text, /"received"/);
}

export const cases: Case[] = [
  [
    'the check of the set-up finds no fault',
    async ({ admin, call, applications }) => {
      for (const id of Object.values(applications)) {
        const { steps } = await call(admin.client, 'POST', `/api/applications/${id}/check`, {});
        const faults = (steps as { state: string }[]).filter(({ state }) => state !== 'ok');
        assert.deepEqual(faults, []);
      }
    },
  ],
  [
    'requests without a sign-in: pages are redirected, others get 401',
    async ({ addresses: { flows }, createClient }) => {
      const client = createClient();
      const page = await client.send(`${flows}/headers?a=1`, { headers: pageHeaders });
      assert.equal(page.status, 302);
      assert.match(page.headers.location ?? '', /^https:\/\/flows\.example\.test:\d+\/\.vestibule\/start\?/);
      const script = { accept: '*/*', 'sec-fetch-mode': 'cors' };
      assertRefused(await client.send(`${flows}/headers`, { headers: script }), 401);
      assertRefused(await client.send(`${flows}/headers`, { method: 'POST', body: 'a=1' }), 401);
      const preflight = { origin: 'https://other.test', 'access-control-request-method': 'POST' };
      assertRefused(await client.send(`${flows}/headers`, { method: 'OPTIONS', headers: preflight }), 401);
      assertRefused(await client.send(`${flows}/echo`, { headers: webSocketHeaders }), 401);
    },
  ],
  [
    'one sign-in opens both applications, each with the identity',
    async ({ addresses: { calendar, flows }, user }) => {
      const { status, text } = await user.client.open(`${flows}/headers?a=1&b=%2F`);
      assert.equal(status, 200, text);
      const headers = receivedHeaders(text);
      assert.equal(headers.get('remote-user'), user.email);
      assert.equal(headers.get('remote-email'), user.email);
      assert.equal(decodeURIComponent(headers.get('remote-name') ?? ''), user.name);
      assert.match(headers.get('remote-groups') ?? '', /^member/);
      await user.client.open(calendar);
      const own = await user.client.send(`${calendar}/${encodeURIComponent(user.email)}/`, propfind);
      assert.equal(own.status, 207, own.text);
      assert.ok(own.text.includes(encodeURIComponent(user.email)) || own.text.includes(user.email));
      const foreign = await user.client.send(`${calendar}/${encodeURIComponent(forged)}/`, propfind);
      assert.equal(foreign.status, 403);
    },
  ],
  [
    'forged identity headers of a client do not reach the application, in any spelling',
    async ({ addresses: { calendar, flows }, user }) => {
      const spellings = ['remote-user', 'x-remote-user', 'x-vestibule-assertion', 'remote-groups'].flatMap(
        (name) => [
          name,
          name.toUpperCase(),
          name.replaceAll('-', '_'),
          name.replace('-', '_'),
          name.replace(/-(?=\w+$)/, '_'),
        ],
      );
      for (const name of new Set(spellings)) {
        const headers = { [name]: forged };
        const { status, text } = await user.client.send(`${flows}/headers`, { headers });
        assert.equal(status, 200, text);
        assert.ok(!text.includes(forged), `${name}: ${text}`);
        const theirs = `${calendar}/${encodeURIComponent(forged)}/`;
        const stolen = await user.client.send(theirs, { ...propfind, headers: { depth: '0', ...headers } });
        assert.equal(stolen.status, 403, `${name}: ${stolen.text}`);
      }
    },
  ],
  [
    'forged X-Forwarded and X-Original headers do not change the decision',
    async ({ addresses: { calendar, flows }, user, createUser, setup }) => {
      const outsider = await createUser('Otto Outside');
      assert.equal((await outsider.client.open(`${calendar}/`)).status, 200);
      const cookie = [...outsider.client.jarOf(calendar)].map(([name, value]) => `${name}=${value}`).join();
      const forgery = {
        'x-forwarded-host': new URL(calendar).host,
        'x-forwarded-uri': '/.vestibule/start',
        'x-forwarded-method': 'OPTIONS',
        'x-original-url': `${calendar}/`,
        'x-original-method': 'GET',
        forwarded: `host=${new URL(calendar).host}`,
        cookie,
      };
      const page = await outsider.client.send(`${flows}/headers`, { headers: forgery });
      assertRefused(page, 401);
      assertRefused(
        await user.client.send(`${flows}/headers`, { headers: { 'x-forwarded-host': 'evil.test', cookie } }),
        401,
      );
      // A client that reaches the server without the proxy cannot claim a host: it has no cookie of the proxy's host.
      const direct = await fetch(`http://127.0.0.1:${setup.vestibule}/forward-auth`, {
        redirect: 'manual',
        headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', accept: 'text/html' },
      });
      assert.equal(direct.status, 403);
    },
  ],
  [
    'a request that names two hosts opens neither with the sign-in at the other',
    async ({ addresses: { calendar, flows }, user: { client } }) => {
      const pages = [
        { address: calendar, path: '/.web/', shown: /Radicale/ },
        { address: flows, path: '/headers', shown: /"received"/ },
      ] as const;
      for (const { address, path, shown } of pages)
        assert.match((await client.open(address + path)).text, shown);
      for (const [asked, other] of [pages, pages.toReversed()] as [
        (typeof pages)[number],
        (typeof pages)[number],
      ][]) {
        const page = asked.address + asked.path;
        const cookie = [...client.jarOf(other.address)].map(([name, value]) => `${name}=${value}`).join('; ');
        const [host, otherHost] = [new URL(asked.address).host, new URL(other.address).host];
        const twoHosts = [`${host},${otherHost}`, `${otherHost},${host}`, `${host}, ${otherHost}`];
        for (const [target, sent] of [
          [page, otherHost],
          [other.address + asked.path, host],
          ...twoHosts.map((hosts) => [asked.path, hosts] as const),
        ] as const) {
          const { text } = await client.send(page, { target, headers: { host: sent, cookie } });
          assert.doesNotMatch(text, asked.shown, `${target} with Host: ${sent}`);
        }
        for (const hosts of twoHosts)
          assert.doesNotMatch(
            await client.sendAuthority(page, hosts, cookie),
            asked.shown,
            `HTTP/2: ${hosts}`,
          );
      }
    },
  ],
  [
    'a request that names an application behind another proxy opens none of this proxy',
    async ({ addresses: { calendar, flows }, setup, admin, call }) => {
      const host = `elsewhere.example.test:${setup.port}`;
      const { id } = await call(admin.client, 'POST', '/api/applications', {
        name: 'Elsewhere',
        address: `https://${host}`,
        access: [{ kind: 'everyone' }],
      });
      const { token } = await call(admin.client, 'POST', '/api/tokens', {
        name: 'Elsewhere',
        scopes: [`application:${String(id)}`],
        days: 1,
      });
      const headers = { host, depth: '0', authorization: `Bearer ${String(token)}` };
      for (const address of [calendar, flows]) {
        const target = `${address}/headers`;
        for (const options of [{}, { target }]) {
          const { text } = await admin.client.send(target, { ...options, headers });
          assert.doesNotMatch(text, /"received"/);
        }
      }
      // nginx forwards unknown hosts to its first server block: the calendar.
      const { status } = await admin.client.send(`${calendar}/`, { method: 'PROPFIND', headers });
      assert.notEqual(status, 207);
      await call(admin.client, 'DELETE', `/api/applications/${String(id)}`);
    },
  ],
  [
    'a calendar app is asked for a password, and lists the calendar with an access token',
    async ({ addresses: { calendar }, applications, admin, call, createClient }) => {
      const app = createClient();
      const address = `${calendar}/${encodeURIComponent(admin.email)}/`;
      const asked = await app.send(address, propfind);
      assertRefused(asked, 401);
      assert.match(asked.headers['www-authenticate'] ?? '', /^Basic realm="[^"]+", charset="UTF-8"$/);
      const { token } = await call(admin.client, 'POST', '/api/tokens', {
        name: 'Calendar app',
        scopes: [`application:${applications.calendar}`],
        days: 1,
      });
      const authorization = `Basic ${Buffer.from(`any:${String(token)}`).toString('base64')}`;
      const listed = await app.send(address, { ...propfind, headers: { depth: '0', authorization } });
      assert.equal(listed.status, 207, listed.text);
    },
  ],
  [
    'a user without access gets 403 with a page that says whom to ask',
    async ({ addresses: { flows }, createUser }) => {
      const { client } = await createUser('Nora None');
      const page = await client.open(`${flows}/headers`);
      assertRefused(page, 403);
      assert.match(page.text, /You do not have access to Flows/);
      assertRefused(await client.send(`${flows}/headers`), 401);
    },
  ],
  [
    'an upload of 100 MB arrives',
    async ({ addresses: { flows }, admin }) => {
      await admin.client.open(`${flows}/headers`);
      const { status, text } = await admin.client.send(`${flows}/upload`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(uploadBytes, 7),
      });
      assert.equal(status, 200, text);
      assert.deepEqual(JSON.parse(text), { bytes: uploadBytes });
    },
  ],
  [
    'WebSockets open with a sign-in, and not from pages of other sites',
    async ({ addresses: { flows }, admin }) => {
      const open = (origin: string) =>
        admin.client.send(`${flows}/echo`, { headers: { ...webSocketHeaders, origin } });
      assert.equal((await open(flows)).status, 101);
      assert.equal((await open('https://evil.test')).status, 403);
    },
  ],
];

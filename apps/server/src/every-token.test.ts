/** Tries every kind of token and code at every route: each is accepted only where it belongs (security 6) and stored nowhere. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  getInviteToken,
  getInvitationLinkState,
  reportInviteCancelled,
  requestNewLink,
} from '@vestibule/contract/invitations/link';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { startFirstPasskey } from '@vestibule/contract/sign-in/passkeys';
import { getMigrationLink, startMigration } from '@vestibule/contract/identity-migrations/link';
import { endSession } from '@vestibule/contract/sign-in/sessions';
import { afterAll, describe, expect, test } from 'vitest';
import { sessionCookie } from './features/auth/sessions/sessions.ts';
import { withoutColumn } from './test/database/test-faults.ts';
import { contractRoutes } from './test/test-routes.ts';
import {
  sharedCreators,
  createSecretSite,
  kinds,
  providerIssuedKinds,
  sources,
  type Consumer,
  type Kind,
  type SecretSite,
} from './test/secrets/test-secret-kinds.ts';
import { applicationConsumers } from './test/secrets/test-application-consumers.ts';
import { keyOf, pendingConsumers } from './test/secrets/test-pending-consumers.ts';

const site = await createSecretSite();
const { t } = site;
const pending = await pendingConsumers(site);
afterAll(() => site.close());

let counter = 0;
/** Returns another network address at each call, for limits per address. */
const from = () => `198.51.${(counter += 1) >> 8}.${counter & 255}`;

const post = (url: string, payload: object) =>
  t.app.inject({
    method: 'POST',
    url,
    payload,
    remoteAddress: from(),
    headers: { 'sec-fetch-site': 'same-origin' },
  });

const nameOf = ({ route, accepts }: Consumer) => `${route}, as ${accepts.join(' or ')}`;

/** Calls a route with credentials and an invalid body. Returns whether the credentials are accepted. */
async function isAdmitted(
  { method, url }: SecretSite['t']['routes'][number],
  credentials: Record<string, string>,
): Promise<boolean> {
  const response = await t.app.inject({
    method: method as 'GET',
    url: url.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab'),
    headers: {
      ...credentials,
      'upload-length': 'none',
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && method !== 'HEAD' && { payload: 'this is not JSON' }),
    payloadAsStream: true,
  });
  response.stream().destroy();
  return response.statusCode !== 401 && response.statusCode !== 403;
}

const bearerConsumers = (): Consumer[] =>
  t.routes
    .filter(({ config }) => (config.access ?? 'public') !== 'public')
    .map((route) => ({
      route: route.key,
      accepts:
        route.config.access === 'directory'
          ? ['directory token']
          : ['access token', ...(route.config.scope === undefined ? [] : ['personal access token' as const])],
      opens: (secret) => isAdmitted(route, { authorization: `Bearer ${secret}` }),
    }));

const cookieConsumers = (): Consumer[] => [
  ...t.routes
    .filter(({ config }) => config.access === 'member' || config.access === 'admin')
    .map((route): Consumer => ({
      route: route.key,
      accepts: ['cookie of a session'],
      opens: (secret) =>
        isAdmitted(route, { cookie: `${sessionCookie}=${secret}`, 'sec-fetch-site': 'same-origin' }),
    })),
  {
    route: keyOf(endSession),
    accepts: ['cookie of a session'],
    async opens(secret) {
      const count = async () => (await t.select('select from sessions')).length;
      const before = await count();
      await t.app.inject({
        method: 'POST',
        url: endSession.path,
        headers: { cookie: `${sessionCookie}=${secret}`, 'sec-fetch-site': 'same-origin' },
      });
      return (await count()) < before;
    },
  },
];

const cancelled = `select from invitation_events where kind = 'cancelled'`;
const newLinks = `select from jobs.job where data->>'template' = 'invitation-new-link'`;
/** Returns whether `act` adds a row, possibly after its response. */
async function addsRow(rows: string, act: () => Promise<unknown>): Promise<boolean> {
  const before = (await t.select(rows)).length;
  await act();
  await site.waitUntilIdle();
  return (await t.select(rows)).length > before;
}

/** Consumers that do not read the secret from a header. */
const otherConsumers: Consumer[] = [
  {
    route: keyOf(getInviteToken),
    accepts: ['short code'],
    opens: async (code) => (await post(getInviteToken.path, { code })).json().Succeeded === true,
  },
  {
    route: keyOf(getInvitationLinkState),
    accepts: ['short code'],
    opens: async (code) => (await post(getInvitationLinkState.path, { code })).json().state === 'open',
  },
  ...[requestCode, startFirstPasskey].map((route): Consumer => ({
    route: keyOf(route),
    accepts: ['short code'],
    opens: async (invitation) => (await post(route.path, { invitation })).statusCode === 200,
  })),
  {
    route: keyOf(startFirstPasskey),
    accepts: [],
    opens: async (attempt) => (await post(startFirstPasskey.path, { attempt })).statusCode === 200,
  },
  {
    route: keyOf(getMigrationLink),
    accepts: ['code of an identity migration'],
    opens: async (code) => (await post(getMigrationLink.path, { code })).json().state === 'open',
  },
  {
    route: keyOf(startMigration),
    accepts: ['code of an identity migration'],
    opens: async (code) => (await post(startMigration.path, { code })).statusCode === 200,
  },
  {
    route: keyOf(reportInviteCancelled),
    accepts: ['short code'],
    opens: (code) => addsRow(cancelled, () => post(reportInviteCancelled.path, { code })),
  },
  {
    route: keyOf(reportInviteCancelled),
    accepts: ['invite token'],
    opens: (token) => addsRow(cancelled, () => post(reportInviteCancelled.path, { token })),
  },
  {
    route: keyOf(requestNewLink),
    accepts: ['short code'],
    opens: (code) =>
      addsRow(newLinks, async () => {
        await t.select`update invitations set expires_at = ${new Date(t.clock.now())}`;
        await post(requestNewLink.path, { code });
      }),
  },
  {
    route: 'GET /files/:ticket',
    accepts: ['ticket of a file'],
    opens: async (ticket) => (await t.app.inject(`/files/${encodeURIComponent(ticket)}`)).statusCode === 200,
  },
  {
    route: 'GET /metrics',
    accepts: ['metrics token'],
    async opens(token) {
      const response = await t.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
      return response.payload.includes('http_request');
    },
  },
];

const allConsumers = () => [
  ...applicationConsumers(site),
  ...bearerConsumers(),
  ...cookieConsumers(),
  ...pending,
  ...otherConsumers,
];

/** Routes that take no secret or respond to all alike. */
const withoutSecret = [
  'POST /auth/:way/callback',
  'POST /api/sign-in/passkey/options',
  'GET /',
  'GET /.well-known/jwks.json',
  'GET /.well-known/openid-configuration',
  'GET /.vestibule/set-up',
  'GET /.vestibule/start',
  'GET /api/applications/:applicationId/icon',
  'GET /api/applications/name',
  'GET /api/docs',
  'GET /api/logo',
  'GET /api/openapi.json',
  'GET /api/organization-logos/:key',
  'GET /healthz',
  'GET /livez',
  'GET /readyz',
];

describe('the matrix of secrets and routes', () => {
  test('contains every route of the server, except those that accept no secret', () => {
    const withoutInput = contractRoutes
      .filter(({ access, body, params, query }) => access === 'public' && !body && !params && !query)
      .map(keyOf);
    const covered = allConsumers().map(({ route }) => route);
    const routes = t.routes.map(({ key }) => key);
    expect(routes.toSorted()).toEqual(
      [...new Set([...covered, ...withoutSecret, ...withoutInput])].toSorted(),
    );
  });

  test('contains every file that creates random values or secret keys, or compares secrets', () => {
    const root = path.join(import.meta.dirname, '../../..');
    const directory = 'apps/server/src';
    const files = readdirSync(path.join(root, directory), { recursive: true, encoding: 'utf8' }).map((file) =>
      path.posix.join(directory, file),
    );
    const creators = files.filter(
      (file) =>
        /(?<!\.test|\/test-[\w-]+)\.ts$/.test(file) &&
        /\b(?:randomBytes|randomInt|getRandomValues|newSecret|createHmac|createKeyedHash|timingSafeEqual|SignJWT|CompactSign)\(/.test(
          readFileSync(path.join(root, file), 'utf8'),
        ),
    );
    expect(creators.toSorted()).toEqual(Object.keys(sources).toSorted());
    const callers = files.filter(
      (file) =>
        /(?<!\.test|\/test-[\w-]+)\.ts$/.test(file) &&
        /(?<!function )\b(?:createOpaqueTokens|createShortCodes)\(|\bshortCodes\.codeOf\(/.test(
          readFileSync(path.join(root, file), 'utf8'),
        ),
    );
    expect(callers.toSorted()).toEqual(Object.keys(sharedCreators).toSorted());
    const listed = Object.values(sources).filter((source) => typeof source !== 'string');
    expect([...listed.flat(), ...providerIssuedKinds].toSorted()).toEqual(Object.keys(kinds).toSorted());
  });
});

const isNumber = (text: string) => /^\d+$/.test(text);
const issued: [Kind, string][] = [];
test.each(Object.keys(kinds) as Kind[])(
  'a new %s is accepted only by the routes listed for it',
  async (kind) => {
    const secret = await kinds[kind](site);
    expect(secret).toMatch(/\S{6}/);
    // The log has numbers in paths.
    if (!isNumber(secret)) issued.push([kind, secret]);
    const consumers = allConsumers();
    const accepting: string[] = [];
    for (const consumer of consumers)
      if (await consumer.opens(secret, consumer.accepts.includes(kind))) accepting.push(nameOf(consumer));
    const expected = consumers.filter(({ accepts }) => accepts.includes(kind));
    expect(accepting).toEqual(expected.map(nameOf));
  },
);

test('no table, job or log contains a token or code, wherever it was sent (statement O3; security 26, 27)', async () => {
  const secrets: [Kind, string][] = [];
  // Jobs name a sign-in by its attempt, which is useless without the cookie and the code.
  const isKept = ([kind]: [Kind, string]) => !kind.startsWith('attempt of');
  for (const kind of Object.keys(kinds) as Kind[]) secrets.push([kind, await kinds[kind](site)]);
  const bodies = [
    ['application/json', (secret: string) => JSON.stringify({ code: secret, [secret]: secret })],
    ['application/json', (secret: string) => `{"code":"${secret}","${secret}":`],
    ['text/plain', (secret: string) => secret],
  ] as const;
  for (const [, secret] of secrets) {
    const query = encodeURIComponent(secret);
    await t.app.inject(`/signup?i=${query}&t=${query}`);
    await t.app.inject(`/move?m=${query}`);
    await t.app.inject(`/api/nothing?code=${query}`);
    await t.app.inject({
      // The log has numbers in paths.
      url: `/api/people/${isNumber(secret) ? '' : query}`,
      headers: { authorization: `Bearer ${site.annasToken}`, cookie: `${sessionCookie}=${secret}` },
    });
    for (const [type, body] of bodies)
      await t.app.inject({
        method: 'POST',
        url: getInviteToken.path,
        remoteAddress: from(),
        headers: { 'content-type': type, authorization: `Bearer ${secret}` },
        payload: body(secret),
      });
  }
  const invitation = secrets.find(([kind]) => kind === 'short code')?.[1];
  const failed = await withoutColumn(t, 'sign_in_transactions', 'binder_hash', () =>
    post(requestCode.path, { invitation }),
  );
  expect(failed.statusCode).toBe(500);
  await site.waitUntilIdle();

  const tables = await t.select<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`,
  );
  const places = new Map([['the log', t.log.join('')]]);
  for (const { name } of tables) {
    const rows = await t.select<{ row: string }>(`select t::text as row from ${name} t`);
    places.set(name, rows.map(({ row }) => row).join('\n'));
  }
  expect(places.get('the log')).toContain('binder_hash');
  expect(places.get('public.audit_log')).toContain('invitation.redeemed');
  expect(places.get('jobs.job_common')).toContain('template');
  const found: string[] = [];
  for (const [kind, secret] of [...issued, ...secrets].filter(isKept))
    // Also the payload and signature of a token, and all of these in binary columns, which are shown in hexadecimal.
    for (const part of [secret, ...secret.split('.').slice(1)].flatMap((text) => [
      text,
      Buffer.from(text).toString('hex'),
    ]))
      for (const [place, content] of places)
        // Six digits may be part of a time.
        if (isNumber(part) ? new RegExp(`(?<![\\w.])${part}(?!\\w)`).test(content) : content.includes(part))
          found.push(`${place} contains the ${kind}`);
  expect(found).toEqual([]);
});

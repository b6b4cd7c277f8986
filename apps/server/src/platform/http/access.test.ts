/** Access of every kind of caller to every route, of the contract and outside of it (statements F1, F6; security 1, 13). */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { disablePerson } from '@vestibule/contract/people';
import type { RouteDefinition } from '@vestibule/contract/route';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { envoyMethods } from '../../features/applications/forward-auth.ts';
import { createTestApp } from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';

const tokens: Record<string, string | undefined> = {};

const webDirectory = await mkdtemp(path.join(tmpdir(), 'vestibule-web-'));
await mkdir(path.join(webDirectory, 'assets'));
for (const file of ['index.html', 'assets/main.js']) await writeFile(path.join(webDirectory, file), '');
const t = await createTestApp({ webDirectory, environment: { METRICS_TOKEN: 'a-token-of-the-scraper' } });
const [admin, member, disabled] = [
  await t.join('admin@example.com', 'admin'),
  await t.join('member@example.com'),
  await t.join('disabled@example.com', 'admin'),
];
await t.callAs(admin, disablePerson, { params: { personId: disabled.id } });
// Adding a sign-in method requires a recent sign-in.
Object.assign(tokens, {
  admin: await t.recentTokenOf(admin),
  member: await t.recentTokenOf(member),
  disabled: disabled.token,
  stranger: await t.mint({ sub: 'stranger', emails: ['stranger@example.com'] }),
});
afterAll(async () => {
  await t.close();
  await rm(webDirectory, { recursive: true });
});

type AccessKind = Extract<RouteDefinition['access'], string> | 'permission';
const kindOf = ({ access }: RouteDefinition): AccessKind =>
  typeof access === 'string' ? access : 'permission';

const passes = { status: 'passes' };
const refusals = {
  anonymous: { status: 401, code: 'sign_in.needed' },
  stranger: { status: 403, code: 'person.not_invited' },
  disabled: { status: 403, code: 'person.disabled' },
  notAdmin: { status: 403, code: 'access.admin_needed' },
};
const sameForAll = (outcome: { status: unknown; code?: string }) =>
  Object.fromEntries(
    ['anonymous', 'stranger', 'disabled', 'member', 'admin'].map((caller) => [caller, outcome]),
  );
const expected: Record<AccessKind, Record<string, { status: unknown; code?: string }>> = {
  // The organization of the request does not exist. Members and organizations: organizations/isolation.test.ts.
  permission: {
    anonymous: refusals.anonymous,
    stranger: refusals.stranger,
    disabled: refusals.disabled,
    member: passes,
    admin: passes,
  },
  public: sameForAll(passes),
  member: {
    anonymous: refusals.anonymous,
    stranger: refusals.stranger,
    disabled: refusals.disabled,
    member: passes,
    admin: passes,
  },
  admin: {
    anonymous: refusals.anonymous,
    stranger: refusals.stranger,
    disabled: refusals.disabled,
    member: refusals.notAdmin,
    admin: passes,
  },
};

/**
 * Every route outside of the contract; a test below fails if one is missing. Routes of `ticket` require a ticket in the
 * address, of `scraper` the metrics token, of `directory` a SCIM token, and of `proxy` the network address of a trusted proxy, whatever the
 * role of the caller.
 */
const pastContract: Record<string, AccessKind | 'ticket' | 'scraper' | 'directory' | 'proxy' | 'visitor'> = {
  'DELETE /scim/v2/Groups/:id': 'directory',
  'DELETE /scim/v2/Users/:id': 'directory',
  'DELETE /api/attachments/uploads/:uploadId': 'member',
  'GET /': 'public',
  'GET /*': 'public',
  'GET /.well-known/jwks.json': 'public',
  'GET /.well-known/openid-configuration': 'public',
  'GET /.vestibule/callback': 'proxy',
  'GET /.vestibule/denied': 'proxy',
  'GET /.vestibule/set-up': 'public',
  'GET /.vestibule/sign-out': 'proxy',
  'GET /.vestibule/start': 'proxy',
  'POST /.vestibule/sign-out': 'proxy',
  'GET /forward-auth': 'proxy',
  ...Object.fromEntries(envoyMethods.map((method) => [`${method} /forward-auth/envoy/*`, 'proxy' as const])),
  'GET /forward-auth/nginx': 'proxy',
  'GET /forward-auth/nginx/optional': 'proxy',
  'GET /forward-auth/optional': 'proxy',
  'GET /applications/start': 'visitor',
  'GET /api/applications/:applicationId/icon': 'public',
  'GET /api/attachments/:attachmentId/thumbnail': 'member',
  'GET /api/docs': 'public',
  'GET /api/logo': 'public',
  'GET /api/openapi.json': 'public',
  'GET /api/organization-logos/:key': 'public',
  'GET /auth/:way/callback': 'public',
  'GET /files/:ticket': 'ticket',
  'GET /healthz': 'public',
  'GET /livez': 'public',
  'GET /metrics': 'scraper',
  'GET /readyz': 'public',
  'HEAD /api/attachments/uploads/:uploadId': 'member',
  'OPTIONS /api/attachments/uploads': 'member',
  'PATCH /api/attachments/uploads/:uploadId': 'member',
  'POST /api/attachments/uploads': 'member',
  'POST /auth/:way/backchannel-logout': 'public',
  'POST /auth/:way/callback': 'public',
  'GET /scim': 'directory',
  'GET /scim/*': 'directory',
  'GET /scim/v2/Groups': 'directory',
  'GET /scim/v2/Groups/:id': 'directory',
  'GET /scim/v2/ResourceTypes': 'directory',
  'GET /scim/v2/ResourceTypes/:id': 'directory',
  'GET /scim/v2/Schemas': 'directory',
  'GET /scim/v2/Schemas/:id': 'directory',
  'GET /scim/v2/ServiceProviderConfig': 'directory',
  'GET /scim/v2/Users': 'directory',
  'GET /scim/v2/Users/:id': 'directory',
  'PATCH /scim/v2/Groups/:id': 'directory',
  'PATCH /scim/v2/Users/:id': 'directory',
  'POST /scim/v2/Groups': 'directory',
  'POST /scim/v2/Users': 'directory',
  'PUT /scim/v2/Groups/:id': 'directory',
  'PUT /scim/v2/Users/:id': 'directory',
};

/** Sends a valid request that changes nothing (unknown ids, an empty body) from a remote address. */
async function attempt(
  method: string,
  url: string,
  caller: string,
  { body, errors = [] }: Pick<RouteDefinition, 'body' | 'errors'> = {},
) {
  const token = tokens[caller];
  const response = await t.app.inject({
    method: method as 'GET',
    url: url.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab').replace('*', 'assets/main.js'),
    // An admitted upload fails because of its invalid length.
    headers: {
      'upload-length': 'none',
      'sec-fetch-site': 'same-origin',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { payload: {} }),
    remoteAddress: '203.0.113.7',
    // Event streams have no end.
    payloadAsStream: true,
  });
  const { statusCode: status } = response;
  if (status >= 500) throw new Error(`${url}: ${status}`);
  if (status !== 401 && status !== 403) {
    response.stream().destroy();
    return passes;
  }
  if (method === 'HEAD') return { status };
  const { code } = (await json(response.stream())) as { code?: string };
  // An error of the route itself: the caller has access.
  const isRefusal = Object.values(refusals).some((refusal) => refusal.code === code);
  if (!isRefusal && errors.some((error) => error.code === code)) return passes;
  return { status, code };
}

const matrix = contractRoutes.flatMap((route) =>
  Object.entries(expected[kindOf(route)]).map(
    ([caller, outcome]) => [caller, route.method, route.path, outcome, route] as const,
  ),
);

test('the contract has routes of every access level', () => {
  expect(new Set(contractRoutes.map(kindOf))).toEqual(new Set(['public', 'member', 'admin', 'permission']));
});

test.each(matrix)('%s calling %s %s gets %o', async (caller, _method, _path, outcome, route) => {
  expect(await attempt(route.method, route.path, caller, route)).toEqual(outcome);
});

describe('routes outside of the contract', () => {
  test('`pastContract` lists every route of the server that is not in the contract', () => {
    const contract = new Set(contractRoutes.map(({ method, path: url }) => `${method} ${url}`));
    const others = t.routes.filter(({ key, config }) => !contract.has(key) && config.extension === undefined);
    expect(others.map(({ key }) => key).toSorted()).toEqual(Object.keys(pastContract).toSorted());
  });

  const rules: Record<string, Record<string, { status: unknown; code?: string }>> = {
    ...expected,
    ticket: sameForAll({ status: 403, code: 'attachment.link_invalid' }),
    scraper: sameForAll(passes),
    directory: sameForAll({ status: 401 }),
    proxy: sameForAll({ status: 403, code: 'application.untrusted_proxy' }),
    visitor: sameForAll(passes),
  };
  const cells = Object.entries(pastContract).flatMap(([route, rule]) =>
    Object.entries(rules[rule] ?? {}).map(([caller, outcome]) => [caller, route, outcome] as const),
  );
  test.each(cells)('%s calling %s gets %o', async (caller, route, outcome) => {
    const [method, url] = route.split(' ') as [string, string];
    const expectedOutcome = method === 'HEAD' ? { status: outcome.status } : outcome;
    expect(await attempt(method, url, caller)).toEqual(expectedOutcome);
  });

  test("routes of extensions' plugins have the access that they declare", async () => {
    for (const { key, method, url, config } of t.routes.filter(
      (route) => route.config.extension !== undefined,
    ))
      for (const [caller, outcome] of Object.entries(rules[config.access as AccessKind] ?? {})) {
        const expectedOutcome = method === 'HEAD' ? { status: outcome.status } : outcome;
        expect({ key, caller, ...(await attempt(method, url, caller)) }).toEqual({
          key,
          caller,
          ...expectedOutcome,
        });
      }
  });

  test.each(['admin', 'anonymous'])(
    '/metrics requires the metrics token, also from the caller %s',
    async (caller) => {
      const scrape = (token: string | null | undefined) =>
        t.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
      expect((await scrape(tokens[caller])).payload).not.toContain('http_request');
      expect((await scrape(t.config.metricsToken)).payload).toContain('http_request');
    },
  );

  test('public routes return 200, and pictures 404 if there are none', async () => {
    const open = Object.keys(pastContract).filter((route) => pastContract[route] === 'public');
    const responses = await Promise.all(
      open.map(async (route) => {
        const { statusCode } = await t.app.inject(route.slice(4).replace('*', 'assets/main.js'));
        return `${route} ${statusCode}`;
      }),
    );
    expect(responses).toEqual(open.map((route) => `${route} ${/logo$|logos|icon$/.test(route) ? 404 : 200}`));
  });
});

describe('a HEAD request without a token', () => {
  const guarded = contractRoutes.filter(
    (route) => route.method === 'GET' && route.access !== 'public' && !route.media,
  );
  test.each(guarded.map((route) => route.path))('returns 401 for %s', async (url) => {
    expect((await t.app.inject({ method: 'HEAD', url })).statusCode).toBe(401);
  });
});

test('access is refused before the request is read', async () => {
  const response = await t.app.inject({
    method: 'POST',
    url: '/api/invitations',
    headers: { authorization: `Bearer ${tokens['member']}`, 'content-type': 'application/json' },
    payload: 'this is not JSON',
  });
  expect(response.json()).toMatchObject({ code: 'access.admin_needed' });
});

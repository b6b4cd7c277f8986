import { listActivity } from '@vestibule/contract/activity';
import {
  changeInvitationAddress,
  getInvitationLink,
  invite,
  listInvitations,
} from '@vestibule/contract/invitations';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { getMe } from '@vestibule/contract/profile/me';
import {
  actOnPeople,
  changeRole,
  disablePerson,
  enablePerson,
  getPerson,
  listPeople,
  removePerson,
} from '@vestibule/contract/people';
import type { RouteDefinition } from '@vestibule/contract/route';
import {
  createToken,
  listTokens,
  revokeToken,
  Scope,
  tokensPerPerson,
} from '@vestibule/contract/profile/tokens';
import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { contractRoutes } from '../../test/test-routes.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');
const other = await t.join('other@example.com', 'admin');
beforeEach(() => t.select('delete from personal_tokens'));

const allScopes = [...Scope.options];
async function make(
  scopes: Scope[] = allScopes,
  more: { by?: TestPerson; days?: number; name?: string } = {},
) {
  const { body, status } = await t.call(createToken, {
    token: (more.by ?? admin).token,
    body: { name: more.name ?? 'Nightly import', scopes, days: more.days ?? 30 },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

test('a token consists of vst_ and 43 characters and is shown once; the database contains neither the token nor its plain hash (security 27)', async () => {
  const { token, details } = await make();
  expect(token).toMatch(/^vst_[0-9A-Za-z]{43}$/);
  expect((await make()).token).not.toBe(token);
  expect(details).toMatchObject({
    name: 'Nightly import',
    owner: admin.email,
    state: 'active',
    lastUsedAt: null,
  });
  await t.call(listPeople, { token });
  const { createHash } = await import('node:crypto');
  const plain = createHash('sha256').update(token).digest('hex');
  for (const table of ['personal_tokens', 'audit_log']) {
    const rows = await t.select<{ row: string }>(`select x::text as row from ${table} x`);
    const text = rows.map(({ row }) => row).join('\n');
    expect(text).not.toContain(token.slice(4));
    expect(text).not.toContain(plain);
  }
  expect((await t.callAs(admin, listTokens)).text).not.toContain(token.slice(4));
  expect(t.log.join('')).not.toContain(token.slice(4));
});

describe('scopes of tokens (security 6, 13)', () => {
  /** Sends a valid request that changes nothing, with unknown ids and an empty body. */
  async function attempt(route: RouteDefinition, token: string): Promise<string> {
    const response = await t.app.inject({
      method: route.method,
      url: route.path.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab'),
      headers: { authorization: `Bearer ${token}` },
      ...(route.body && { payload: {} }),
      payloadAsStream: true,
    });
    if (response.statusCode !== 401 && response.statusCode !== 403) {
      response.stream().resume();
      return 'passes';
    }
    return ((await json(response.stream())) as { code: string }).code;
  }
  const guarded = contractRoutes.filter(({ access }) => access !== 'public');

  test.each(guarded.map((route) => [route.method, route.path, route] as const))(
    '%s %s accepts a token only if it has the scope of the route',
    async (_method, _path, route) => {
      const { token } = await make();
      expect(await attempt(route, token)).toBe(route.scope ? 'passes' : 'token.not_usable_here');
      if (!route.scope) return;
      const rest = await make(allScopes.filter((scope) => scope !== route.scope));
      expect(await attempt(route, rest.token)).toBe('token.scope_missing');
    },
  );

  test('every scope is used by a route, and only administrator routes name scopes', () => {
    const named = contractRoutes.flatMap(({ scope }) => scope ?? []);
    expect(new Set([...named, 'administrators:write'])).toEqual(new Set(allScopes));
    expect(contractRoutes.filter(({ scope, access }) => scope && access !== 'admin')).toEqual([]);
  });

  test('a token needs an own scope to make administrators, in addition to the scope of the route', async () => {
    const ann = await t.join(`ann-${t.clock.now()}@example.com`);
    const { token: limited } = await make(['invitations:write', 'people:write']);
    let invitees = 0;
    const invitee = () => `boss-${(invitees += 1)}@example.com`;
    const { body: pending } = await t.callAs(admin, invite, { body: { email: invitee(), role: 'admin' } });
    const attempts = (token: string) => [
      t.call(changeRole, { token, params: { personId: ann.id }, body: { role: 'admin' } }),
      t.call(actOnPeople, { token, body: { action: 'makeAdmin', selection: { ids: [ann.id] } } }),
      t.call(invite, { token, body: { email: invitee(), role: 'admin' } }),
      ...[
        { rows: [{ email: invitee() }], role: 'admin' as const },
        { rows: [{ email: invitee(), role: 'admin' }] },
      ].map((body) => t.call(createBatch, { token, headers: { 'idempotency-key': invitee() }, body })),
      t.call(changeInvitationAddress, {
        token,
        params: { invitationId: pending.id },
        body: { email: invitee() },
      }),
      t.call(getInvitationLink, { token, params: { invitationId: pending.id } }),
    ];
    for (const result of attempts(limited))
      expect(await result).toMatchObject({
        status: 403,
        body: { code: 'token.administrator_scope_missing' },
      });
    expect((await t.callAs(admin, getPerson, { params: { personId: ann.id } })).body.role).toBe('member');

    const member = { token: limited, body: { email: invitee() } };
    expect((await t.call(invite, member)).status).toBe(200);
    const demotion = { token: limited, params: { personId: ann.id }, body: { role: 'member' as const } };
    expect((await t.call(changeRole, demotion)).status).toBe(200);

    const { token } = await make(['invitations:write', 'people:write', 'administrators:write']);
    for (const result of attempts(token)) expect((await result).status).toBe(200);
    expect((await t.callAs(admin, getPerson, { params: { personId: ann.id } })).body.role).toBe('admin');

    const { token: alone } = await make(['administrators:write']);
    expect((await t.call(changeRole, { ...demotion, token: alone })).body.code).toBe('token.scope_missing');
  });

  test('a token needs this scope to enable an administrator, too', async () => {
    const boss = await t.join(`boss-${t.clock.now()}@example.com`);
    await t.select`update people set role = 'admin', status = 'disabled' where id = ${boss.id}`;
    const statusWith = async (scopes: Scope[]) => {
      const { token } = await make(scopes);
      const enabled = [
        await t.call(enablePerson, { token, params: { personId: boss.id } }),
        await t.call(actOnPeople, { token, body: { action: 'enable', selection: { ids: [boss.id] } } }),
      ];
      const { body } = await t.callAs(admin, getPerson, { params: { personId: boss.id } });
      return [...enabled.map(({ body: { code } }) => code), body.status];
    };
    const missing = 'token.administrator_scope_missing';
    expect(await statusWith(['people:write'])).toEqual([missing, missing, 'disabled']);
    expect(await statusWith(['people:write', 'administrators:write'])).toEqual([
      undefined,
      undefined,
      'active',
    ]);
  });

  test('a token cannot create, list or revoke tokens, nor read the current user', () => {
    for (const route of [createToken, listTokens, revokeToken, getMe] as RouteDefinition[])
      expect(route.scope).toBeUndefined();
  });
});

describe('a token is accepted only in a single bearer header (security 1, 6)', () => {
  test.each([
    ['in the query', (token: string) => ({ url: `/api/people?access_token=${token}&token=${token}` })],
    ['as a basic password', (token: string) => ({ authorization: `Basic ${btoa(`x:${token}`)}` })],
    ['without a scheme', (token: string) => ({ authorization: token })],
    ['with an additional character', (token: string) => ({ authorization: `Bearer ${token}x` })],
    ['with another prefix', (token: string) => ({ authorization: `Bearer VST_${token.slice(4)}` })],
    [
      'with one altered character',
      (token: string) => ({
        authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      }),
    ],
    ['that is only the prefix', () => ({ authorization: 'Bearer vst_' })],
    ['of 64 KB', () => ({ authorization: `Bearer vst_${'a'.repeat(65_000)}` })],
  ])('returns 401 for a token %s', async (_where, place) => {
    const { token } = await make();
    const { url = '/api/people', authorization } = place(token) as { url?: string; authorization?: string };
    const response = await t.app.inject({ url, headers: { ...(authorization && { authorization }) } });
    expect(response.statusCode).toBe(401);
    expect((await t.call(listPeople, { token })).status).toBe(200);
  });
});

describe('a token is rejected', () => {
  test('after it was revoked, by its owner or by another administrator', async () => {
    for (const person of [admin, other]) {
      const { token, details } = await make();
      const revoked = await t.callAs(person, revokeToken, { params: { tokenId: details.id } });
      expect(revoked.body).toMatchObject({ state: 'revoked', owner: admin.email });
      expect(await t.call(listPeople, { token })).toMatchObject({
        status: 401,
        body: { code: 'token.invalid' },
      });
    }
  });

  test('from its expiry on, to the millisecond', async () => {
    const { token } = await make(allScopes, { days: 1 });
    t.clock.advance(24 * 3_600_000 - 1);
    expect((await t.call(listPeople, { token })).status).toBe(200);
    t.clock.advance(1);
    expect((await t.call(listPeople, { token })).body.code).toBe('token.invalid');
    const admins = await t.mint({ sub: admin.subject, emails: [admin.email] });
    const { rows } = (await t.call(listTokens, { token: admins })).body;
    expect(rows).toMatchObject([{ state: 'expired' }]);
    admin.token = admins;
    other.token = await t.mint({ sub: other.subject, emails: [other.email] });
  });

  test('while its owner is disabled, and after they are demoted or removed (security 9)', async () => {
    const carl = await t.join('carl@example.com', 'admin');
    const { token, details } = await make(allScopes, { by: carl });
    const code = async () => (await t.call(listPeople, { token })).body.code;
    const state = async () =>
      (await t.callAs(admin, listTokens)).body.rows.find(({ id }) => id === details.id)?.state;
    const ofCarl = { token: admin.token, params: { personId: carl.id } };
    await t.call(disablePerson, ofCarl);
    expect([await code(), await state()]).toEqual(['person.disabled', 'suspended']);
    await t.call(enablePerson, ofCarl);
    expect([await code(), await state()]).toEqual([undefined, 'active']);
    await t.call(changeRole, { ...ofCarl, body: { role: 'member' } });
    expect([await code(), await state()]).toEqual(['access.admin_needed', 'suspended']);
    await t.call(changeRole, { ...ofCarl, body: { role: 'admin' } });
    expect(await code()).toBeUndefined();
    await t.call(removePerson, ofCarl);
    expect(await code()).toBe('token.invalid');
  });
});

test('changes by a token are recorded under its owner, with the name of the token (K4)', async () => {
  const { token, details } = await make(['invitations:write'], { name: 'CI' });
  const { body } = await t.call(invite, { token, body: { email: 'ann@example.com' } });
  const { rows } = (await t.callAs(admin, listActivity)).body;
  expect(rows.slice(0, 2)).toMatchObject([
    {
      action: 'invitation.created',
      actor: admin.email,
      tokenName: 'CI',
      targetId: body.id,
      detail: { token: { id: details.id, name: 'CI' } },
    },
    {
      action: 'token.created',
      actor: admin.email,
      tokenName: null,
      target: 'CI',
      detail: { scopes: ['invitations:write'], expiresAt: details.expiresAt },
    },
  ]);
});

test('the list shows the time and the address of the last use, updated at most once a minute', async () => {
  const { token } = await make();
  const used = async () => (await t.callAs(admin, listTokens)).body.rows[0];
  await t.call(listInvitations, { token });
  const first = new Date(t.clock.now()).toISOString();
  expect(await used()).toMatchObject({ lastUsedAt: first, lastAddress: '127.0.0.1' });
  t.clock.advance(59_000);
  await t.call(listInvitations, { token });
  expect(await used()).toMatchObject({ lastUsedAt: first });
  t.clock.advance(1_000);
  await t.call(listInvitations, { token });
  expect(await used()).toMatchObject({ lastUsedAt: new Date(t.clock.now()).toISOString() });
});

describe('creating and revoking tokens', () => {
  test.each([
    ['no lifetime', { days: undefined }],
    ['a lifetime of 366 days', { days: 366 }],
    ['a lifetime of 0 days', { days: 0 }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['no name', { name: ' ' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['an owner', { personId: '0192f0c1-2345-7abc-8def-0123456789ab' }],
  ])('returns 400 with a message for %s', async (_what, wrong) => {
    const body = { name: 'CI', scopes: ['people:read'], days: 30, ...wrong };
    const response = await t.callAs(admin, createToken, { body: body as never });
    expect(response).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(Object.values(response.body.fields ?? {})[0]).toMatch(/\.$|known here/);
    expect(await t.select('select from personal_tokens')).toEqual([]);
  });

  test('the error of an unknown scope lists the scopes', async () => {
    const body = { name: 'CI', scopes: ['people.read'], days: 30 };
    const response = await t.callAs(admin, createToken, { body });
    expect(response.body).toMatchObject({ fields: { 'scopes.0': expect.stringContaining('people:read') } });
  });

  test('is limited per person', async () => {
    for (let count = 0; count < tokensPerPerson; count++) await make(['people:read']);
    const body = { name: 'x', scopes: ['people:read'], days: 1 };
    expect((await t.callAs(admin, createToken, { body })).body.code).toBe('token.too_many');
    expect((await make(['people:read'], { by: other })).token).toBeTruthy();
  });

  test('records only the first of two revocations in the log', async () => {
    const { details } = await make();
    const revoke = async () => (await t.callAs(other, revokeToken, { params: { tokenId: details.id } })).body;
    const first = await revoke();
    t.clock.advance(60_000);
    expect(await revoke()).toEqual(first);
    expect(await t.auditOf(details.id, 'token.revoked')).toHaveLength(1);
  });

  test('returns 404 for an unknown token (security 14)', async () => {
    const params = { tokenId: '0192f0c1-2345-7abc-8def-0123456789ab' };
    expect((await t.callAs(admin, revokeToken, { params })).body.code).toBe('token.not_found');
  });
});

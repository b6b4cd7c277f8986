/** Who may call what: every route of the contract × every kind of caller (statements F1, F6; security 1, 13). */
import { disablePerson } from '@vestibule/contract/people';
import type { RouteDefinition } from '@vestibule/contract/route';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../test-app.ts';
import { contractRoutes } from '../../test-routes.ts';

let t: TestApp;
const tokens: Record<string, string | undefined> = {};

beforeAll(async () => {
  t = await createTestApp();
  const [admin, member, disabled] = [
    await t.join('admin@example.com', 'admin'),
    await t.join('member@example.com'),
    await t.join('disabled@example.com', 'admin'),
  ];
  await t.call(disablePerson, { token: admin.token, params: { personId: disabled.id } });
  Object.assign(tokens, {
    admin: admin.token,
    member: member.token,
    disabled: disabled.token,
    stranger: await t.mint({ sub: 'stranger', emails: ['stranger@example.com'] }),
  });
});
afterAll(() => t.close());

const passes = { status: 'passes' };
const refusals = {
  nobody: { status: 401, code: 'sign_in.needed' },
  stranger: { status: 403, code: 'person.not_invited' },
  disabled: { status: 403, code: 'person.disabled' },
  notAdmin: { status: 403, code: 'access.admin_needed' },
};
const expected: Record<RouteDefinition['access'], Record<string, object>> = {
  public: { nobody: passes, stranger: passes, disabled: passes, member: passes, admin: passes },
  member: {
    nobody: refusals.nobody,
    stranger: refusals.stranger,
    disabled: refusals.disabled,
    member: passes,
    admin: passes,
  },
  admin: {
    nobody: refusals.nobody,
    stranger: refusals.stranger,
    disabled: refusals.disabled,
    member: refusals.notAdmin,
    admin: passes,
  },
};

/** A call that is right in form and changes nothing: unknown ids, an empty body. */
async function attempt(route: RouteDefinition, caller: string) {
  const token = tokens[caller];
  const answer = await t.app.inject({
    method: route.method,
    url: route.path.replaceAll(/:\w+/g, '0192f0c1-2345-7abc-8def-0123456789ab'),
    headers: { ...(token && { authorization: `Bearer ${token}` }) },
    ...(route.body && { payload: {} }),
    // Events never end by themselves.
    payloadAsStream: true,
  });
  if (answer.statusCode >= 500) throw new Error(`${route.path}: ${answer.statusCode}`);
  if (answer.statusCode !== 401 && answer.statusCode !== 403) {
    answer.stream().resume();
    return passes;
  }
  const { code } = (await json(answer.stream())) as { code?: string };
  return { status: answer.statusCode, code };
}

const matrix = contractRoutes.flatMap((route) =>
  Object.entries(expected[route.access]).map(
    ([caller, outcome]) => [caller, route.method, route.path, outcome, route] as const,
  ),
);

test('the contract has routes of every access', () => {
  expect(new Set(contractRoutes.map((route) => route.access))).toEqual(
    new Set(['public', 'member', 'admin']),
  );
});

test.each(matrix)('%s calling %s %s gets %o', async (caller, _method, _path, outcome, route) => {
  expect(await attempt(route, caller)).toEqual(outcome);
});

describe('HEAD is guarded as GET is', () => {
  const guarded = contractRoutes.filter(
    (route) => route.method === 'GET' && route.access !== 'public' && !route.media,
  );
  test.each(guarded.map((route) => route.path))('HEAD %s', async (url) => {
    expect((await t.app.inject({ method: 'HEAD', url })).statusCode).toBe(401);
  });
});

test('access is refused before the request is read', async () => {
  const answer = await t.app.inject({
    method: 'POST',
    url: '/api/invitations',
    headers: { authorization: `Bearer ${tokens['member']}`, 'content-type': 'application/json' },
    payload: 'this is not JSON',
  });
  expect(answer.json()).toMatchObject({ code: 'access.admin_needed' });
});

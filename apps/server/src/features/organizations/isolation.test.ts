/** Every route with a permission, called by every kind of caller for an object of an organization (R6). */
import { organizationPermissions } from '@vestibule/contract/organizations/permissions';
import { createToken } from '@vestibule/contract/profile/tokens';
import type { RouteDefinition } from '@vestibule/contract/route';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractRoutes } from '../../test/test-routes.ts';
import { createOrganizationSite, type OrganizationSite } from './test-organizations.ts';

let site: OrganizationSite;
const tokens: Record<string, string | undefined> = {};
beforeAll(async () => {
  site = await createOrganizationSite();
  const { t, admin, a, b } = site;
  const personal = await t.call(createToken, {
    token: admin.token,
    body: { name: 'Script', scopes: ['people:read', 'people:write', 'activity:read'], days: 7 },
  });
  Object.assign(tokens, {
    stranger: await t.mint({ sub: 'stranger', emails: ['stranger@example.com'] }),
    'person without organizations': (await t.join('alone@example.com')).token,
    'member of B': b.member.token,
    'manager of B': b.manager.token,
    'member of A': a.member.token,
    'manager of A': a.manager.token,
    'site administrator': admin.token,
    'personal access token': personal.body.token,
  });
});
afterAll(() => site.t.close());

const routes = contractRoutes.filter(({ access }) => typeof access === 'object');
const permissionOf = ({ access }: RouteDefinition) => (access as { permission: string }).permission;
const memberHas = new Set<string>(
  Object.values(organizationPermissions)
    .filter(({ memberHasIt }) => memberHasIt)
    .map(({ name }) => name),
);

/** Sends a request about organization A; its other ids are those of A's member. */
async function attempt(route: RouteDefinition, caller: string) {
  const { t, a } = site;
  const ids: Record<string, string> = { organizationId: a.id, personId: a.member.id };
  const token = tokens[caller];
  const answer = await t.app.inject({
    method: route.method,
    url: route.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown'),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    // An admitted change fails because of its invalid body.
    ...(route.body && { payload: { unknownField: true } }),
  });
  return answer.statusCode < 300 || answer.statusCode === 400
    ? 'admitted'
    : `${answer.statusCode} ${answer.json<{ code: string }>().code}`;
}

const outcomes: Record<string, (permission: string) => string> = {
  anonymous: () => '401 sign_in.needed',
  stranger: () => '403 person.not_invited',
  'person without organizations': () => '404 organization.not_found',
  'member of B': () => '404 organization.not_found',
  'manager of B': () => '404 organization.not_found',
  'personal access token': () => '403 token.not_usable_here',
  'member of A': (permission) =>
    memberHas.has(permission) ? 'admitted' : '403 organization.permission_needed',
};

describe.each(Object.entries(outcomes))('%s', (caller, outcomeOf) => {
  test.each(routes.map((route) => [route.method, route.path, route] as const))(
    '%s %s',
    async (_, __, route) => {
      expect(await attempt(route, caller)).toBe(outcomeOf(permissionOf(route)));
    },
  );
});

describe.each(['manager of A', 'site administrator'])('%s', (caller) => {
  // Deletions have no body that could be invalid: organizations.test.ts.
  const harmless = routes.filter(({ method }) => method !== 'DELETE');
  test.each(harmless.map((route) => [route.method, route.path, route] as const))(
    '%s %s',
    async (_, __, route) => {
      expect(await attempt(route, caller)).toBe('admitted');
    },
  );
});

test('a person of another organization is not found', async () => {
  const { t, a, b } = site;
  for (const route of routes.filter(({ path }) => path.includes(':personId'))) {
    const answer = await t.app.inject({
      method: route.method,
      url: route.path.replace(':organizationId', a.id).replace(':personId', b.member.id),
      headers: { authorization: `Bearer ${a.manager.token}` },
      ...(route.body && { payload: { roleId: 'member' } }),
    });
    expect([route.path, answer.statusCode]).toEqual([route.path, 404]);
  }
});

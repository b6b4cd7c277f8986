/** Every route with a permission, called by every kind of caller for an object of an organization (R6). */
import { randomUUID } from 'node:crypto';
import {
  changeOrganizationInvitationAddress,
  createOrganizationBatch,
  listOrganizationInvitations,
} from '@vestibule/contract/invitations/in-organization';
import { changeMember, changeOrganization } from '@vestibule/contract/organizations';
import { connectionErrors } from '@vestibule/contract/organizations/connection';
import { addDomain, changeDomain, domainErrors } from '@vestibule/contract/organizations/domains';
import {
  organizationPermissions,
  permissionsWithoutTokens,
} from '@vestibule/contract/organizations/permissions';
import {
  createOrganizationWebhook,
  testOrganizationWebhook,
} from '@vestibule/contract/organizations/webhooks';
import { createOrganizationDirectoryToken } from '@vestibule/contract/organizations/directory';
import { createOrganizationToken } from '@vestibule/contract/organizations/tokens';
import { createToken } from '@vestibule/contract/profile/tokens';
import type { RouteDefinition } from '@vestibule/contract/route';
import { afterAll, describe, expect, test } from 'vitest';
import { contractRoutes } from '../../test/test-routes.ts';
import { createOrganizationSite, type OrganizationSite } from './test-organizations.ts';

const tokens: Record<string, string | undefined> = {};
/** Ids of objects of organization B, by path parameter. */
const ofB: Record<string, string> = {};
/** Permissions of the built-in role `member`. */
const memberHas = new Set<string>();
/** Bodies of changes, if an empty one is invalid. */
const validBodies: Record<string, object> = {
  [changeMember.path]: { roleId: 'member' },
  [changeDomain.path]: { enrolment: 'automatic' },
  [changeOrganizationInvitationAddress.path]: { email: 'other@example.com' },
};
const { t, admin, a, b } = await createOrganizationSite({
  environment: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes', PROVIDERS_ON_PRIVATE_ADDRESSES: 'yes' },
});
await t.callAs(admin, changeOrganization, {
  params: { organizationId: a.id },
  body: { singleSignOn: true },
});
const allPermissions = [...Object.values(organizationPermissions), ...t.extensionPermissions];
for (const { name, memberHasIt } of allPermissions) if (memberHasIt) memberHas.add(name);
const permissions = allPermissions
  .map(({ name }) => name)
  .filter((name) => !permissionsWithoutTokens.includes(name));
const tokenOf = async ({ id, manager }: OrganizationSite['a']) =>
  (
    await t.callAs(manager, createOrganizationToken, {
      params: { organizationId: id },
      body: { name: 'Script', permissions, days: 7 },
    })
  ).body;
const organizationToken = await tokenOf(b);
const scimTokenOf = async ({ id, manager }: OrganizationSite['a']) =>
  (await t.callAs(manager, createOrganizationDirectoryToken, { params: { organizationId: id } })).body.token;
const personal = await t.callAs(admin, createToken, {
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
  'access token of A': (await tokenOf(a)).token,
  'access token of B': organizationToken.token,
  'SCIM token of A': await scimTokenOf(a),
  'SCIM token of B': await scimTokenOf(b),
});
const batch = await t.callAs(b.manager, createOrganizationBatch, {
  params: { organizationId: b.id },
  headers: { 'idempotency-key': 'batch' },
  body: { rows: [{ email: 'new@bolt.example' }] },
});
const [invitation] = (
  await t.callAs(b.manager, listOrganizationInvitations, { params: { organizationId: b.id } })
).body.rows;
const domain = await t.callAs(b.manager, addDomain, {
  params: { organizationId: b.id },
  body: { domain: 'bolt.example' },
});
const webhook = await t.call(createOrganizationWebhook, {
  token: await t.recentTokenOf(b.manager),
  params: { organizationId: b.id },
  body: { url: 'http://127.0.0.1:9/', description: '', events: ['member.added'] },
});
const message = await t.callAs(b.manager, testOrganizationWebhook, {
  params: { organizationId: b.id, webhookId: webhook.body.webhook.id },
});
const requestId = randomUUID();
await t.select`
  insert into membership_requests (id, organization_id, email, email_canonical, display_name, requested_at)
  values (${requestId}, ${b.id}, 'requester@bolt.example', 'requester@bolt.example', 'requester@bolt.example', now())`;
Object.assign(ofB, {
  requestId,
  domain: domain.body.domain,
  personId: b.member.id,
  batchId: batch.body.id,
  invitationId: invitation?.id,
  tokenId: organizationToken.details.id,
  webhookId: webhook.body.webhook.id,
  messageId: message.body.id,
});
afterAll(() => t.close());

const routes = contractRoutes.filter(({ access }) => typeof access === 'object');
const permissionOf = ({ access }: RouteDefinition) => (access as { permission: string }).permission;

const notFoundCodes = new Set<string>([domainErrors.notFound.code, connectionErrors.notFound.code]);

/** Sends a request about organization A; its other ids are those of A's member. */
async function attempt(route: RouteDefinition, caller: string) {
  const ids: Record<string, string> = { organizationId: a.id, personId: a.member.id };
  const token = tokens[caller];
  const response = await t.app.inject({
    method: route.method,
    url: route.path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown'),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    // An admitted change fails because of its invalid body.
    ...(route.body && { payload: { unknownField: true } }),
  });
  const { statusCode } = response;
  const code = statusCode < 300 ? '' : response.json<{ code: string }>().code;
  // The caller may look for an object that does not exist.
  const isDeclared = route.errors?.some((error) => error.status === 403 && error.code === code) ?? false;
  const isAdmitted = statusCode < 300 || statusCode === 400 || notFoundCodes.has(code) || isDeclared;
  return isAdmitted ? 'admitted' : `${statusCode} ${code}`;
}

const outcomes: Record<string, (permission: string) => string> = {
  anonymous: () => '401 sign_in.needed',
  stranger: () => '403 person.not_invited',
  'person without organizations': () => '404 organization.not_found',
  'member of B': () => '404 organization.not_found',
  'manager of B': () => '404 organization.not_found',
  'personal access token': () => '403 token.not_usable_here',
  'access token of B': () => '404 organization.not_found',
  // SCIM tokens work only for SCIM: organization-scim.test.ts.
  'SCIM token of A': () => '401 sign_in.needed',
  'SCIM token of B': () => '401 sign_in.needed',
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

// Deletions have no body that could be invalid: organizations.test.ts.
const harmless = routes.filter(({ method }) => method !== 'DELETE');

describe('access token of A', () => {
  test.each(harmless.map((route) => [route.method, route.path, route] as const))(
    '%s %s',
    async (_, __, route) => {
      expect(await attempt(route, 'access token of A')).toBe(
        permissionsWithoutTokens.includes(permissionOf(route))
          ? '403 organization.token_permission_missing'
          : 'admitted',
      );
    },
  );
});

describe.each(['manager of A', 'site administrator'])('%s', (caller) => {
  test.each(harmless.map((route) => [route.method, route.path, route] as const))(
    '%s %s',
    async (_, __, route) => {
      expect(await attempt(route, caller)).toBe('admitted');
    },
  );
});

describe('an object of another organization is not found', () => {
  const withObjects = routes.filter(({ path }) => /:(?!organizationId)/.test(path));
  test.each(withObjects.map((route) => [route.method, route.path, route] as const))(
    '%s %s',
    async (method, path, route) => {
      const response = await t.app.inject({
        method,
        url: path.replaceAll(/:(\w+)/g, (_, name: string) =>
          name === 'organizationId' ? a.id : (ofB[name] ?? randomUUID()),
        ),
        headers: { authorization: `Bearer ${a.manager.token}` },
        ...(route.body && { payload: validBodies[path] ?? {} }),
      });
      // This test has no valid bodies for extensions.
      const statuses = t.extensionRoutes.has(route) && route.body ? [400, 404] : [404];
      expect(statuses).toContain(response.statusCode);
    },
  );
});

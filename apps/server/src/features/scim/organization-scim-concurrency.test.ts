/** Concurrent requests of an organization's directory (R9). */
import { changeMember } from '@vestibule/contract/organizations';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestApp } from '../../test/test-app.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from '../organizations/test-organizations.ts';
import { createDirectoryHelpers, createUser, entraUser, setUserActive } from './test-organization-scim.ts';
import type { createScimClient } from './test-scim.ts';

let t: TestApp;
let a: OrganizationSite['a'];
let scim: ReturnType<typeof createScimClient>;
beforeEach(async () => {
  ({ t, a } = await createOrganizationSite());
  scim = await directoryOf(a);
});
afterEach(() => t.close());

const { signUp, memberEmails } = createInvitingHelpers(() => t);
const { directoryOf, prove, verify } = createDirectoryHelpers(() => t);

test('one manager remains if the directory deactivates both at once', async () => {
  await t.callAs(a.manager, changeMember, {
    params: { organizationId: a.id, personId: a.member.id },
    body: { roleId: 'manager' },
  });
  const users = [await createUser(scim, a.manager.email), await createUser(scim, a.member.email)];
  const responses = await Promise.all(users.map(({ id }) => setUserActive(scim, id, false)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(1);
});

test('a user who accepts the invitation while the directory deactivates them is no member', async () => {
  const { id } = await createUser(scim, 'new@other.example');
  const [signedUp, off] = await Promise.all([signUp('new@other.example'), setUserActive(scim, id, false)]);
  expect(off.status).toBe(200);
  expect(await memberEmails(a)).not.toContain('new@other.example');
  expect([200, 403]).toContain(signedUp.status);
});

test('of 8 users created at once for one seat, one becomes a member', async () => {
  await prove(a, 'acme.example');
  const addresses = Array.from({ length: 8 }, (_, index) => `person${index}@acme.example`);
  for (const address of addresses) await verify(await t.join(address));
  await t.select`update organizations set seat_limit = member_count + 1 where id = ${a.id}`;
  const responses = await Promise.all(addresses.map((address) => scim('POST', '/Users', entraUser(address))));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(7);
});

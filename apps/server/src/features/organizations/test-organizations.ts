import { inviteToOrganization } from '@vestibule/contract/invitations/in-organization';
import { addMember, createOrganization, listMembers } from '@vestibule/contract/organizations';
import { listMyOrganizations } from '@vestibule/contract/organizations/mine';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

type Options = NonNullable<Parameters<typeof createTestApp>[0]>;

/**
 * Two organizations with a manager and a member each, and a site administrator who is a member of neither. The result names
 * `TestApp`: in the declarations for portals, functions that take one do not accept an inferred type.
 */
export async function createOrganizationSite(
  options: Options = {},
): Promise<Awaited<ReturnType<typeof createOrganizations>> & { t: TestApp }> {
  // The copied site has the default clock and secret.
  if (options.clock || options.secret || options.sharedWith) {
    const t = await createTestApp(options);
    return { t, ...(await createOrganizations(t)) };
  }
  const { template, people } = await preparedSite(options.extensionsDirectory);
  return { t: await createTestApp({ ...options, template }), ...structuredClone(people) };
}

const preparedSites = new Map<string | undefined, ReturnType<typeof prepareSite>>();

/** Returns the site of this test worker that others are copied from: creating one takes a dozen requests. */
function preparedSite(extensionsDirectory?: string) {
  const prepared = preparedSites.get(extensionsDirectory) ?? prepareSite(extensionsDirectory);
  preparedSites.set(extensionsDirectory, prepared);
  return prepared;
}

async function prepareSite(extensionsDirectory?: string) {
  const { name: template, applicationUrl, url } = await createTestDatabase(undefined, 'site');
  const t = await createTestApp({
    sharedWith: { databaseUrl: applicationUrl, ownerUrl: url },
    ...(extensionsDirectory !== undefined && { extensionsDirectory }),
  });
  const people = await createOrganizations(t);
  await t.close();
  return { template, people };
}

async function createOrganizations(t: TestApp) {
  const joined = await t.join('admin@example.com', 'admin');
  const admin = { ...joined, token: await t.recentTokenOf(joined) };
  const a = await createOrganizationOf(t, admin, 'acme');
  const b = await createOrganizationOf(t, admin, 'bolt');
  return { admin, a, b };
}

export type OrganizationSite = Awaited<ReturnType<typeof createOrganizationSite>>;

async function createOrganizationOf(t: TestApp, admin: TestPerson, slug: string) {
  const { body } = await t.callAs(admin, createOrganization, { body: { name: `The ${slug}`, slug } });
  const add = async (person: TestPerson, roleId: 'manager' | 'member') => {
    const { status } = await t.callAs(admin, addMember, {
      params: { organizationId: body.id },
      body: { personId: person.id, roleId },
    });
    if (status !== 200) throw new Error(`${person.email} was not added: ${status}`);
    return person;
  };
  const manager = await add(await t.join(`manager@${slug}.example`), 'manager');
  const member = await add(await t.join(`member@${slug}.example`), 'member');
  return { id: body.id, slug, manager, member };
}

/** Helpers for invitations to organizations. */
export function createInvitingHelpers(app: () => TestApp) {
  type Organization = OrganizationSite['a'];
  const inOrganization = (organization: Organization, token = organization.manager.token) => ({
    token,
    params: { organizationId: organization.id },
  });
  return {
    inOrganization,
    inviteTo: (
      organization: Organization,
      email: string,
      more: { role?: string; message?: string } = {},
      token = organization.manager.token,
    ) =>
      app().call(inviteToOrganization, { ...inOrganization(organization, token), body: { email, ...more } }),
    one: (organization: Organization, invitationId: string) => ({
      token: organization.manager.token,
      params: { organizationId: organization.id, invitationId },
    }),
    /** Signs up with an invitation; without one, the address decides. */
    signUp: (email: string, invitationId?: string) => app().signIn(email, { invitationId }),
    organizationsOf: async (token: string) =>
      (await app().call(listMyOrganizations, { token })).body.rows.map(({ slug, roleId }) => [slug, roleId]),
    memberEmails: async (organization: Organization) =>
      (await app().call(listMembers, inOrganization(organization))).body.rows.map(({ email }) => email),
  };
}

import { addMember, createOrganization } from '@vestibule/contract/organizations';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

/** Two organizations with a manager and a member each, and a site administrator who is a member of neither. */
export async function createOrganizationSite() {
  const t = await createTestApp();
  const admin = await t.join('admin@example.com', 'admin');
  const recentAdmin = { ...admin, token: await t.recentTokenOf(admin) };
  const [a, b] = [
    await createOrganizationOf(t, recentAdmin, 'acme'),
    await createOrganizationOf(t, recentAdmin, 'bolt'),
  ];
  return { t, admin: recentAdmin, a, b };
}

export type OrganizationSite = Awaited<ReturnType<typeof createOrganizationSite>>;

async function createOrganizationOf(t: TestApp, admin: TestPerson, slug: string) {
  const { body } = await t.call(createOrganization, {
    token: admin.token,
    body: { name: `The ${slug}`, slug },
  });
  const add = async (person: TestPerson, roleId: 'manager' | 'member') => {
    const { status } = await t.call(addMember, {
      token: admin.token,
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

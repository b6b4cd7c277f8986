import { openOrganization } from '@vestibule/contract/organizations/mine';
import { rememberOrganization, type ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { roleName } from '../../lib/role-name.ts';

export type Opened = { organization: ActiveOrganization } | { failure: unknown };

/** Loads an organization, and makes it that of its address. */
export async function loadOrganization(slug: string): Promise<Opened> {
  try {
    const { roles, ...opened } = await call(openOrganization, { params: { slug } });
    const organization = {
      ...opened,
      roles: roles.map(({ id, name, mayGive }) => ({ id, label: roleName(id, name), mayGive })),
    };
    rememberOrganization(organization);
    return { organization };
  } catch (failure) {
    return { failure };
  }
}

/** The directory of an organization, for tests. */
import { createOrganizationDirectoryToken } from '@vestibule/contract/organizations/directory';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import type { OrganizationSite } from '../organizations/test-organizations.ts';
import { createScimClient, patchOf, userSchema } from './test-scim.ts';

type Organization = OrganizationSite['a'];
type Scim = ReturnType<typeof createScimClient>;

/** As Entra ID sends it. */
export const entraUser = (address: string, more: object = {}) => ({
  schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `id of ${address}`,
  userName: address,
  active: true,
  emails: [{ primary: true, type: 'work', value: address }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  roles: [],
  ...more,
});

export async function createUser(scim: Scim, address: string) {
  const { status, body } = await scim('POST', '/Users', entraUser(address));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** As Entra ID sends it; Okta sends an object of attributes without a path. */
export const setUserActive = (scim: Scim, id: string, value: boolean) =>
  scim('PATCH', `/Users/${id}`, patchOf({ op: 'Replace', path: 'active', value: value ? 'True' : 'False' }));

export function createDirectoryHelpers(app: () => TestApp) {
  async function createTokenOf({ id: organizationId, manager }: Organization): Promise<string> {
    const call = { token: manager.token, params: { organizationId } };
    return (await app().call(createOrganizationDirectoryToken, call)).body.token;
  }
  return {
    createTokenOf,
    directoryOf: async (organization: Organization) =>
      createScimClient(app(), await createTokenOf(organization)),

    /** Stores a domain of the organization. */
    prove: (
      { id }: Organization,
      domain: string,
      { state, enrolment } = { state: 'verified', enrolment: 'invitation' },
    ) =>
      app().select`
        insert into organization_domains (organization_id, domain, token, created_at, state, enrolment, check_due_at)
        values (${id}, ${domain}, gen_random_uuid(), now(), ${state}, ${enrolment}, now())`,

    /** Signs in with an address that the provider has verified. */
    verify: async <P extends TestPerson>(known: P): Promise<P> => {
      await app().signIn(known.email);
      return known;
    },
  };
}

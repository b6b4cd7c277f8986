/** Data that the screens of screens.ts show. */
import { createPictureFile } from '../fixtures/sample-picture.ts';
import { createPerson, type Person, type Site } from '../../packages/testing/src/site.ts';

export type Scene = {
  person: Person;
  personId: string;
  pending: string;
  expired: string;
  /** Id of a file of the administrator. */
  fileId: string;
};

/** Names with words that are wider than a phone. */
export const personName = 'Paula Wolfeschlegelsteinhausenbergerdorffdonaudampf';
export const organizationName = 'Acme Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk';

/** Creates people, invitations and files for the screens. */
export async function seedScene(site: Site): Promise<Scene> {
  const person = await site.createMember({ name: personName });
  const [pending, expired] = [createPerson().email, createPerson().email];
  await site.invite(pending);
  const { id } = await site.invite(expired);
  await site.sql(
    `insert into directory_groups (id, display_name, created_at, modified_at) values ($1, 'Company administrators', now(), now()) on conflict do nothing`,
    [id],
  );
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  const [fileId] = await Promise.all([
    site.upload(site.administrator, {
      name: 'Welcome.txt',
      type: 'text/plain',
      contents: Buffer.from('Welcome to Vestibule.\n\nThe first day begins at nine, at the front desk.\n'),
    }),
    site.upload(site.administrator, createPictureFile('Map of the house.png')),
    site.upload(person, { name: 'From Paula.txt', type: 'text/plain', contents: Buffer.from('Hello') }),
  ]);
  const personId = await site.getPersonId(person);
  await joinOrganization(site, personId);
  await addApplication(site);
  return { person, personId, pending, expired, fileId };
}

/** Tests of a worker share the site, and so the organization. */
async function joinOrganization(site: Site, personId: string): Promise<void> {
  const found = (await site.callAsAdmin('GET', '/api/organizations?search=acme')) as {
    rows: { id: string }[];
  };
  const body = { name: organizationName, slug: 'acme', seatLimit: 50 };
  const { id } =
    found.rows[0] ?? ((await site.callAsAdmin('POST', '/api/organizations', body)) as { id: string });
  await site.callAsAdmin('POST', `/api/organizations/${id}/members`, { personId, roleId: 'manager' });
  await site.sql(
    `insert into membership_requests (id, organization_id, email, email_canonical, display_name, requested_at)
     values (gen_random_uuid(), $1, 'rita@elsewhere.invalid', 'rita@elsewhere.invalid', 'Rita Request', now()) on conflict do nothing`,
    [id],
  );
  const invited = { email: createPerson().email, role: 'manager' };
  await site.callAsAdmin('POST', `/api/organizations/${id}/invitations`, invited);
}

async function addApplication(site: Site): Promise<void> {
  const { rows } = (await site.callAsAdmin('GET', '/api/applications')) as { rows: unknown[] };
  const body = { name: 'Calendar', address: 'https://calendar.invalid', access: [{ kind: 'everyone' }] };
  if (rows.length === 0) await site.callAsAdmin('POST', '/api/applications', body);
}

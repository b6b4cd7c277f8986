/** Measures organizations (R11): lists of 100,000 organizations, of 10,000 members and of 10,000 invitations, "who am I" with five memberships, and creating 1,000. */
import { listOrganizationInvitations } from '@vestibule/contract/invitations/in-organization';
import { createOrganizations } from '@vestibule/contract/organizations/batch';
import { listMembers, listOrganizations } from '@vestibule/contract/organizations';
import { compareWithCeiling, measureMedianMs } from '../harness/http-load.ts';
import { seededSubject } from '../harness/seed.ts';
import type { LoadedSite } from '../harness/site.ts';
import { atLeast, atMost, figure, type Figure } from '../report.ts';

const organizations = 100_000;
const membersOfLargest = 10_000;
const invitationsOfLargest = 10_000;
const membershipsPerUser = 5;
const createdAtOnce = 1_000;

export async function measureOrganizations(site: LoadedSite): Promise<Figure[]> {
  const largest = await seed(site);
  const time = (path: string, query: Record<string, string>) =>
    measureMedianMs(20, async () => {
      const response = await fetch(`${site.url}${path}?${new URLSearchParams(query).toString()}`, {
        headers: { authorization: `Bearer ${site.tokens[0]}` },
      });
      if (!response.ok) throw new Error(await response.text());
      await response.json();
    });
  const slowest = async (path: string, sorts: string[]) => {
    let slowestMs = 0;
    for (const sort of sorts) slowestMs = Math.max(slowestMs, await time(path, { sort, direction: 'asc' }));
    return slowestMs;
  };
  const invitations = listOrganizationInvitations.path.replace(':organizationId', largest);
  const members = listMembers.path.replace(':organizationId', largest);
  const requests = site.tokens.map((token) => ({
    path: '/api/users/me',
    headers: { authorization: `Bearer ${token}` },
  }));
  const { percent, ceiling } = await compareWithCeiling(site, requests);
  return [
    figure(
      'organizations, first page in the slowest order',
      await slowest(listOrganizations.path, ['name', 'slug', 'status', 'memberCount', 'createdAt']),
      'ms',
      atMost(15),
    ),
    figure(
      'organizations, search with 10 hits',
      await time(listOrganizations.path, { search: 'organization 4321' }),
      'ms',
      atMost(60),
    ),
    figure(
      'members of the largest organization, first page in the slowest order',
      await slowest(members, ['email', 'displayName', 'roleId', 'joinedAt', 'lastSeenAt']),
      'ms',
      atMost(60),
    ),
    figure(
      'members of the largest organization, search',
      await time(members, { search: 'bauer' }),
      'ms',
      atMost(60),
    ),
    figure(
      'invitations of the largest organization, first page in the slowest order',
      await slowest(invitations, ['email', 'role', 'createdAt', 'expiresAt']),
      'ms',
      atMost(60),
    ),
    figure('creating 1,000 organizations from a list', await createMany(site), 's', atMost(10)),
    figure('who am I with five memberships, share of the ceiling', percent, '%', atLeast(60), { ceiling }),
  ];
}

/** Returns the seconds for a list of 1,000 rows, checked and then created, as the screen does. */
async function createMany({ url, tokens }: LoadedSite): Promise<number> {
  const rows = Array.from({ length: createdAtOnce }, (_, index) => ({
    name: `Customer ${index}`,
    slug: `customer-${index}`,
    seatLimit: '25',
  }));
  const startedAt = performance.now();
  for (const dryRun of [true, false]) {
    const response = await fetch(url + createOrganizations.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ rows, dryRun }),
    });
    const { created, problems } = (await response.json()) as { created: number; problems: unknown[] };
    if (problems.length > 0 || created !== (dryRun ? 0 : createdAtOnce))
      throw new Error(JSON.stringify({ created, problems }));
  }
  return (performance.now() - startedAt) / 1000;
}

/** Inserts the organizations, one of them with 10,000 members, and five memberships of each user of the measurement. Returns its id. */
async function seed({ database, tokens }: LoadedSite): Promise<string> {
  await database.query(
    `insert into organizations (id, name, slug, created_at)
     select uuidv7(), 'Organization ' || n, 'organization-' || n, now() - make_interval(mins => n) from generate_series(1, $1) n`,
    [organizations],
  );
  await database.query(
    `insert into memberships (organization_id, person_id, role_id, joined_at)
     select id, person_id, 'member', now()
     from (select person_id, row_number() over (order by subject) as n from identities where subject like 'seeded-%') person
     join (select id, row_number() over (order by id) as position from organizations) organization on position = 1 + n % $1`,
    [organizations],
  );
  const { rows } = await database.query<{ id: string }>(
    `with largest as (select id from organizations order by id limit 1), added as (
       insert into memberships (organization_id, person_id, role_id, joined_at)
       select largest.id, people.id, 'member', now() from largest, (select id from people order by id limit $1) people
       on conflict do nothing)
     select id from largest`,
    [membersOfLargest],
  );
  await database.query(
    `insert into memberships (organization_id, person_id, role_id, joined_at)
     select organization.id, person_id, 'manager', now()
     from identities cross join (select id from organizations order by id desc limit $2) organization
     where subject = any($1) on conflict do nothing`,
    [tokens.map((_, number) => seededSubject(number)), membershipsPerUser],
  );
  await database.query(
    `update invitations set organization_id = $1, organization_role_id = 'member'
     where id in (select id from invitations order by id limit $2)`,
    [rows[0]?.id, invitationsOfLargest],
  );
  await database.query('vacuum (analyze) invitations');
  await database.query('vacuum (analyze) memberships');
  await database.query('vacuum (analyze) organizations');
  return rows[0]?.id as string;
}

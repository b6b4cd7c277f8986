import { listMembers } from '@vestibule/contract/organizations';
import { beforeAll, describe, expect, test } from 'vitest';
import { closeAfterTests } from '../../test/test-close.ts';
import { createOrganizationSite } from './test-organizations.ts';

const { t, admin, a, b } = await createOrganizationSite();
closeAfterTests(t);

type Query = NonNullable<Parameters<typeof t.call<typeof listMembers>>[1]['query']>;
const read = async (query: Query) =>
  (await t.callAs(admin, listMembers, { params: { organizationId: a.id }, query })).body;

/** Reads the order from people, without the copies in memberships. */
async function readExpected(terms: string, condition = 'true') {
  const rows = await t.select<{ email: string }>(
    `select email from people join memberships on person_id = people.id
     where organization_id = '${a.id}' and ${condition} order by ${terms}`,
  );
  return rows.map(({ email }) => email);
}

// 600 people, of whom every third is a member of the organization, and others are members of another one.
beforeAll(async () => {
  await t.select(
    `insert into people (id, email, email_canonical, display_name, role, status, joined_at, last_seen_at)
     select gen_random_uuid(), address, address, (array['Äda', 'bo ', 'Zoe ', 'CY'])[1 + n % 4] || n % 9, 'member',
       case when n % 7 = 0 then 'disabled' else 'active' end, now(),
       case when n % 5 > 0 then now() - make_interval(mins => n * 37 % 500) end
     from generate_series(1, 600) n, lateral (select (n * 7919 % 1000) || '.person' || n || '@example.com' as address) addresses`,
  );
  await t.select`
    insert into memberships (organization_id, person_id, role_id, joined_at, added_by)
    select case when n % 3 = 0 then ${a.id}::uuid else ${b.id}::uuid end, id, 'member', now() - make_interval(mins => n * 31 % 100), 'admin' || n % 4
    from (select id, substring(email from 'person([0-9]+)')::int as n from people where email like '%.person%') person
    where n % 3 <= 1`;
  // The number of all people is that of the statistics.
  await t.select('analyze people');
});

const orders = {
  displayName: 'people.display_name_folded collate alphabetical',
  email: 'people.email_folded collate alphabetical',
  roleId: 'role_id',
  status: 'status',
  joinedAt: 'memberships.joined_at',
  addedBy: 'added_by',
  lastSeenAt: 'last_seen_at',
} as const;

describe('members of an organization', () => {
  for (const [sort, column] of Object.entries(orders) as [keyof typeof orders, string][])
    for (const [direction, nulls] of [
      ['asc', 'last'],
      ['desc', 'first'],
    ] as const)
      test(`are sorted by ${sort}, ${direction}ending, with and without filters`, async () => {
        const terms = `${column} ${direction} nulls ${nulls}, people.id ${direction}`;
        const expected = await readExpected(terms);
        expect(expected).toHaveLength(202);
        for (const offset of [0, 40, 120]) {
          const { rows } = await read({ sort, direction, offset, limit: 30 });
          expect(rows.map(({ email }) => email)).toEqual(expected.slice(offset, offset + 30));
        }
        const { total } = await read({ sort, direction });
        expect(total).toBe(202);
        const filters = JSON.stringify([{ column: 'status', is: 'oneOf', values: ['disabled'] }]);
        const disabled = await read({ sort, direction, filters, limit: 20 });
        const expectedDisabled = await readExpected(terms, `status = 'disabled'`);
        expect(disabled.total).toBe(expectedDisabled.length);
        expect(disabled.rows.map(({ email }) => email)).toEqual(expectedDisabled.slice(0, 20));
        const found = await read({ sort, direction, search: 'person3' });
        expect(found.rows.map(({ email }) => email)).toEqual(
          await readExpected(terms, `search like '%person3%'`),
        );
        expect(found.rows.length).toBeGreaterThan(3);
      });

  test('are sorted by a changed name and address', async () => {
    await t.select`
      update people set display_name = '  0', email = '!first@example.com' where id = ${a.member.id}`;
    for (const sort of ['displayName', 'email'] as const)
      expect((await read({ sort, direction: 'asc', limit: 1 })).rows[0]?.id).toBe(a.member.id);
  });
});

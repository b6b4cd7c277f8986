import { getPerson, listPeople } from '@vestibule/contract/people';
import { afterAll, expect, test } from 'vitest';
import { createPasskeySite } from '../../test/sign-in/test-passkey-site.ts';

const site = await createPasskeySite();
const { t } = site;
const admin = await t.join('admin@example.com', 'admin');
afterAll(() => site.close());

const methodsOf = async (personId: string) =>
  (await t.callAs(admin, getPerson, { params: { personId } })).body.ways;

test('the sign-in methods of a person are derived from their identities, and people can be filtered by sign-in method', async () => {
  const person = await site.join();
  expect(await methodsOf(admin.id)).toBe('b2c');
  expect(await methodsOf(person.id)).toBe('passkeys');
  await t.select`
    insert into identities (issuer, subject, person_id, way)
    values ('https://acme.example', 'x', ${person.id}, 'acme'), ('https://acme.example', 'y', ${person.id}, 'acme')`;
  expect(await methodsOf(person.id)).toBe('acme, passkeys');
  const filtered = async (...values: string[]) => {
    const filters = JSON.stringify([{ column: 'ways', is: 'oneOf', values }]);
    const { body } = await t.callAs(admin, listPeople, { query: { filters } });
    return body.rows.map(({ id }) => id);
  };
  expect(await filtered('passkeys')).toEqual([person.id]);
  expect(await filtered('b2c')).toEqual([admin.id]);
  expect((await filtered('b2c', 'acme')).sort()).toEqual([admin.id, person.id].sort());
  expect(await filtered('pass', 'acme, passkeys')).toEqual([]);
  await t.select(`delete from identities where subject in ('x', 'y')`);
  expect(await methodsOf(person.id)).toBe('passkeys');
  await t.select`delete from identities where person_id = ${person.id}`;
  expect(await methodsOf(person.id)).toBe('');
});

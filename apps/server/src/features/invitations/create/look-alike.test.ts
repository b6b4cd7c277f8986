import { expect, test } from 'vitest';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { createTestApp } from '../../../test/test-app.ts';
import { skeletonOf } from './look-alike.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());

test.each([
  ['ann.miller@example.com', 'annmiller@example.com'],
  ['bob0@example.com', 'bobo@example.com'],
  ['i1l@example.com', 'lll@example.com'],
  ['modern@example.com', 'modem@example.com'],
  ['vvill@example.com', 'will@example.com'],
  ['ann@exarnple.com', 'ann@example.com'],
  ['ann@ехаmple.com', 'ann@example.com'],
  ['ann@exämple.com', 'ann@example.com'],
])('%s looks like %s', (one, other) => {
  expect(skeletonOf(canonicalEmail(one) as string)).toBe(skeletonOf(canonicalEmail(other) as string));
});

test.each([
  ['ann+list@example.com', 'ann@example.com'],
  ['ann@example.com', 'ann@examplecom.com'],
  ['ann@mail.example.com', 'ann@mailexample.com'],
  ['anna@example.com', 'ann@example.com'],
])('%s does not look like %s', (one, other) => {
  expect(skeletonOf(canonicalEmail(one) as string)).not.toBe(skeletonOf(canonicalEmail(other) as string));
});

test('address_skeleton in the database returns the same as skeletonOf for ASCII addresses, and its index is used', async () => {
  const addresses = ['a.b.c@example.com', 'rnvv0i1@sub.rn.example', "o'x-_~!@e.de", 'rrn.n@vvv.example'];
  const skeletons = await t.scalars<string>`
    select address_skeleton(address) as skeleton from unnest(${addresses}::text[]) with ordinality as a (address, n)
    order by n`;
  expect(skeletons).toEqual(addresses.map(skeletonOf));
  await t.select('set enable_seqscan = off');
  const plan = await t.select`explain select from people where address_skeleton(email_canonical) = 'x'`;
  expect(JSON.stringify(plan)).toContain('people_skeleton');
});

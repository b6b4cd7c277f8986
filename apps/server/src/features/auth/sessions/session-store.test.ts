/** Sessions that begin together: each is judged by itself, and nobody waits for each other in a circle. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../platform/database/new-id.ts';
import { createTestApp, testIssuer, type TestApp, type TestPerson } from '../../../test/test-app.ts';
import { flushSignInBuffer } from '../../people/sign-in-buffer.ts';
import { insertSessions, type NewSession } from './session-store.ts';

let t: TestApp;
let people: TestPerson[];
beforeAll(async () => {
  t = await createTestApp();
  people = await Promise.all(Array.from({ length: 6 }, (_, index) => t.join(`person-${index}@example.com`)));
});
afterAll(() => t.close());

let made = 0;
function sessionOf(person: Pick<TestPerson, 'id' | 'subject'>, replaced: Buffer | null = null): NewSession {
  made += 1;
  const id = newId();
  return {
    hash: Buffer.from(`hash ${made}`),
    id,
    personId: person.id,
    tokensValidAfter: null,
    issuer: testIssuer,
    subject: person.subject,
    way: 'acme',
    sid: null,
    signIn: `session ${id}`,
    address: '203.0.113.7',
    userAgent: 'Firefox',
    refreshTokenSealed: null,
    idTokenSealed: null,
    provenAt: null,
    replaced,
  };
}
const counted = (sessions: NewSession[]) => insertSessions(t.database, sessions, new Date(t.clock.now()));
const begin = async (sessions: NewSession[]) => (await counted(sessions)).map((before) => before !== null);

test('begin for whoever is there; what was taken away at that moment keeps nobody out', async () => {
  const [ann, ben] = people as [TestPerson, TestPerson];
  const before = sessionOf(ann);
  expect(await begin([before])).toEqual([true]);
  const asked = [
    sessionOf({ id: newId(), subject: 'nobody' }),
    sessionOf(ann, before.hash),
    // Of an account that somebody else came by.
    sessionOf({ id: ben.id, subject: ann.subject }),
    sessionOf(ben),
    sessionOf(ben),
  ];
  expect(await begin(asked)).toEqual([false, true, false, true, true]);
  const rows = await t.select<{ id: string }>(
    'select id from sessions where person_id = any($1) order by id_hash',
    [[ann.id, ben.id]],
  );
  expect(rows.map(({ id }) => id)).toEqual([1, 3, 4].map((index) => asked[index]?.id));
});

test('tell how many their person had before', async () => {
  const [, , , , ann, ben] = people as [
    TestPerson,
    TestPerson,
    TestPerson,
    TestPerson,
    TestPerson,
    TestPerson,
  ];
  expect(await counted([sessionOf(ann), sessionOf(ben)])).toEqual([0, 0]);
  expect(await counted([sessionOf(ann), sessionOf(ann)])).toEqual([1, 1]);
  expect(await counted([sessionOf(ben), sessionOf(ann)])).toEqual([1, 3]);
});

test('of one person at most 50 sign-ins stay on the list, and the newest is the last one', async () => {
  const ann = people[2] as TestPerson;
  for (let batch = 0; batch < 6; batch += 1) await begin(Array.from({ length: 10 }, () => sessionOf(ann)));
  const last = sessionOf(ann);
  t.clock.advance(1_000);
  await begin([last]);
  await flushSignInBuffer(t.database);
  const rows = await t.select<{ session: string }>(
    'select session from sign_ins where person_id = $1 order by id desc',
    [ann.id],
  );
  expect(rows).toHaveLength(50);
  expect(rows[0]?.session).toBe(last.signIn);
});

test('the row of a person knows their last sign-in a moment later, whoever writes it', async () => {
  const [ann, ben, joe] = people.slice(3) as [TestPerson, TestPerson, TestPerson];
  const times = () =>
    t.select<{ id: string; signed_in: Date; seen: Date }>(
      'select id, last_sign_in_at as signed_in, last_seen_at as seen from people where id = any($1) order by id',
      [[ann.id, ben.id, joe.id]],
    );
  const before = await times();
  t.clock.advance(1_000);
  const earlier = new Date(t.clock.now());
  await begin([sessionOf(ann), sessionOf(ann), sessionOf(ben)]);
  expect(await times()).toEqual(before);
  t.clock.advance(1_000);
  await begin([sessionOf(ann)]);
  const later = new Date(t.clock.now());
  await Promise.all([flushSignInBuffer(t.database), flushSignInBuffer(t.database)]);
  const expected = before.map((row) => {
    const at = { [ann.id]: later, [ben.id]: earlier }[row.id];
    return at ? { id: row.id, signed_in: at, seen: at } : row;
  });
  expect(await times()).toEqual(expected);
  expect(await t.select('select from noted_sign_ins')).toEqual([]);
  // What is written late takes nothing back.
  await t.select('insert into noted_sign_ins values ($1, $2), ($3, $2)', [ann.id, earlier, newId()]);
  await flushSignInBuffer(t.database);
  expect(await times()).toEqual(expected);
});

test('in whatever order batches name the same people, all begin', async () => {
  const batches = Array.from({ length: 40 }, (_, index) => (index % 2 ? people : people.toReversed()));
  const begun = await Promise.all(batches.map((batch) => begin(batch.map((person) => sessionOf(person)))));
  expect(begun.flat().filter(Boolean)).toHaveLength(240);
});

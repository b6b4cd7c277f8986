import { expect, test } from 'vitest';
import { newId } from '../../../platform/database/new-id.ts';
import { closeAfterTests } from '../../../test/test-close.ts';
import { createTestApp, testIssuer, type TestPerson } from '../../../test/test-app.ts';
import { flushSignInBuffer } from '../../people/people-store.ts';
import { insertSessions, type NewSession } from './session-store.ts';

const t = closeAfterTests(await createTestApp());
const people = await Promise.all(
  Array.from({ length: 6 }, (_, index) => t.join(`person-${index}@example.com`)),
);

let created = 0;
function sessionOf(person: Pick<TestPerson, 'id' | 'subject'>, replaced: Buffer | null = null): NewSession {
  created += 1;
  const id = newId();
  return {
    hash: Buffer.from(`hash ${created}`),
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
    encryptedRefreshToken: null,
    encryptedIdToken: null,
    provenAt: null,
    replaced,
  };
}
const counted = (sessions: NewSession[]) => insertSessions(t.database, sessions, new Date(t.clock.now()));
const insert = async (sessions: NewSession[]) => (await counted(sessions)).map((before) => before !== null);

test('insertSessions skips people and identities that were removed or signed out everywhere during the sign-in, without affecting other sessions', async () => {
  const [ann, ben, joe] = people as [TestPerson, TestPerson, TestPerson];
  await t.select('update people set tokens_valid_after = now() where id = $1', [joe.id]);
  const before = sessionOf(ann);
  expect(await insert([before])).toEqual([true]);
  const sessions = [
    sessionOf({ id: newId(), subject: 'unknown' }),
    sessionOf(ann, before.hash),
    sessionOf({ id: ben.id, subject: ann.subject }),
    sessionOf(joe),
    sessionOf(ben),
    sessionOf(ben),
  ];
  expect(await insert(sessions)).toEqual([false, true, false, false, true, true]);
  const rows = await t.select<{ id: string }>(
    'select id from sessions where person_id = any($1) order by id_hash',
    [[ann.id, ben.id, joe.id]],
  );
  expect(rows.map(({ id }) => id)).toEqual([1, 4, 5].map((index) => sessions[index]?.id));
});

test('the sign-in buffer updates the last sign-in of people, also when flushed concurrently', async () => {
  const [ann, ben, joe] = people.slice(3) as [TestPerson, TestPerson, TestPerson];
  const times = () =>
    t.select<{ id: string; signed_in: Date; seen: Date }>(
      'select id, last_sign_in_at as signed_in, last_seen_at as seen from people where id = any($1) order by id',
      [[ann.id, ben.id, joe.id]],
    );
  const before = await times();
  t.clock.advance(1_000);
  const earlier = new Date(t.clock.now());
  await insert([sessionOf(ann), sessionOf(ann), sessionOf(ben)]);
  expect(await times()).toEqual(before);
  t.clock.advance(1_000);
  await insert([sessionOf(ann)]);
  const later = new Date(t.clock.now());
  await Promise.all([flushSignInBuffer(t.database), flushSignInBuffer(t.database)]);
  const expected = before.map((row) => {
    const at = { [ann.id]: later, [ben.id]: earlier }[row.id];
    return at ? { id: row.id, signed_in: at, seen: at } : row;
  });
  expect(await times()).toEqual(expected);
  expect(await t.select('select from sign_in_buffer')).toEqual([]);
  await t.select('insert into sign_in_buffer values ($1, $2), ($3, $2)', [ann.id, earlier, newId()]);
  await flushSignInBuffer(t.database);
  expect(await times()).toEqual(expected);
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../../platform/database/new-id.ts';
import { testIssuer, type TestPerson } from '../../../test/test-app.ts';
import { flushSignInBuffer } from '../../people/people-store.ts';
import { insertSessions, type NewSession } from './session-store.ts';
import { askForPasskey, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import { sessionsMaximum, signInsPerHour } from '@vestibule/contract/rules/limits';
import { randomBytes } from 'node:crypto';
import { homePath } from '../../../test/sign-in/test-oidc-site.ts';
import { postAs, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';

const site = await setUpPasskeySite();
const { t } = site;
const people = await Promise.all(Array.from({ length: 6 }, () => t.join(site.newAddress())));

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
    authenticatedAt: null,
    replaced,
  };
}
const counted = (sessions: NewSession[]) => insertSessions(t.database, sessions, new Date(t.clock.now()));
const insert = async (sessions: NewSession[]) => (await counted(sessions)).map((before) => before !== null);

test('insertSessions skips people and identities that were removed or signed out everywhere during the sign-in, without affecting other sessions', async () => {
  const [ann, ben, joe] = people as [TestPerson, TestPerson, TestPerson];
  await t.select`update people set tokens_valid_after = now() where id = ${joe.id}`;
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
  const ids = await t.scalars<string>`
    select id from sessions where person_id = any(${[ann.id, ben.id, joe.id]}) order by id_hash`;
  expect(ids).toEqual([1, 4, 5].map((index) => sessions[index]?.id));
});

test('the sign-in buffer updates the last sign-in of people, also when flushed concurrently', async () => {
  const [ann, ben, joe] = people.slice(3) as [TestPerson, TestPerson, TestPerson];
  const times = () =>
    t.select<{ id: string; signed_in: Date; seen: Date }>`
      select id, last_sign_in_at as signed_in, last_seen_at as seen from people where id = any(${[ann.id, ben.id, joe.id]})
      order by id`;
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
  await t.select`insert into sign_in_buffer values (${ann.id}, ${earlier}), (${newId()}, ${earlier})`;
  await flushSignInBuffer(t.database);
  expect(await times()).toEqual(expected);
});

const hourMs = 3_600_000;
const countSignIns = (personId: string, used: number) =>
  t.select`
    insert into rate_limits (key, used, ends_at)
    values ('sign-ins of a person:' || ${personId}, ${used}, ${new Date(t.clock.now() + hourMs)})
    on conflict (key) do update set used = excluded.used, ends_at = excluded.ends_at`;
const challenges = () => t.select('select from used_challenges');

describe('limit of sign-ins per person', () => {
  test('refuses sign-ins by passkey without storing anything, and does not affect other people', async () => {
    const [ann, bob] = [await site.join(), await site.join()];
    await countSignIns(ann.id, signInsPerHour - 1);
    expect(await site.signIn(site.browser(), ann.device)).toBe(homePath);
    const page = site.browser();
    const { body: options } = await postAs(page, askForPasskey);
    const refused = await page.ask('POST', signInWithPasskey.path, {
      body: { response: ann.device.get(options) },
    });
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'sign_in.too_often']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect(await page.whoAmI()).toBe('sign_in.needed');
    const before = (await challenges()).length;
    expect(await site.signIn(page, ann.device)).toBe('sign_in.too_often');
    expect(await challenges()).toHaveLength(before);
    expect(await site.signIn(site.browser(), bob.device)).toBe(homePath);
    t.clock.advance(hourMs);
    expect(await site.signIn(page, ann.device)).toBe(homePath);
  });

  test("does not count failed sign-ins with the person's passkey", async () => {
    const { id, device } = await site.join();
    await countSignIns(id, signInsPerHour - 1);
    const others = site.browser();
    for (let time = 0; time < 5; time += 1)
      await site.signIn(others, device, { signature: randomBytes(70).toString('base64url') });
    expect(await site.signIn(site.browser(), device)).toBe(homePath);
  });
});

test('a sign-in above the limit of sessions ends the least recently used session, with an audit row', async () => {
  const { id, device } = await site.join();
  await t.select`delete from sessions where person_id = ${id}`;
  const before = await t.select<{ id: string }>(
    `insert into sessions (id_hash, id, person_id, issuer, subject, way, created_at, seen_at, address, user_agent, refreshed_at)
     select sha256((random()::text || n)::bytea), gen_random_uuid(), person_id, issuer, subject, way, $2, $2::timestamptz - n * interval '1 minute',
       '203.0.113.7', 'Firefox', $2
     from identities, generate_series(1, $3) n where person_id = $1 returning id`,
    [id, new Date(t.clock.now() - hourMs), sessionsMaximum],
  );
  const page = site.browser();
  expect(await site.signIn(page, device)).toBe(homePath);
  expect(await page.whoAmI()).toContain('@example.com');
  const after = await t.select<{ id: string }>`
    select id from sessions where person_id = ${id} order by seen_at desc`;
  expect(after).toHaveLength(sessionsMaximum);
  expect(after.slice(1)).toEqual(before.slice(0, -1));
  expect(await t.auditOf(id, 'session.ended')).toMatchObject([
    { actor_id: null, detail: { why: 'too many sessions' } },
  ]);
});

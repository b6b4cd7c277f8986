/** What every request asks the database is planned once, not anew for each call: planning takes longer than running it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import { newId } from '../../platform/database/new-id.ts';
import { createTestDatabase, longTimeouts } from '../../test/test-database.ts';
import { findPeopleByIdentity } from '../people/people-store.ts';
import { findSessions, insertSessions, type NewSession } from './sessions/session-store.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // One connection: each has plans of its own.
  database = openDatabase(testDatabase.applicationUrl, { ...longTimeouts, maxConnections: 1 });
  // Enough that what a plan is expected to cost depends on how many are asked for.
  const owner = openDatabase(testDatabase.url, { ...longTimeouts, maxConnections: 1 });
  for (const text of [
    `insert into people (id, email, email_canonical, display_name, role, joined_at, last_seen_at)
     select gen_random_uuid(), email, email, 'Somebody', 'member', now(), now()
     from generate_series(1, 10000) number, concat(number, '@example.com') email`,
    `insert into identities (issuer, subject, person_id, way, email) select 'one', email, id, 'bench', email from people`,
    `insert into sessions (id_hash, id, person_id, issuer, subject, way, created_at, seen_at, address, user_agent, refreshed_at)
     select sha256(email::bytea), gen_random_uuid(), id, 'one', email, 'bench', now(), now(), '', '', now() from people`,
    'analyze',
  ])
    await owner.query({ text });
  await owner.end();
});
afterAll(async () => {
  await database.end();
  await testDatabase.drop();
});

/** Of somebody who has just been removed: nothing is written. */
const newSession = (): NewSession => ({
  issuer: 'one',
  subject: 'nobody',
  hash: Buffer.alloc(32),
  id: newId(),
  personId: newId(),
  tokensValidAfter: null,
  way: 'bench',
  sid: null,
  signIn: '',
  address: '',
  userAgent: '',
  refreshTokenSealed: null,
  idTokenSealed: null,
  provenAt: null,
  replaced: null,
});

/** The first five are planned by themselves whatever they are (PostgreSQL's manual, PREPARE, "Notes"). */
const plannedAlone = 5;

test.each([
  ['find-sessions', () => findSessions(database, [Buffer.alloc(32)])],
  ['find-people-by-identity', () => findPeopleByIdentity(database, [{ issuer: 'one', subject: 'nobody' }])],
  ['insert-sessions', () => insertSessions(database, [newSession()], new Date())],
])('%s', async (name, ask) => {
  for (let call = 1; call <= plannedAlone + 3; call += 1) await ask();
  const { rows } = await database.query({
    text: 'select generic_plans::int as once, custom_plans::int as anew from pg_prepared_statements where name = $1',
    values: [name],
  });
  expect(rows).toEqual([{ once: 3, anew: plannedAlone }]);
});

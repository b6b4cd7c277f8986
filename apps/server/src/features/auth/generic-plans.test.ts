/** Checks that the statements of every request use generic plans, because planning takes longer than running them. */
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
  database = openDatabase(testDatabase.applicationUrl, { ...longTimeouts, maxConnections: 1 });
  // Enough rows that the estimated costs depend on the number of parameters.
  const owner = openDatabase(testDatabase.url, { ...longTimeouts, maxConnections: 1 });
  for (const text of [
    `insert into people (id, email, email_canonical, display_name, role, joined_at, last_seen_at)
     select gen_random_uuid(), email, email, 'Ann', 'member', now(), now()
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

/** The person does not exist, so that nothing is inserted. */
const newSession = (): NewSession => ({
  issuer: 'one',
  subject: 'unknown',
  hash: Buffer.alloc(32),
  id: newId(),
  personId: newId(),
  tokensValidAfter: null,
  way: 'bench',
  sid: null,
  signIn: '',
  address: '',
  userAgent: '',
  encryptedRefreshToken: null,
  encryptedIdToken: null,
  provenAt: null,
  replaced: null,
});

/** PostgreSQL plans the first five executions individually (manual, PREPARE, "Notes"). */
const customPlans = 5;

test.each([
  ['find-sessions', () => findSessions(database, [Buffer.alloc(32)])],
  ['find-people-by-identity', () => findPeopleByIdentity(database, [{ issuer: 'one', subject: 'unknown' }])],
  ['insert-sessions', () => insertSessions(database, [newSession()], new Date())],
])('%s uses a generic plan after five executions', async (name, run) => {
  for (let call = 1; call <= customPlans + 3; call += 1) await run();
  const { rows } = await database.query({
    text: 'select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = $1',
    values: [name],
  });
  expect(rows).toEqual([{ generic: 3, custom: customPlans }]);
});

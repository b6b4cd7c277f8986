/** Long reads, also through a pooler. Exports, which use them: export-list.test.ts. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/database/test-database.ts';
import { startPooler } from '../../test/database/test-pooler.ts';
import { openDatabase } from './database.ts';
import { openSnapshot } from './snapshot.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(() => testDatabase.drop());

test('a snapshot works through a pooler that refuses startup parameters, and reads timestamps correctly in every time zone', async () => {
  const owner = openDatabase(testDatabase.url);
  const { rows } = await owner.query<{ name: string }>({ text: 'select current_database() as name' });
  await owner.query({ text: `alter database ${rows[0]?.name} set timezone = 'Asia/Kolkata'` });
  await owner.end();
  const pooler = await startPooler(testDatabase.url);
  const database = openDatabase(pooler.url);
  const snapshot = await openSnapshot(database);
  const limits = await snapshot.query({
    text: `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
  });
  expect(limits.rows).toEqual([{ statement: '1min', idle: '2min' }]);
  const batches = snapshot.batches({ text: `select timestamptz '2026-11-21T08:30:00.5Z'` });
  expect((await batches.next()).value).toEqual([[new Date('2026-11-21T08:30:00.5Z')]]);
  await snapshot.close();
  await database.end();
  await pooler.close();
});

/** The audit log verifies after a replacement of SECRET (O2; docs/run-it.md, "Replacing SECRET"). Other secrets have the same key: site-key.test.ts. */
import { afterAll, expect, test } from 'vitest';
import { auditKey } from './platform/audit/audit-seals.ts';
import { recordChange } from './platform/audit/audit-log.ts';
import { archiveLines, verifyLines } from './platform/audit/archive-file.ts';
import { decryptSiteKey } from './platform/config/site-key.ts';
import { openDatabase } from './platform/database/database.ts';
import { createTestApp } from './test/test-app.ts';
import { createTestDatabase } from './test/database/test-database.ts';

const [first, second] = [Buffer.from('first'.repeat(8)), Buffer.from('second'.repeat(8))];

const created = await createTestDatabase();
const database = openDatabase(created.applicationUrl, { maxConnections: 1 });
const sharedWith = { databaseUrl: created.applicationUrl, ownerUrl: created.url };
const old = await decryptSiteKey(database, { current: first, previous: null });
const before = await createTestApp({ sharedWith, secret: old.key });
const replaced = await decryptSiteKey(database, { current: second, previous: first });
const after = await createTestApp({
  sharedWith: { ...sharedWith, clock: before.clock },
  secret: replaced.key,
});
await database.end();
afterAll(async () => {
  await before.close();
  await after.close();
  await created.drop();
});

test('audit seals and archived rows verify before and after the replacement of SECRET', async () => {
  for (const process of [before, after, before]) {
    await recordChange(process.database, {
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: 'a', label: 'a' },
      origin: { requestId: 'r', address: '::1' },
    });
    expect(await process.auditSeals.seal()).toBeGreaterThan(0);
  }
  for (const process of [before, after])
    expect(await process.auditSeals.verify(0)).toMatchObject({ problem: null });
  const lines = archiveLines(auditKey(before.secret), { kind: 'sign_ins', number: 1, encryptedKey: null }, [
    { id: 1 },
  ]);
  expect(verifyLines(auditKey(after.secret), lines).problem).toBeNull();
});

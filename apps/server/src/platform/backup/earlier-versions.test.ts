/** Backups of earlier versions in `versions/`, one for each release (statement O6). */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { listInvitations } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { expect, test } from 'vitest';
import { createTestApp, testSecret } from '../../test/test-app.ts';
import { createEmptyDatabase } from '../../test/database/test-database.ts';
import type { AuditSeals } from '../audit/audit-seals.ts';
import { readSiteKey } from '../config/site-key.ts';
import { grantApplicationRights } from '../database/application-role.ts';
import { execute, onlyRowOf, openDatabase } from '../database/database.ts';
import { createDiskStorage, prepareDirectory } from '../storage/disk-storage.ts';
import { restore } from './restore.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const versions = fileURLToPath(new URL('versions', import.meta.url));
const versionNames = (await readdir(versions)).map((name) => name.replace(/\.backup$/, ''));

test.each(versionNames)('a site of version %s is restored, migrated and served', async (version) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-version-'));
  const target = await createEmptyDatabase();
  try {
    const storage = createDiskStorage(directory);
    const summary = await restore(path.join(versions, `${version}.backup`), {
      database: { url: target.url, variable: 'DATABASE_URL' },
      migrations,
      secrets: { current: testSecret, previous: null },
      openStorage: () => prepareDirectory(directory).then(() => storage),
    });
    await grantApplicationRights(target.url, target.applicationUrl);
    const database = openDatabase(target.url, { maxConnections: 1 });
    // The backup of 0.1.0 contains no encrypted site key, which a later version would have stored: SECRET is the key.
    const key =
      version === '0.1.0' ? testSecret : await readSiteKey(database, { current: testSecret, previous: null });
    await database.end();
    const site = await createTestApp({
      secret: key,
      sharedWith: { databaseUrl: target.applicationUrl, ownerUrl: target.url },
    });
    try {
      const token = await site.mint({ sub: 'subject of boss@example.com' });
      expect((await site.call(getMe, { token })).body).toMatchObject({
        Email: 'boss@example.com',
        IsAdmin: true,
      });
      const { body } = await site.call(listInvitations, { token });
      expect(
        body.rows
          .filter(({ status }) => status === 'pending')
          .map(({ email }) => email)
          .sort(),
      ).toEqual(['also@example.com', 'waits@example.com']);
      const fileId = await site.scalar<string>`select id from attachments`;
      const bytes = await storage.read(fileId);
      expect(await text(bytes as NonNullable<typeof bytes>)).toBe('Dear Ann');
      // Entries sealed by that version are compared with its seals, and sealed once more.
      expect(await site.auditSeals.seal()).toBeGreaterThan(0);
      expect(await site.auditSeals.verify(0)).toMatchObject({ problem: null });
      const altered = await alterAndSealAgain(target.url, site.auditSeals);
      expect((await site.auditSeals.verify(0)).problem).toMatchObject({ kind: 'altered', rowId: altered });
      expect(await site.select('select id from jobs.job')).toHaveLength(summary.mails.length);
    } finally {
      await site.close();
    }
  } finally {
    await target.drop();
    await rm(directory, { recursive: true });
  }
});

/** Alters an entry before the first seal of this version, as the owner of the database can. Returns its id. */
async function alterAndSealAgain(url: string, auditSeals: AuditSeals): Promise<number> {
  const owner = openDatabase(url, { maxConnections: 1 });
  for (const table of ['audit_log', 'audit_chain'])
    await execute(owner, `alter table ${table} disable trigger user`);
  await execute(owner, 'truncate audit_chain');
  const { id } = await onlyRowOf<{ id: number }>(
    owner,
    `update audit_log set target_label = target_label || 'x'
     where id = (select to_id from audit_seals order by id limit 1) returning id`,
  );
  await owner.end();
  await auditSeals.seal();
  return id;
}

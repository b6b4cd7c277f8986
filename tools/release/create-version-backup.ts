/**
 * Creates the backup of a small site of this version for the upgrade test
 * (apps/server/src/platform/backup/earlier-versions.test.ts): its schema at the release, with data in all areas.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { invite } from '../../packages/contract/src/invitations.ts';
import { createListeningApp } from '../../apps/server/src/features/attachments/uploads/test-uploads.ts';
import { createBackup } from '../../apps/server/src/platform/backup/create-backup.ts';
import { decryptSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { grantApplicationRights } from '../../apps/server/src/platform/database/application-role.ts';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';
import { migrate } from '../../apps/server/src/platform/database/migrate.ts';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { installMailQueue } from '../../apps/server/src/platform/mail/mail-queue.ts';
import { testSecret } from '../../apps/server/src/test/test-app.ts';
import { root } from '../install.mjs';

export async function createVersionBackup(file: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-version-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another user, who has to be able to enter.
  await chmod(directory, 0o711);
  const postgres = await startEmbeddedPostgres(
    { dataDirectory: path.join(directory, 'postgres') },
    { durable: false },
  );
  cleanup.defer(() => postgres.stop());
  await migrate(
    { url: postgres.url, variable: 'DATABASE_URL' },
    path.join(root, 'apps', 'server', 'migrations'),
  );
  await installMailQueue(postgres.url);
  await grantApplicationRights(postgres.url, postgres.applicationUrl);
  const database = openDatabase(postgres.url, { maxConnections: 1 });
  const { key } = await decryptSiteKey(database, { current: testSecret, previous: null });
  await database.end();

  const site = await createListeningApp({
    sharedWith: { databaseUrl: postgres.applicationUrl, ownerUrl: postgres.url },
    secret: key,
  });
  cleanup.defer(() => site.close());
  const { token } = await site.join('boss@example.com', 'admin');
  const ann = await site.join('ann@example.com');
  for (const email of ['waits@example.com', 'also@example.com'])
    await site.call(invite, { token, body: { email } });
  await site.upload(ann, 'letter.txt', Buffer.from('Dear Ann'));
  await site.auditSeals.seal();
  await createBackup(file, {
    database: { url: postgres.applicationUrl, variable: 'DATABASE_URL' },
    secret: testSecret,
    storage: site.storage,
    now: site.clock.now,
  });
}

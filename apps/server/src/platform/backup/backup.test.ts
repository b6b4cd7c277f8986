/** Backups that were restored, compared row by row (statement O6). */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { invite } from '@vestibule/contract/invitations';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createListeningApp } from '../../features/attachments/uploads/test-uploads.ts';
import { createTestApp, testSecret } from '../../test/test-app.ts';
import { createEmptyDatabase } from '../../test/database/test-database.ts';
import { recordChange } from '../audit/audit-log.ts';
import type { Secrets } from '../config/site-key.ts';
import { openDatabase } from '../database/database.ts';
import type { ExtensionMigrations } from '../database/migrate.ts';
import { createDiskStorage, prepareDirectory } from '../storage/disk-storage.ts';
import { createBackup } from './create-backup.ts';
import { backupPassphrase } from './backup-file.ts';
import { restore } from './restore.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
let directory: string;
let file: string;
let target: Awaited<ReturnType<typeof createEmptyDatabase>>;
const contents = Buffer.from('contents of a file\n'.repeat(50_000));

const site = await createListeningApp({});
const admin = await site.join('boss@example.com', 'admin');
const ann = await site.join('ann@example.com');
for (const name of ['Åsa \\ "Quoted"', '\\N', 'null', '']) {
  const body = { email: `${Math.random()}@example.com`, name, message: 'Two\nlines' };
  await site.callAs(admin, invite, { body });
}
const fileId = await site.upload(ann, 'letter.txt', contents);
await site.select`
  insert into attachment_thumbnails (attachment_id, type, sha256, bytes)
  values (${fileId}, 'image/webp', '\\x01', '\\x00ff5c0a')`;
afterAll(() => site.close());

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-backup-'));
  file = path.join(directory, 'site.backup');
  target = await createEmptyDatabase();
});
afterEach(async () => {
  await target.drop();
  await rm(directory, { recursive: true });
});

const write = (storage = true) =>
  createBackup(file, {
    database: { url: site.databaseUrl, variable: 'DATABASE_URL' },
    secret: testSecret,
    storage: storage ? site.storage : null,
    now: site.clock.now,
  });
const openStorage = async () => {
  await prepareDirectory(path.join(directory, 'files'));
  return createDiskStorage(path.join(directory, 'files'));
};
const read = (
  options: { secrets?: Secrets; extensions?: ExtensionMigrations[]; forTesting?: boolean } = {},
) =>
  restore(file, {
    database: { url: target.url, variable: 'DATABASE_URL' },
    migrations,
    secrets: { current: testSecret, previous: null },
    openStorage,
    ...options,
  });

/** Every row of every table as text, sorted. */
async function everything(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations' order by 1`,
    );
    const all: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
      all[name] = rows.map(({ row }) => row);
    }
    return all;
  } finally {
    await client.end();
  }
}

async function indexesOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where schemaname = 'public' order by 1`,
    );
    return rows.map(({ definition }) => definition);
  } finally {
    await client.end();
  }
}

test('a restored site has every row, file and waiting mail of the backup', async () => {
  const before = await everything(site.databaseUrl);
  const written = await write();
  expect(written.files).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const restored = await read();
  expect(restored).toMatchObject({ rows: written.rows, files: 1, damagedFiles: [] });
  expect(restored.mails.length).toBeGreaterThan(3);
  expect(await everything(target.url)).toEqual(before);
  expect(before['people']).toHaveLength(2);
  expect(before['attachment_thumbnails']).toHaveLength(1);
  expect(await indexesOf(target.url)).toEqual(await indexesOf(site.databaseUrl));
  const bytes = await (await openStorage()).read(fileId);
  expect(await buffer(bytes as NonNullable<typeof bytes>)).toEqual(contents);
});

test('a copy for testing has no waiting mails, and its webhooks are off', async () => {
  await site.select`
    insert into webhooks (id, url, description, events, secret, created_by, created_at)
    values (gen_random_uuid(), 'https://crm.example.com/', '', '{person.joined}', '', 'boss@example.com', now())`;
  await write();
  await site.select`delete from webhooks`;
  const { mails } = await read({ forTesting: true });
  const client = openDatabase(target.url);
  const { rows } = await client.query({
    text: 'select (select count(*) from jobs.job) as mails, is_on from webhooks',
  });
  await client.end();
  expect([mails, rows]).toEqual([[], [{ mails: 0, is_on: false }]]);
});

test('a backup contains the tables of extensions, and is restored only with these extensions', async () => {
  const extensionsDirectory = path.join(directory, 'extensions');
  const own = path.join(extensionsDirectory, 'claims', 'migrations');
  await mkdir(own, { recursive: true });
  await writeFile(
    path.join(extensionsDirectory, 'claims', 'extension.ts'),
    `export default { name: 'claims', requires: '^1.1', migrations: new URL('migrations/', import.meta.url) };`,
  );
  await writeFile(
    path.join(own, '001-claims.sql'),
    `create table claims (id int primary key, text text); insert into claims values (1, 'Hail')`,
  );
  const other = await createTestApp({ extensionsDirectory });
  const before = await everything(other.databaseUrl);
  await createBackup(file, {
    database: { url: other.databaseUrl, variable: 'DATABASE_URL' },
    secret: testSecret,
    storage: null,
    now: other.clock.now,
  });
  await other.close();
  await expect(read()).rejects.toThrow(
    'The backup contains the tables of the extension claims, which is not installed. Restore it with that extension.',
  );
  await read({ extensions: [{ name: 'claims', directory: own }] });
  expect(await everything(target.url)).toEqual(before);
  expect(before['claims']).toEqual(['(1,Hail)']);
});

test('tables of other programs in the same database are not restored', async () => {
  const before = await everything(site.databaseUrl);
  const { pathname } = new URL(site.databaseUrl);
  const { administratorUrl } = inject('testServer');
  const client = new pg.Client({
    connectionString: Object.assign(new URL(administratorUrl), { pathname }).href,
  });
  await client.connect();
  await client.query(
    `create table unreadable (id int); create table readable (id serial, text text); insert into readable (text) values ('a');
     grant select on readable to public`,
  );
  try {
    await write(false);
  } finally {
    await client.query('drop table unreadable, readable');
    await client.end();
  }
  expect(await read()).toMatchObject({ unknownTables: ['readable'] });
  expect(await everything(target.url)).toEqual(before);
});

test('a restore replaces the partial file of an interrupted restore', async () => {
  await write();
  const storage = await openStorage();
  await storage.create(fileId, contents.length);
  await storage.append(fileId, 0, Readable.from([contents.subarray(0, 10)]));
  expect(await read()).toMatchObject({ files: 1, damagedFiles: [] });
  expect(await buffer((await storage.read(fileId)) as Readable)).toEqual(contents);
});

test('an interrupted restore leaves the database empty, and can be repeated', async () => {
  await write(false);
  const complete = await readFile(file);
  await truncate(file, complete.length - 1);
  await expect(read()).rejects.toThrow(/is not a complete backup of Vestibule/);
  expect(await everything(target.url)).toEqual({});
  await writeFile(file, complete);
  const { mails } = await read();
  const database = openDatabase(target.url, { maxConnections: 1 });
  const { rows } = await database.query<{ id: string }>({ text: 'select id from jobs.job' });
  await database.end();
  expect(rows.map(({ id }) => id).toSorted()).toEqual(mails.map(({ id }) => id).toSorted());
});

test('a restored database continues its sequences and keeps its triggers', async () => {
  await write(false);
  expect((await read()).files).toBeNull();
  const database = openDatabase(target.url, { maxConnections: 1 });
  try {
    await recordChange(database, {
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: 'a', label: 'a' },
      origin: { requestId: 'r', address: '::1' },
    });
    const { rows } = await database.query<{ action: string }>({
      text: 'select action from audit_log order by id desc limit 1',
    });
    expect(rows).toEqual([{ action: 'test.done' }]);
    await expect(database.query({ text: 'delete from audit_log' })).rejects.toThrow(/audit_log/);
  } finally {
    await database.end();
  }
});

test('a backup is a consistent snapshot while users make changes', async () => {
  const busy = await site.join('busy@example.com', 'admin');
  const done = new AbortController();
  const working = (async () => {
    while (!done.signal.aborted)
      await site.callAs(busy, invite, { body: { email: `${Math.random()}@example.com` } });
  })();
  await write(false);
  done.abort();
  await site.callAs(admin, invite, { body: { email: 'one-more@example.com' } });
  await working;
  await read();
  const { invitations, audit_log: log } = await everything(target.url);
  const created = log?.filter((row) => row.includes('invitation.created')) ?? [];
  // An invitation and its log entry share a transaction. The invitations of the three joined people have no entry.
  expect(created).toHaveLength((invitations?.length ?? 0) - 3);
  expect((await everything(site.databaseUrl))['invitations']?.length).toBeGreaterThan(
    invitations?.length ?? 0,
  );
});

test('a restore into a database that is not empty is refused', async () => {
  await write(false);
  await read();
  await expect(read()).rejects.toThrow(/The database is not empty/);
});

const other = Buffer.from('y'.repeat(40));

test('a backup from before a change of SECRET is restored with SECRET_PREVIOUS', async () => {
  await write(false);
  expect((await read({ secrets: { current: other, previous: testSecret } })).rows).toBeGreaterThan(0);
});

test('a backup is encrypted, and another SECRET is refused with a message', async () => {
  await write(false);
  await expect(read({ secrets: { current: other, previous: null } })).rejects.toThrow(
    /was made with another SECRET/,
  );
  const raw = await readFile(file, 'latin1');
  expect(raw).toMatch(/^age-encryption.org\/v1\n/);
  expect(raw).not.toContain('example.com');
  expect(backupPassphrase(testSecret)).not.toBe(backupPassphrase(Buffer.from('y'.repeat(40))));
});

test.each([
  ['truncated', async () => truncate(file, Math.floor((await stat(file)).size / 2))],
  ['truncated by one byte', async () => truncate(file, (await stat(file)).size - 1)],
  [
    'altered',
    async () => {
      const bytes = await readFile(file);
      bytes[bytes.length - 100] = (bytes[bytes.length - 100] as number) ^ 1;
      await writeFile(file, bytes);
    },
  ],
  ['replaced with another file', () => writeFile(file, 'hello')],
])('a backup that was %s is refused, and the database stays empty', async (_what, damage) => {
  await write();
  await damage();
  await expect(read()).rejects.toThrow(/is not a complete backup of Vestibule/);
  expect((await everything(target.url))['people'] ?? []).toEqual([]);
});

test('a file that was damaged before the backup is marked as missing, and everything else is restored', async () => {
  const storage = {
    ...site.storage,
    read: async (id: string) => {
      const bytes = await site.storage.read(id);
      const all = await buffer(bytes as NonNullable<typeof bytes>);
      all[0] = 0;
      return Readable.from([all]);
    },
  };
  await createBackup(file, {
    database: { url: site.databaseUrl, variable: 'DATABASE_URL' },
    secret: testSecret,
    storage,
    now: site.clock.now,
  });
  expect((await read()).damagedFiles).toEqual([fileId]);
  expect((await everything(target.url))['attachments']?.[0]).toContain(',missing,');
});

test('a backup never overwrites a file, and fails if its directory does not exist', async () => {
  await write(false);
  await expect(write(false)).rejects.toThrow(/site.backup already exists/);
  file = path.join(directory, 'nowhere', 'site.backup');
  await expect(write(false)).rejects.toThrow(/cannot be written. Choose a file in an existing directory/);
});

test('a failed backup leaves no file, and the error for an unreachable database names DATABASE_URL', async () => {
  const { storage } = site;
  const breaks = {
    ...storage,
    read: () =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            yield contents.subarray(0, 1_000);
            await Promise.reject(new Error('the disk went away'));
          })(),
        ),
      ),
  };
  const from = (url: string, of: typeof storage | null) =>
    createBackup(file, {
      database: { url, variable: 'DATABASE_URL' },
      secret: testSecret,
      storage: of,
      now: site.clock.now,
    });
  await expect(from(site.databaseUrl, breaks)).rejects.toThrow('the disk went away');
  await expect(from('postgres://a:b@127.0.0.1:1/none', null)).rejects.toThrow(
    /ECONNREFUSED.* Start it, or correct DATABASE_URL/,
  );
  expect(await readdir(directory)).toEqual([]);
});

test('a backup of a newer version is refused', async () => {
  const client = new pg.Client({ connectionString: site.ownerUrl });
  await client.connect();
  await client.query(`insert into schema_migrations values ('099-of-tomorrow.sql', 'x')`);
  try {
    await write(false);
  } finally {
    await client.query(`delete from schema_migrations where name = '099-of-tomorrow.sql'`);
    await client.end();
  }
  await expect(read()).rejects.toThrow(/099-of-tomorrow.sql is not known to this version/);
});

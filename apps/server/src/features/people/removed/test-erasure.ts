/** Test app with an administrator who erases people, and an archive. */
import { removePerson } from '@vestibule/contract/people';
import { erasePerson, type RemovalFileOptions } from '@vestibule/contract/people/removed';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { createTestApp, testSecret, type TestApp } from '../../../test/test-app.ts';
import { purgeExpired } from '../../retention/retention.ts';

export type ErasureApp = Awaited<ReturnType<typeof createErasureApp>>;

export async function createErasureApp() {
  const archive = await mkdtemp(path.join(tmpdir(), 'vestibule-erasure-'));
  const t = await createTestApp({ environment: { ARCHIVE_DIR: archive } });
  const admin = await t.join('admin@example.com', 'admin');
  return {
    ...t,
    admin,
    archive,
    erase: (email: string) => t.callAs(admin, erasePerson, { body: { email } }),
    remove: (personId: string, files: RemovalFileOptions = {}) =>
      t.callAs(admin, removePerson, { params: { personId }, query: files }),
    traces: (text: string) => tracesOf(t, [archive, t.filesDirectory], text),
    archiveExpired: ({ keepInvitationsDays = 30 } = {}) =>
      purgeExpired({
        database: t.database,
        secret: testSecret,
        directory: archive,
        now: () => Date.now() + 400 * 24 * 3600_000,
        retentionPeriods: () =>
          Promise.resolve({ keepActivityDays: 30, keepSignInsDays: 30, keepInvitationsDays }),
      }),
    async close() {
      await t.close();
      await rm(archive, { recursive: true, force: true });
    },
  };
}

/** Returns the columns, files and log in which a text occurs. */
async function tracesOf(
  t: Pick<TestApp, 'select' | 'log'>,
  directories: string[],
  text: string,
): Promise<string[]> {
  const tables = await t.select<{ table: string; columns: string[]; isEmpty: boolean }>(
    `select format('%I.%I', relnamespace::regnamespace, relname) as table, array_agg(quote_ident(attname)) as columns,
       relkind = 'r' and pg_relation_size(c.oid) = 0 as "isEmpty"
     from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
     where relkind in ('r', 'p') and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
     group by c.oid`,
  );
  expect(tables.flatMap(({ columns }) => columns).length).toBeGreaterThan(150);
  const found: string[] = [];
  for (const { table, columns, isEmpty } of tables) {
    if (isEmpty) continue;
    const isFound = columns.map(
      (column) => `bool_or(position(lower($1) in lower(${column}::text)) > 0) as ${column}`,
    );
    const [row = {}] = await t.select<Record<string, boolean>>(`select ${isFound.join()} from ${table}`, [
      text,
    ]);
    for (const [column, is] of Object.entries(row)) if (is) found.push(`${table}.${column}`);
  }
  for (const directory of directories)
    for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (file.name.toLowerCase().includes(text.toLowerCase())) found.push(file.name);
      if (!file.isFile()) continue;
      const bytes = await readFile(path.join(file.parentPath, file.name), 'utf8');
      if (bytes.toLowerCase().includes(text.toLowerCase())) found.push(file.name);
    }
  // The server log contains ids of people only.
  if (t.log.some((line) => line.toLowerCase().includes(text.toLowerCase()))) found.push('log');
  return found.toSorted();
}

import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { newId } from '../../platform/database/new-id.ts';
import { createTestDatabase } from '../../test/test-database.ts';

const migrations = path.join(import.meta.dirname, '..', '..', '..', 'migrations');

test('migration 014 leaves only the latest invitation to an address pending, and none to a member (P4)', async () => {
  const testDatabase = await createTestDatabase();
  const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-earlier-'));
  const database = openDatabase(testDatabase.url);
  const select = async <Row>(text: string, values: unknown[] = []) =>
    (await database.query<Row>({ text, values })).rows;
  try {
    await select('drop schema public cascade');
    await select('create schema public');
    const all = await readdir(migrations);
    const copy = (isIncluded: (name: string) => boolean) =>
      Promise.all(
        all.filter(isIncluded).map((name) => cp(path.join(migrations, name), path.join(directory, name))),
      );
    await copy((name) => name < '014');
    await migrate({ url: testDatabase.url, variable: 'DATABASE_URL' }, directory);

    const invitation = async (address: string, status: string, created: number, redeemed?: number) => {
      const id = newId();
      await select(
        `insert into invitations (id, code_hash, email, email_canonical, name, role, message, status, created_at, expires_at, redeemed_at)
         values ($1, decode($2, 'hex'), $3, $3, '', 'admin', '', $4, to_timestamp($5), to_timestamp($5 + 9), to_timestamp($6))`,
        [id, id.replaceAll('-', ''), address, status, created, redeemed ?? null],
      );
      return id;
    };
    const expected: Record<string, string> = {
      [await invitation('fresh@example.com', 'pending', 1)]: 'pending',
      [await invitation('made-room@example.com', 'expired', 1)]: 'replaced',
      [await invitation('made-room@example.com', 'pending', 2)]: 'pending',
      // Renewed after a later invitation was revoked or redeemed.
      [await invitation('revoked@example.com', 'pending', 1)]: 'replaced',
      [await invitation('revoked@example.com', 'revoked', 2)]: 'revoked',
      [await invitation('removed@example.com', 'pending', 1)]: 'replaced',
      [await invitation('removed@example.com', 'redeemed', 2, 3)]: 'redeemed',
      // Invited again after a removal.
      [await invitation('returned@example.com', 'redeemed', 1, 2)]: 'redeemed',
      [await invitation('returned@example.com', 'pending', 3)]: 'pending',
      [await invitation('inside@example.com', 'pending', 1)]: 'replaced',
    };
    await select(
      `insert into people (id, issuer, subject, email, email_canonical, display_name, role)
       values ($1, 'issuer', 'subject', $2, $2, 'Ann', 'member')`,
      [newId(), 'inside@example.com'],
    );

    await copy((name) => name >= '014');
    await migrate({ url: testDatabase.url, variable: 'DATABASE_URL' }, directory);
    const rows = await select<{ id: string; status: string }>('select id, status from invitations');
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual(expected);
  } finally {
    await database.end();
    await testDatabase.drop();
    await rm(directory, { recursive: true });
  }
});

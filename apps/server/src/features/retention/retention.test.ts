import { changeSettings, getSettings } from '@vestibule/contract/settings';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyArchiveFile } from '../../platform/audit/archive-file.ts';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { auditKey } from '../../platform/audit/audit-seals.ts';
import type { Database } from '../../platform/database/database.ts';
import { createTestApp, testSecret, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { purgeExpired } from './retention.ts';

const day = 24 * 3600_000;
const key = auditKey(testSecret);
let t: TestApp;
let admin: TestPerson;
let directory: string;
beforeEach(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-keeping-'));
});
afterEach(async () => {
  await t.close();
  await rm(directory, { recursive: true, force: true });
});

const purge = (database: Database = t.database) =>
  purgeExpired({
    database,
    secret: testSecret,
    directory,
    now: t.clock.now,
    retentionPeriods: () => t.settings.current(),
  });
async function setRetention(days: Record<string, number | null>) {
  const { body: seen } = await t.callAs(admin, getSettings);
  const versions = Object.fromEntries(
    Object.keys(days).map((name) => [
      name,
      (seen as unknown as Record<string, { version: number }>)[name]?.version,
    ]),
  );
  return t.callAs(admin, changeSettings, { body: { ...days, versions } });
}
const count = async (table: string) =>
  (await t.select<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count;
const files = async () => (await readdir(directory)).toSorted();
const linesOf = async (file: string) =>
  (await readFile(path.join(directory, file), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const makeOlder = (days: number) =>
  Promise.all(
    [
      `update sign_ins set at = at - interval '${days} days'`,
      `update invitations set created_at = created_at - interval '${days} days', expires_at = expires_at - interval '${days} days',
         redeemed_at = redeemed_at - interval '${days} days'`,
    ].map((statement) => t.select(statement)),
  );

describe('retention periods', () => {
  test('default to unlimited retention (P1)', async () => {
    await makeOlder(9_000);
    expect(await purge()).toEqual({ activity: 0, signIns: 0, invitations: 0 });
    expect(await files()).toEqual([]);
  });
});

describe('finished invitations', () => {
  test('are archived after the retention period; open ones and the figures remain (P1)', async () => {
    await t.invitationTo('open@example.com', { expiresInMs: 400 * day });
    await t.invitationTo('expired@example.com', { expiresInMs: 1000 });
    await makeOlder(41);
    await t.invitationTo('young@example.com', { expiresInMs: 1000 });
    t.clock.advance(2000);
    const figures = await t.select('select what, sum(count) from counts group by what order by what');
    await setRetention({ keepInvitationsDays: 40 });
    expect(await purge()).toMatchObject({ invitations: 2 });
    expect(await purge()).toMatchObject({ invitations: 0 });
    expect(await t.scalars<string>`select email from invitations order by email`).toEqual([
      'open@example.com',
      'young@example.com',
    ]);
    expect(await t.select('select what, sum(count) from counts group by what order by what')).toEqual(
      figures,
    );
    const lines = await linesOf('invitations-000001.jsonl');
    expect(lines.flatMap(({ email }) => (typeof email === 'string' ? [email] : [])).toSorted()).toEqual([
      'admin@example.com',
      'expired@example.com',
    ]);
    expect(JSON.stringify(lines)).not.toContain('code_hash');
  });
});

describe('sign-ins', () => {
  test('are archived except the latest of each person (P1)', async () => {
    await t.select`
      insert into sign_ins (person_id, session, at, address, user_agent)
      select ${admin.id}, n::text, now() - interval '1000 days' + n * interval '1 day', '10.0.0.7', 'Browser'
      from generate_series(1, 9) n`;
    await t.select(`delete from sign_ins where address <> '10.0.0.7'`);
    await setRetention({ keepSignInsDays: 30 });
    expect(await purge()).toMatchObject({ signIns: 8 });
    expect(await t.select('select session from sign_ins')).toEqual([{ session: '9' }]);
    expect(await linesOf('sign-ins-000001.jsonl')).toHaveLength(10);
  });
});

describe('archive files', () => {
  test('contain the rows of whole days, so that each day adds one file', async () => {
    const retentionMs = 30 * day;
    await t.select`
      insert into sign_ins (person_id, session, at, address, user_agent)
      select ${admin.id}, n::text, ${new Date(t.clock.now() - retentionMs)}::timestamptz + n * interval '1 hour', '10.0.0.7', 'Browser'
      from generate_series(0, 72) n`;
    await setRetention({ keepSignInsDays: 30 });
    for (let hours = 0; hours < 72; hours += 1) {
      t.clock.advance(3_600_000);
      await purge();
      const { oldest } = (await t.select<{ oldest: Date }>('select min(at) as oldest from sign_ins'))[0]!;
      expect(t.clock.now() - oldest.getTime()).toBeLessThan(retentionMs + day);
    }
    expect(await files()).toHaveLength(3);
  });

  const createExpired = async () => {
    await t.invitationTo('expired@example.com', { expiresInMs: 1000 });
    await makeOlder(40);
    await t.auditSeals.seal();
    await setRetention({ keepInvitationsDays: 30 });
  };

  test('verify, are readable by the server only, and reveal an altered line (security 49)', async () => {
    await createExpired();
    await purge();
    const file = path.join(directory, 'invitations-000001.jsonl');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await verifyArchiveFile(key, file)).toMatchObject({
      kind: 'invitations',
      checked: 2,
      problem: null,
    });
    const text = await readFile(file, 'utf8');
    for (const altered of [
      text.replace('expired@example.com', 'another@example.com'),
      text.replace(/\n.*expired@example\.com.*\n/, '\n'),
      text.replace('"row_count":2', '"row_count":3'),
    ]) {
      expect(altered).not.toBe(text);
      await writeFile(file, altered);
      expect((await verifyArchiveFile(key, file)).problem).toContain('altered');
    }
    expect((await verifyArchiveFile(auditKey(Buffer.from('x'.repeat(40))), file)).problem).toContain(
      'SECRET',
    );
  });

  test('are written once by concurrent processes', async () => {
    await createExpired();
    const results = await Promise.all([purge(), purge(), purge()]);
    expect(results.map(({ invitations }) => invitations).toSorted((one, other) => one - other)).toEqual([
      0, 0, 2,
    ]);
    expect(await files()).toEqual(['invitations-000001.jsonl']);
  });

  /** Simulates a process killed after writing the file, before recording it. */
  const createKilledDatabase = (): Database => ({
    ...t.database,
    transaction: (work, limit) =>
      t.database.transaction(
        (transaction) =>
          work({
            query: (config) =>
              config.text.includes('update retention_archives')
                ? Promise.reject(new Error('killed'))
                : transaction.query(config),
          }),
        limit,
      ),
  });

  test('are replaced without losing or duplicating rows if their process was killed', async () => {
    await createExpired();
    await expect(purge(createKilledDatabase())).rejects.toThrow('killed');
    expect(await count('invitations')).toBe(2);
    await purge();
    expect(await count('invitations')).toBe(0);
    expect(await files()).toEqual(['invitations-000001.jsonl']);
    expect(await linesOf('invitations-000001.jsonl')).toHaveLength(4);
  });

  test('are never overwritten if they belong to another database', async () => {
    await createExpired();
    await purge();
    await t.select('delete from retention_archives');
    await t.invitationTo('expired@example.com', { expiresInMs: 1000 });
    await makeOlder(40);
    await expect(purge()).rejects.toThrow('is already there');
    expect(await count('invitations')).toBe(1);
  });
});

describe('the audit log', () => {
  const future = Date.now() + 31 * day;
  const write = (label: string) =>
    recordChange(t.database, {
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: label, label },
      origin: { requestId: 'r', address: '127.0.0.1' },
    });
  const purgeInFuture = () =>
    purgeExpired({
      database: t.database,
      secret: testSecret,
      directory,
      now: () => future,
      retentionPeriods: () =>
        Promise.resolve({ keepActivityDays: 30, keepSignInsDays: 0, keepInvitationsDays: 0 }),
    });
  const verify = (number: number) =>
    verifyArchiveFile(key, path.join(directory, `activity-00000${number}.jsonl`));
  const tamper = async (table: string, statement: string) => {
    await t.select(`alter table ${table} disable trigger user`);
    await t.select(statement);
    await t.select(`alter table ${table} enable trigger user`);
  };

  test('is archived except recent and unsealed entries; both parts verify (P1; security 49)', async () => {
    const before = (await count('audit_log')) as number;
    expect(await purgeInFuture()).toMatchObject({ activity: 0 });
    await t.auditSeals.seal();
    await write('recent');
    await write('unsealed');
    await tamper(
      'audit_log',
      `update audit_log set at = at + interval '9 days' where target_label = 'recent'`,
    );
    await t.auditSeals.seal();
    expect(await purgeInFuture()).toMatchObject({ activity: before });
    expect(await verify(1)).toMatchObject({ checked: before, problem: null });
    expect(await t.select('select target_label from audit_log order by id')).toEqual([
      { target_label: 'recent' },
      { target_label: 'unsealed' },
    ]);
    expect(await t.auditSeals.verify(0)).toMatchObject({ checked: 2, problem: null });
    await tamper('audit_log', `update audit_log set at = now()`);
    await tamper('audit_chain', `truncate audit_chain`);
    await t.auditSeals.seal();
    expect(await purgeInFuture()).toMatchObject({ activity: 2 });
    expect(await verify(2)).toMatchObject({ checked: 2, problem: null });
    expect(await t.auditSeals.verify(0)).toMatchObject({ checked: 0, problem: null });
    await write('next');
    await t.auditSeals.seal();
    expect(await t.auditSeals.verify(0)).toMatchObject({ checked: 1, problem: null });
  });

  test('is not archived if an entry was altered', async () => {
    await t.auditSeals.seal();
    const before = await count('audit_log');
    await tamper(
      'audit_log',
      `update audit_log set target_label = 'x' where id = (select max(id) from audit_log)`,
    );
    await expect(purgeInFuture()).rejects.toThrow('was altered');
    expect(await count('audit_log')).toBe(before);
  });

  test('does not verify if the record of its archive is altered or deleted', async () => {
    await t.auditSeals.seal();
    await purgeInFuture();
    await write('next');
    await t.auditSeals.seal();
    await t.select('update retention_archives set last_id = last_id - 1');
    expect((await t.auditSeals.verify(0)).problem).toMatchObject({ kind: 'seal', rowId: null });
    await t.select('delete from retention_archives');
    expect((await t.auditSeals.verify(0)).problem).toMatchObject({ kind: 'removed' });
  });

  test('only loses its oldest entries, even by the function of the database', async () => {
    await write('second');
    const [first, second] = await t.select<{ id: number }>('select id from audit_log order by id limit 2');
    for (const ids of [[second?.id], [first?.id, (second?.id as number) + 1000]])
      await expect(
        t.database.query({ text: 'select delete_archived_entries($1)', values: [ids] }),
      ).rejects.toMatchObject({ code: '23514' });
  });
});

/** Old entries move from the log to a file, and both still verify (statement P1; security 49). */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../database/database.ts';
import { createTestDatabase } from '../../test/test-database.ts';
import { redactArchiveFile, verifyArchiveFile, type AuditFields } from './archive-file.ts';
import { archiveLog } from './audit-archives.ts';
import { auditKey } from './audit-chain.ts';
import { eraseInAuditLog } from './audit-erasure.ts';
import { recordChanges } from './audit-log.ts';
import { createAuditSeals, type AuditSeals } from './audit-seals.ts';

const secret = Buffer.from('a secret of the tests, 32 characters or more');
const key = auditKey(secret);
const later = new Date('2126-01-01');
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let owner: Database;
let seals: AuditSeals;
let directory: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.applicationUrl);
  owner = openDatabase(testDatabase.url, { maxConnections: 2 });
});
beforeEach(async () => {
  for (const table of ['audit_log', 'audit_seals', 'audit_archives'])
    await tamper(table, `truncate ${table}`);
  directory = await mkdtemp(path.join(tmpdir(), 'vestibule-archive-'));
  seals = createAuditSeals(database, secret, Date.now);
  await write('a', 'b', 'c');
  await seals.seal();
  await write('d', 'e');
  await seals.seal();
});
afterEach(() => rm(directory, { recursive: true, force: true }));
afterAll(async () => {
  await database.end();
  await owner.end();
  await testDatabase.drop();
});

const write = (...labels: string[]) =>
  recordChanges(
    database,
    labels.map((label) => ({
      action: 'test.done',
      actor: null,
      target: { type: 'test', id: label, label },
      origin: { requestId: 'r', address: '127.0.0.1' },
      detail: { before: { n: 1.5, ü: 'ä"\\\n\u2028', '"entry":': '{"seal":' }, after: null },
    })),
  );
const archive = (before = later, from = database) =>
  archiveLog({ database: from, secret, directory: path.join(directory, 'archive'), now: Date.now }, before);
const fileOf = (number = 1) =>
  path.join(directory, 'archive', `activity-${String(number).padStart(6, '0')}.jsonl`);
const verifyFile = (number = 1) => verifyArchiveFile(key, fileOf(number));
const labels = async () =>
  (
    await owner.query<{ target_label: string }>({ text: 'select target_label from audit_log order by id' })
  ).rows.map((row) => row.target_label);
const idOf = async (label: string) =>
  (
    await owner.query<{ id: number }>({
      text: 'select id from audit_log where target_label = $1',
      values: [label],
    })
  ).rows[0]?.id as number;
const redact = (entry: AuditFields) =>
  entry.target_label === 'b' || entry.target_label === 'd'
    ? { actor_label: 'x', target_label: 'Erased', address: '', detail: { n: 1.25 } }
    : null;
const erase = () => eraseInAuditLog(database, key, { where: 'true', values: [] }, redact);

/** Bypasses the trigger, as the owner of the database can. */
async function tamper(table: string, statement: string): Promise<void> {
  await owner.query({ text: `alter table ${table} disable trigger user` });
  await owner.query({ text: statement });
  await owner.query({ text: `alter table ${table} enable trigger user` });
}

async function verifyAll() {
  let checked = 0;
  for (let after = 0; ;) {
    const step = await seals.verify(after);
    checked += step.checked;
    if (step.done) return { checked, problem: step.problem };
    after = step.lastSeal;
  }
}

describe('an archive of the log', () => {
  test('contains only complete seals that are old enough; the archive and the rest of the log verify (P1)', async () => {
    const recent = new Date();
    await tamper('audit_log', `update audit_log set at = now() - interval '1 day'`);
    for (const table of ['audit_log', 'audit_seals']) await tamper(table, `truncate ${table}`);
    await write('old', 'older');
    await tamper('audit_log', `update audit_log set at = now() - interval '1 day'`);
    await seals.seal();
    await write('young');
    await seals.seal();
    expect(await archive(recent)).toBe(2);
    expect(await archive(recent)).toBe(0);
    expect(await labels()).toEqual(['young']);
    expect(await verifyFile()).toMatchObject({ kind: 'activity', checked: 2, problem: null });
    expect(await verifyAll()).toEqual({ checked: 1, problem: null });
    await write('newest');
    await seals.seal();
    expect(await verifyAll()).toEqual({ checked: 2, problem: null });
  });

  test('is readable only by its owner, and leaves no partial file', async () => {
    expect(await archive()).toBe(5);
    const { mode } = await stat(fileOf());
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(fileOf()))).toEqual(['activity-000001.jsonl']);
    expect(await labels()).toEqual([]);
    expect(await verifyAll()).toEqual({ checked: 0, problem: null });
    await write('f');
    expect(await seals.seal()).toBe(1);
    expect(await archive()).toBe(1);
    expect(await verifyFile(2)).toMatchObject({ checked: 1, problem: null });
    expect(await verifyAll()).toEqual({ checked: 0, problem: null });
  });

  test('is written once if processes archive at the same time', async () => {
    const others = Array.from({ length: 4 }, () => openDatabase(testDatabase.applicationUrl));
    const archived = await Promise.all(others.map((other) => archive(later, other)));
    expect(archived.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 5]);
    expect(await readdir(path.dirname(fileOf()))).toEqual(['activity-000001.jsonl']);
    await Promise.all(others.map((other) => other.end()));
  });

  test('is written again, without lost or duplicate entries, if the database did not record it', async () => {
    const failingDatabase: Database = {
      ...database,
      transaction: (work, limit) =>
        database.transaction((transaction) => {
          const query: typeof transaction.query = (config) =>
            config.text.includes('record_audit_archive')
              ? Promise.reject(new Error('killed'))
              : transaction.query(config);
          return work({ query });
        }, limit),
    };
    await expect(archive(later, failingDatabase)).rejects.toThrow('killed');
    expect(await labels()).toHaveLength(5);
    await write('f');
    await seals.seal();
    expect(await archive()).toBe(6);
    expect(await readdir(path.dirname(fileOf()))).toEqual(['activity-000001.jsonl']);
    expect(await verifyFile()).toMatchObject({ checked: 6, problem: null });
  });

  test('is not created from an altered log', async () => {
    const id = await idOf('b');
    await tamper('audit_log', `update audit_log set target_label = 'B' where id = ${id}`);
    await expect(archive()).rejects.toThrow(`Entry ${id} of the log was altered`);
    expect(await labels()).toHaveLength(5);
  });

  test('cannot be recorded out of sequence by the application, because recording it would delete other rows', async () => {
    const claim = (...facts: number[]) =>
      database.query({
        text: `select record_audit_archive(row($1, $2, $3, $4, $5, $6, '', '', 'f', now())::audit_archives)`,
        values: facts,
      });
    const last = await idOf('c');
    await expect(claim(1, 1, 1, 0, last, 3)).rejects.toMatchObject({ code: '23514' });
    await expect(claim(2, 1, 1, 0, last, 3)).rejects.toMatchObject({ code: '23514' });
    await expect(
      database.query({ text: `insert into audit_archives values (1, 1, 1, 0, 3, 3, '', '', 'f', now())` }),
    ).rejects.toThrow('permission denied');
    expect(await labels()).toHaveLength(5);
  });

  test('does not verify if its row in the database is altered or deleted', async () => {
    await archive();
    await write('f');
    await seals.seal();
    await archive();
    await write('g');
    await seals.seal();
    await tamper('audit_archives', 'update audit_archives set row_count = 4 where id = 1');
    expect((await verifyAll()).problem).toMatchObject({
      kind: 'seal',
      message: expect.stringContaining('Archive 1'),
    });
    await tamper('audit_archives', 'delete from audit_archives');
    expect((await verifyAll()).problem).toMatchObject({
      kind: 'seal',
      message: expect.stringContaining('Seal 1'),
    });
  });

  test('never overwrites another archive', async () => {
    await archive();
    for (const table of ['audit_log', 'audit_seals', 'audit_archives'])
      await tamper(table, `truncate ${table}`);
    await write('f');
    await seals.seal();
    await expect(archive()).rejects.toThrow('is already there');
    expect(await labels()).toEqual(['f']);
    expect(await verifyFile()).toMatchObject({ checked: 5, problem: null });
  });

  test.each([
    ['an altered entry', (lines: string[]) => lines.with(3, (lines[3] as string).replace('"b"', '"B"'))],
    ['a removed entry', (lines: string[]) => lines.toSpliced(3, 1)],
    ['a duplicate entry', (lines: string[]) => lines.toSpliced(3, 0, lines[3] as string)],
    ['an invalid entry', (lines: string[]) => lines.with(3, 'nonsense')],
    ['entries and seals removed from the end', (lines: string[]) => lines.slice(0, 5)],
    [
      'a removed salt',
      (lines: string[]) => lines.with(3, (lines[3] as string).replace(/"salt":"[^"]+"/, '"salt":null')),
    ],
    [
      'an altered first line',
      (lines: string[]) => lines.with(0, (lines[0] as string).replace('"row_count":5', '"row_count":4')),
    ],
    [
      'an altered seal',
      (lines: string[]) => lines.with(1, (lines[1] as string).replace('"row_count":3', '"row_count":2')),
    ],
  ])('does not verify with %s', async (_what, alter) => {
    await archive();
    const lines = (await readFile(fileOf(), 'utf8')).trimEnd().split('\n');
    const altered = alter(lines);
    expect(altered).not.toEqual(lines);
    await writeFile(fileOf(), `${altered.join('\n')}\n`);
    expect((await verifyFile()).problem).not.toBeNull();
  });
});

describe('an erased entry', () => {
  test('is redacted in the log, and the log still verifies, also after later erasures (P2)', async () => {
    expect(await erase()).toBe(2);
    expect(await labels()).toEqual(['a', 'Erased', 'c', 'Erased', 'e']);
    expect(await verifyAll()).toEqual({ checked: 5, problem: null });
    await eraseInAuditLog(database, key, { where: 'target_label = $3', values: ['Erased'] }, (entry) => ({
      ...entry,
      detail: {},
    }));
    expect(await verifyAll()).toEqual({ checked: 5, problem: null });
    expect(await archive()).toBe(5);
    expect(await verifyFile()).toMatchObject({ checked: 5, problem: null });
  });

  test('is sealed like any other entry if it was erased before the sealing', async () => {
    await write('b');
    await erase();
    await write('f');
    await seals.seal();
    expect(await verifyAll()).toEqual({ checked: 7, problem: null });
  });

  test('is redacted in an archive, and the archive still verifies', async () => {
    await archive();
    expect(await redactArchiveFile(key, fileOf(), { entry: redact, row: () => null })).toBe(2);
    expect(await readFile(fileOf(), 'utf8')).not.toMatch(/"[bd]", "127/);
    expect((await stat(fileOf())).mode & 0o777).toBe(0o600);
    expect(await verifyFile()).toMatchObject({ checked: 5, problem: null });
    expect(await redactArchiveFile(key, fileOf(), { entry: redact, row: () => null })).toBe(0);
  });

  test.each([
    ['its text', `target_label = 'Another person'`],
    ['its time', `at = at - interval '1 second'`],
    ['its MAC', `erasure_mac = sha256(erasure_mac)`],
    ['its sealed digest', `sealed_digest = audit_digest(audit_log)`],
    ['a removed sealed digest', `sealed_digest = null`],
  ])('cannot be altered afterwards: %s', async (_what, change) => {
    await erase();
    const id = await idOf('Erased');
    await tamper('audit_log', `update audit_log set ${change} where id = ${id}`);
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: id });
  });

  test('cannot be forged without the secret, even with the original digest', async () => {
    const id = await idOf('c');
    await tamper(
      'audit_log',
      `update audit_log set sealed_digest = audit_digest(audit_log), erasure_mac = sha256('x'), salt = null, target_label = 'C' where id = ${id}`,
    );
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: id });
  });

  test('verifies even if it was written before entries had salts', async () => {
    for (const table of ['audit_log', 'audit_seals']) await tamper(table, `truncate ${table}`);
    await write('b', 'c');
    await tamper('audit_log', 'update audit_log set salt = null');
    await seals.seal();
    const { rows } = await owner.query<{ same: boolean }>({
      text: `select bool_and(substr(rows, 9, 32) = sha256(convert_to(jsonb_build_array(log.id, extract(epoch from at), action,
               actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)::text, 'UTF8'))) as same
             from audit_seals, (select * from audit_log order by id limit 1) log`,
    });
    expect(rows).toEqual([{ same: true }]);
    await erase();
    expect(await verifyAll()).toEqual({ checked: 2, problem: null });
  });
});

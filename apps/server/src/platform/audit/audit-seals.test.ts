/** Changes to the log that bypass the application are detected (statement K4; security 49). */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { createTestDatabase, longTimeouts } from '../../test/database/test-database.ts';
import { eraseInAuditLog, type AuditFields } from './audit-erasure.ts';
import { recordChange, recordChanges, type AuditEntry } from './audit-log.ts';
import { auditKey, createAuditSeals, type AuditSeals, type AuditVerdict } from './audit-seals.ts';

const secret = Buffer.from('a secret of the tests, 32 characters or more');
let seals: AuditSeals;
const messages: string[] = [];
const testDatabase = await createTestDatabase();
const database = openDatabase(testDatabase.applicationUrl, longTimeouts);
const owner = openDatabase(testDatabase.url, { ...longTimeouts, maxConnections: 2 });
beforeEach(async () => {
  await tamper('truncate audit_log');
  await tamper('truncate audit_chain', 'audit_chain');
  seals = createAuditSeals(database, secret, (message) => messages.push(message));
  messages.length = 0;
});
afterAll(async () => {
  await database.end();
  await owner.end();
  await testDatabase.drop();
});

const entry = (label: string): AuditEntry => ({
  action: 'test.done',
  actor: null,
  target: { type: 'test', id: label, label },
  origin: { requestId: 'r', address: '127.0.0.1' },
  detail: { before: { n: 1.5, ü: 'ä"\\' }, after: null },
});
const write = (...labels: string[]) => recordChanges(database, labels.map(entry));
const idOf = async (label: string) =>
  (
    await owner.query<{ id: number }>({
      text: 'select id from audit_log where target_label = $1',
      values: [label],
    })
  ).rows[0]?.id as number;

/** Bypasses the trigger, as the owner of the database can. */
async function tamper(statement: string, table = 'audit_log'): Promise<void> {
  await owner.query({ text: `alter table ${table} disable trigger ${table}_only_grows` });
  await owner.query({ text: statement });
  await owner.query({ text: `alter table ${table} enable trigger ${table}_only_grows` });
}

async function verifyAll(verifier: AuditSeals = seals): Promise<Pick<AuditVerdict, 'checked' | 'problem'>> {
  let checked = 0;
  for (let after = 0; ;) {
    const step = await verifier.verify(after);
    checked += step.checked;
    if (step.done) return { checked, problem: step.problem };
    after = step.lastSeal;
  }
}

describe('an unaltered log', () => {
  test('verifies, and its sealed and unsealed rows are counted', async () => {
    expect(await verifyAll()).toEqual({ checked: 0, problem: null });
    await write('a', 'b');
    expect(await seals.seal()).toBe(2);
    await write('c');
    expect(await seals.seal()).toBe(1);
    expect(await seals.seal()).toBe(0);
    await write('d');
    expect(await verifyAll()).toEqual({ checked: 3, problem: null });
    expect(await seals.countRows()).toEqual({ sealed: 3, since: expect.any(Date) });
    expect(await seals.countUnsealed()).toBe(1);
  });

  test('verifies with another time zone and number format of the connection', async () => {
    await write('a');
    await seals.seal();
    const other = openDatabase(
      `${testDatabase.applicationUrl}?options=-c%20timezone=Asia/Tokyo%20-c%20extra_float_digits=0`,
    );
    expect(await verifyAll(createAuditSeals(other, secret))).toEqual({ checked: 1, problem: null });
    await other.end();
  });

  test('verifies with gaps in its ids after rolled-back transactions', async () => {
    await write('a');
    await database
      .transaction(async (transaction) => {
        await recordChange(transaction, entry('undone'));
        throw new Error('no');
      })
      .catch(() => {});
    await write('b');
    expect(await seals.seal()).toBe(2);
    expect((await idOf('b')) - (await idOf('a'))).toBe(2);
    expect(await verifyAll()).toEqual({ checked: 2, problem: null });
  });

  test('is sealed once if processes seal at the same time', async () => {
    const others = Array.from({ length: 4 }, () => createAuditSeals(database, secret));
    await write('a', 'b', 'c');
    const sealed = await Promise.all(others.map((one) => one.seal()));
    expect(sealed.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(await verifyAll()).toEqual({ checked: 3, problem: null });
  });

  test('is sealed and verified in batches if it has many rows', async () => {
    await owner.query({
      text: `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
             select 'test.done', 'x', 'test', n::text, n::text, '::1', 'r', '{}' from generate_series(1, 20500) n`,
    });
    expect(await seals.seal()).toBe(20_500);
    const first = await seals.verify(0);
    expect(first).toMatchObject({ checked: 20_000, done: false, problem: null });
    expect(await verifyAll()).toEqual({ checked: 20_500, problem: null });
    await tamper("update audit_log set target_label = 'y' where target_label = '20400'");
    expect(await verifyAll()).toMatchObject({
      checked: 20_399,
      problem: { kind: 'altered', rowId: await idOf('y') },
    });
  });
});

describe('concurrent writers', () => {
  test('a row is not sealed while an earlier one may still be committed', async () => {
    let releaseLock!: () => void;
    const held = new Promise<void>((resolve) => (releaseLock = resolve));
    let written!: () => void;
    const hasWritten = new Promise<void>((resolve) => (written = resolve));
    const slow = database.transaction(async (transaction) => {
      await recordChange(transaction, entry('slow'));
      written();
      await held;
    });
    await hasWritten;
    await write('quick');
    expect(await seals.seal({ timeoutMs: 100 })).toBe(0);
    const sealing = seals.seal();
    // Other writers do not wait for the slow transaction.
    await write('another');
    releaseLock();
    await slow;
    expect(await sealing).toBeGreaterThanOrEqual(2);
    expect(await idOf('slow')).toBeLessThan(await idOf('quick'));
    await seals.seal();
    expect(await verifyAll()).toEqual({ checked: 3, problem: null });
  });
});

describe('verification finds a change and names the first wrong row (K4; security 49)', () => {
  beforeEach(async () => {
    await write('a', 'b', 'c');
    await seals.seal();
    await database
      .transaction(async (transaction) => {
        await recordChange(transaction, entry('gap'));
        throw new Error('leaves a gap in the ids');
      })
      .catch(() => {});
    await write('d', 'e');
    await seals.seal();
  });

  test.each([
    ['action', "action = 'test.undone'"],
    ['time', "at = at + interval '1 microsecond'"],
    ['actor', "actor_label = 'Another person'"],
    ["actor's id", 'actor_id = gen_random_uuid()'],
    ["target's label", "target_label = 'B'"],
    ["target's id", "target_id = 'B'"],
    ["target's type", "target_type = 'B'"],
    ['address', "address = '10.0.0.1'"],
    ['request', "request_id = 'q'"],
    ['detail', `detail = '{"before": {"n": 1.6}}'`],
  ])('finds an altered %s', async (_what, change) => {
    const id = await idOf('b');
    await tamper(`update audit_log set ${change} where id = ${id}`);
    expect(await verifyAll()).toEqual({
      checked: 1,
      problem: { kind: 'altered', rowId: id, message: expect.stringContaining(String(id)) },
    });
  });

  test.each(['a', 'b', 'c', 'd', 'e'])('finds the removed row %s', async (label) => {
    const id = await idOf(label);
    await tamper(`delete from audit_log where id = ${id}`);
    expect((await verifyAll()).problem).toMatchObject({ kind: 'removed', rowId: id });
  });

  test.each([
    ['into a gap', (last: number) => last - 2],
    ['before the first', () => -5],
    ['at zero', () => 0],
  ])('finds a row inserted %s', async (_where, place) => {
    const id = place(await idOf('e'));
    await tamper(
      `insert into audit_log (id, action, actor_label, target_type, target_id, target_label, address, request_id, detail)
       overriding system value values (${id}, 'a', 'b', 'c', 'd', 'e', 'f', 'g', '{}')`,
    );
    expect((await verifyAll()).problem).toMatchObject({ kind: 'inserted', rowId: id });
  });

  test.each([
    ['an altered HMAC', 'update audit_chain set mac = sha256(mac) where id = $1'],
    ['an altered sequence', 'update audit_chain set previous_id = previous_id - 1 where id = $1'],
    ['a removed HMAC', 'delete from audit_chain where id = $1'],
  ])('finds %s', async (_what, statement) => {
    const id = await idOf('b');
    await tamper(statement.replace('$1', String(id)), 'audit_chain');
    expect((await verifyAll()).problem).toMatchObject({ rowId: id });
  });

  test('finds a row that was removed with its HMAC', async () => {
    const id = await idOf('b');
    for (const table of ['audit_log', 'audit_chain'])
      await tamper(`delete from ${table} where id = ${id}`, table);
    expect(await verifyAll()).toMatchObject({ checked: 1, problem: { kind: 'removed', rowId: id } });
  });

  test('finds HMACs that were created with another secret', async () => {
    await tamper("update audit_log set target_label = 'B' where target_label = 'b'");
    await tamper('truncate audit_chain', 'audit_chain');
    await createAuditSeals(database, Buffer.from('x'.repeat(40))).seal();
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: await idOf('a') });
  });

  test('the process that created the newest HMACs reports if they are deleted together with their rows', async () => {
    const last = await idOf('c');
    for (const table of ['audit_log', 'audit_chain'])
      await tamper(`delete from ${table} where id > ${last}`, table);
    await write('f');
    await seals.seal();
    expect(messages).toEqual([expect.stringContaining(`entries ${last + 1} to`)]);
  });
});

describe('an erased entry', () => {
  const redact = (row: AuditFields) =>
    row.target_label === 'b' || row.target_label === 'd'
      ? { actor_label: 'x', target_label: 'Erased', address: '', detail: { n: 1.25 } }
      : null;
  const erase = () => eraseInAuditLog(database, auditKey(secret), { where: 'true', values: [] }, redact);
  beforeEach(async () => {
    await write('a', 'b', 'c');
    await seals.seal();
  });

  test('is redacted in the log, and the log still verifies, also after later erasures (P2)', async () => {
    await write('d');
    expect(await erase()).toBe(2);
    const rows = await owner.query<{ target_label: string }>({
      text: 'select target_label from audit_log order by id',
    });
    expect(rows.rows.map((row) => row.target_label)).toEqual(['a', 'Erased', 'c', 'Erased']);
    await seals.seal();
    await eraseInAuditLog(
      database,
      auditKey(secret),
      { where: 'target_label = $3', values: ['Erased'] },
      (row) => ({ ...row, detail: {} }),
    );
    expect(await verifyAll()).toEqual({ checked: 4, problem: null });
  });

  test.each([
    ['its text', `target_label = 'Another person'`],
    ['its time', `at = at - interval '1 second'`],
  ])('cannot be altered afterwards: %s', async (_what, change) => {
    await erase();
    const id = await idOf('Erased');
    await tamper(`update audit_log set ${change} where id = ${id}`);
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: id });
  });

  test('does not verify if it was altered before', async () => {
    const id = await idOf('b');
    await tamper(`update audit_log set action = 'test.undone' where id = ${id}`);
    await erase();
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: id });
  });

  test('cannot be forged without the secret, even by the function of the database', async () => {
    const id = await idOf('b');
    const forged = { id, actor_label: 'x', target_label: 'B', address: '', detail: {}, mac: '\\x00' };
    await database.query({ text: 'select erase_audit_entries($1)', values: [JSON.stringify([forged])] });
    expect((await verifyAll()).problem).toMatchObject({ kind: 'altered', rowId: id });
  });
});

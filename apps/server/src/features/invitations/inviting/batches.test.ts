/** Inviting many at once: the dry run, doing it once, progress, and taking it back (K2; security 21, 24–26, 32, 50). */
import { batchMaximum } from '@vestibule/contract/rules/limits';
import {
  checkInvitations,
  createBatch,
  getBatch,
  listBatches,
  undoBatch,
} from '@vestibule/contract/invitations/batches';
import { getInvitationLink, listInvitations } from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { changeSettings } from '@vestibule/contract/settings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../../test/test-app.ts';

let t: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => t.close());

type Row = { email: string; name?: string; role?: string; message?: string };
let counter = 0;
const newAddress = () => `invited-${(counter += 1)}@example.net`;
const newKey = () => `key-${(counter += 1)}`;
const check = async (rows: Row[], more: object = {}) =>
  (await t.call(checkInvitations, { token: admin.token, body: { rows, ...more } })).body;
const send = (rows: Row[], more: object = {}, key = newKey(), app = t) =>
  app.call(createBatch, {
    token: admin.token,
    headers: { 'idempotency-key': key },
    body: { rows, ...more },
  });
const countOf = async (table: string, condition: string, values: unknown[] = []) =>
  (await t.select<{ n: number }>(`select count(*)::int as n from ${table} where ${condition}`, values))[0]?.n;
const rowsOf = (addresses: string[]) => addresses.map((email) => ({ email }));

describe('the dry run', () => {
  test('says of each row what inviting would do, and writes nothing', async () => {
    const member = await t.join(newAddress());
    const { email: invited } = await t.invitationTo(newAddress());
    const { email: expired } = await t.invitationTo(newAddress(), { expiresInMs: 1 });
    t.clock.advance(1);
    const before = await countOf('invitations', 'true');
    const { rows, counts } = await check([
      { email: ` ${newAddress()} ` },
      { email: member.email.toUpperCase() },
      { email: invited.toUpperCase() },
      { email: expired },
      { email: 'no address' },
      { email: '' },
      { email: 'dup@example.net' },
      { email: 'DUP@example.net' },
      { email: newAddress(), role: 'Administrator' },
      { email: newAddress(), role: 'owner' },
      { email: newAddress(), name: 'A\r\nBcc: b@example.com' },
      { email: newAddress(), message: 'A\0B' },
    ]);
    expect(rows.map(({ verdict }) => verdict)).toEqual([
      'new',
      'member',
      'invited',
      'new',
      'invalid',
      'invalid',
      'new',
      'duplicate',
      'new',
      'invalid',
      'invalid',
      'invalid',
    ]);
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(rows[7]).toMatchObject({ firstRow: 7, message: expect.stringContaining('Row 7') });
    expect(rows[8]?.message).toContain('administrator');
    expect(rows.every(({ message }) => message.endsWith('.'))).toBe(true);
    expect(counts).toEqual({
      new: 4,
      member: 1,
      invited: 1,
      invalid: 5,
      duplicate: 1,
      domain_not_allowed: 0,
      look_alike: 0,
    });
    expect(await countOf('invitations', 'true')).toBe(before);
    expect(await countOf('audit_log', "action = 'invitation_batch.created'")).toBe(0);
  });

  test('names the address that another one looks like, among people, invitations and earlier rows', async () => {
    await t.join('ann.miller@looks.example');
    await t.invitationTo('bob0@looks.example');
    const verdicts = async (email: string) => (await check([{ email }])).rows[0];
    for (const [email, looksLike] of [
      ['annmiller@looks.example', 'ann.miller@looks.example'],
      ['ann.mi1ler@looks.example', 'ann.miller@looks.example'],
      ['ann.miller@lооks.example', 'ann.miller@looks.example'],
      ['bobo@looks.example', 'bob0@looks.example'],
    ])
      expect(await verdicts(email as string)).toMatchObject({ verdict: 'look_alike', looksLike });
    const { rows } = await check([{ email: 'modern@looks.example' }, { email: 'modem@looks.example' }]);
    expect(rows[1]).toMatchObject({
      verdict: 'look_alike',
      looksLike: 'modern@looks.example',
      message: expect.stringContaining('row 1'),
    });
    expect(await verdicts('аnn.miller@looks.example')).toMatchObject({
      verdict: 'invalid',
      message: expect.stringContaining('ann.miller@looks.example'),
    });
    expect(await verdicts('ann.miller+list@looks.example')).toMatchObject({ verdict: 'new' });
  });

  test('10,000 rows of garbage get their verdicts within 2 s, and none is written (security 21, 32)', async () => {
    const garbage = [
      '',
      '@',
      '\0',
      '=cmd|calc',
      'a@b@c',
      '('.repeat(500),
      'ä@ö',
      '"x"@y.z',
      '٣@٣',
      '🙂',
      '%%',
      'a@b..c',
    ];
    const rows = Array.from({ length: batchMaximum }, (_, index) => ({
      email: `${garbage[index % garbage.length]}${index % 3 === 0 ? '\r\n' : ''}`,
      name: garbage[(index * 7) % garbage.length] as string,
      role: garbage[(index * 5) % garbage.length]?.slice(0, 50) as string,
    }));
    // Of our own processor time, since other tests run beside this one.
    const before = process.cpuUsage();
    const { counts } = await check(rows);
    const { user, system } = process.cpuUsage(before);
    expect(counts.invalid).toBe(batchMaximum);
    const answer = await send(rows, { inviteLookAlikes: true, sendAgain: true });
    expect(answer.body.counts).toEqual({ created: 0, sentAgain: 0, skipped: batchMaximum });
    expect((user + system) / 1000).toBeLessThan(2_000);
  }, 30_000);

  test.each([
    ['no rows', { rows: [] }],
    ['10,001 rows', { rows: rowsOf(Array.from({ length: batchMaximum + 1 }, () => 'a@example.com')) }],
    ['an unknown column', { rows: [{ email: 'a@example.com', status: 'redeemed' }] }],
    ['a lifetime of 366 days', { rows: rowsOf(['a@example.com']), lifetimeDays: 366 }],
    ['a lifetime of half a day', { rows: rowsOf(['a@example.com']), lifetimeDays: 0.5 }],
    ['an unknown language', { rows: rowsOf(['a@example.com']), language: 'fr' }],
  ])('%s is a 400 that says what is allowed', async (_what, body) => {
    const answer = await t.call(checkInvitations, { token: admin.token, body: body as never });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(Object.values(answer.body.fields ?? {})[0]).toMatch(/\.$/);
  });

  test('a body of more than 4 MB is refused, one of 3 MB is read', async () => {
    const message = 'x'.repeat(4_000);
    const rows = (count: number) => Array.from({ length: count }, () => ({ email: 'x', message }));
    const call = (count: number) =>
      t.call(checkInvitations, { token: admin.token, body: { rows: rows(count) } });
    expect((await call(750)).status).toBe(200);
    expect(await call(1_100)).toMatchObject({ status: 413, body: { code: 'request.too_large' } });
  });
});

describe('a batch', () => {
  test('invites what is new with its audit rows and mails, and says how many', async () => {
    const [one, two, three] = [newAddress(), newAddress(), newAddress()];
    await t.join(three);
    const { status, body } = await send(
      [
        { email: one, name: 'Ann', role: 'admin', message: 'Hi Ann' },
        { email: two },
        { email: three },
        { email: 'x' },
      ],
      { lifetimeDays: 3, language: 'de', message: 'Hi all' },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      createdBy: admin.email,
      createdAt: new Date(t.clock.now()).toISOString(),
      counts: { created: 2, sentAgain: 0, skipped: 2 },
    });
    const filters = JSON.stringify([{ column: 'batchId', is: 'oneOf', values: [body.id] }]);
    const list = await t.call(listInvitations, {
      token: admin.token,
      query: { filters, sort: 'email', direction: 'asc' },
    });
    const expiresAt = new Date(t.clock.now() + 3 * 24 * 3600_000).toISOString();
    const shared = { expiresAt, language: 'de', mailState: 'queued', batchId: body.id };
    expect(list.body.rows.toSorted((a, b) => a.email.localeCompare(b.email))).toMatchObject(
      [
        { email: one, name: 'Ann', role: 'admin', message: 'Hi Ann', ...shared },
        { email: two, name: '', role: 'member', message: 'Hi all', ...shared },
      ].toSorted((a, b) => a.email.localeCompare(b.email)),
    );
    const ids = list.body.rows.map(({ id }) => id);
    expect(await countOf('audit_log', "action = 'invitation.created' and target_id = any($1)", [ids])).toBe(
      2,
    );
    expect(await countOf('jobs.job', "split_part(data->>'subjectId', '/', 1) = any($1)", [ids])).toBe(2);
    expect(
      await countOf('audit_log', "action = 'invitation_batch.created' and target_id = $1", [body.id]),
    ).toBe(1);
    expect((await t.call(listBatches, { token: admin.token })).body.rows[0]?.id).toBe(body.id);
    expect(list.text).not.toContain('hash');
  });

  test('sends what is invited already again, and look-alikes at all, only when asked', async () => {
    const { email, id } = await t.invitationTo('twin.one@batch.example');
    const rows = rowsOf([email, 'twinone@batch.example']);
    expect((await send(rows)).body.counts).toEqual({ created: 0, sentAgain: 0, skipped: 2 });
    expect((await send(rows, { sendAgain: true })).body.counts).toMatchObject({ created: 0, sentAgain: 1 });
    expect(await countOf('jobs.job', "data->>'subjectId' = $1", [`${id}/2`])).toBe(1);
    expect((await send(rows, { inviteLookAlikes: true })).body.counts).toMatchObject({ created: 1 });
  });

  test('64 times at once with one key, on two server processes, is one batch with one answer', async () => {
    const second = await createTestApp({ beside: t });
    try {
      const rows = rowsOf([newAddress(), newAddress()]);
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, index) => send(rows, {}, key, index % 2 ? t : second)),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 200, body: { counts: { created: 2 } } });
      expect(await countOf('invitations', 'email = any($1)', [rows.map(({ email }) => email)])).toBe(2);
      expect(await countOf('invitation_batches', 'idempotency_key = $1', [key])).toBe(1);
    } finally {
      await second.close();
    }
  }, 30_000);

  test('has the same answer half an hour later, and another list under its key is refused', async () => {
    const rows = rowsOf([newAddress()]);
    const key = newKey();
    const first = await send(rows, {}, key);
    t.clock.advance(30 * 60_000);
    expect((await send(rows, {}, key)).body).toEqual(first.body);
    const others = await Promise.all([
      send(rowsOf([newAddress()]), {}, key),
      send(rows, { role: 'admin' }, key),
    ]);
    for (const other of others)
      expect(other).toMatchObject({ status: 409, body: { code: 'invitation_batch.key_taken' } });
    const colleague = await t.join(newAddress(), 'admin');
    const theirs = await t.call(createBatch, {
      token: colleague.token,
      headers: { 'idempotency-key': key },
      body: { rows: rowsOf([newAddress()]) },
    });
    expect(theirs.status).toBe(200);
  });

  test.each([
    [{}],
    [{ 'idempotency-key': '' }],
    [{ 'idempotency-key': 'x'.repeat(101) }],
    [{ 'idempotency-key': 'a b' }],
  ])('is refused with the headers %j, and the answer says what is needed', async (headers) => {
    const answer = await t.call(createBatch, {
      token: admin.token,
      headers: headers as never,
      body: { rows: rowsOf([newAddress()]) },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { fields: { 'idempotency-key': expect.stringContaining('Idempotency-Key') } },
    });
  });

  test('without an audit row or a mail job there is none of it (security 50)', async () => {
    await t.select(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    for (const table of ['audit_log', 'jobs.job_common']) {
      await t.select(`create trigger refuse before insert on ${table} execute function refuse()`);
      const email = newAddress();
      const key = newKey();
      expect((await send(rowsOf([email]), {}, key)).status).toBe(500);
      expect(await countOf('invitations', 'email = $1', [email])).toBe(0);
      await t.select(`drop trigger refuse on ${table}`);
      expect((await send(rowsOf([email]), {}, key)).body.counts.created).toBe(1);
    }
  });

  test('two with the same addresses at once invite each address once, and neither fails (security 25)', async () => {
    const addresses = Array.from({ length: 300 }, newAddress);
    const answers = await Promise.all([send(rowsOf(addresses)), send(rowsOf(addresses.toReversed()))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.reduce((sum, { body }) => sum + body.counts.created, 0)).toBe(300);
    expect(await countOf('invitations', 'email = any($1)', [addresses])).toBe(300);
  });

  test('of several thousand is written in parts, and undone whole', async () => {
    const rows = rowsOf(Array.from({ length: 4_500 }, (_, index) => `many-${index}@many.example`));
    const { body } = await send(rows);
    expect(body.counts).toEqual({ created: 4_500, sentAgain: 0, skipped: 0 });
    const undone = await t.call(undoBatch, { token: admin.token, params: { batchId: body.id } });
    expect(undone).toMatchObject({ status: 200, body: { revoked: 4_500, open: 0 } });
  }, 60_000);
});

describe('the settings', () => {
  const change = async (values: object) =>
    expect(
      (await t.call(changeSettings, { token: admin.token, body: { versions: {}, ...values } })).status,
    ).toBe(200);

  test('say which domains may be invited and how many rows at once', async () => {
    const version = async (name: string) =>
      (await t.select<{ version: number }>('select version from settings where name = $1', [name]))[0]
        ?.version ?? 0;
    const set = async (name: string, value: unknown) =>
      change({ [name]: value, versions: { [name]: await version(name) } });
    await set('allowedDomains', ['allowed.example']);
    t.clock.advance(1_000);
    const { rows } = await check(
      rowsOf(['ann@allowed.example', 'ann@Other.example', 'ann@sub.allowed.example']),
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual(['new', 'domain_not_allowed', 'domain_not_allowed']);
    expect(rows[1]?.message).toContain('other.example');
    expect((await send(rowsOf(['ann@other.example']))).body.counts.created).toBe(0);
    await set('allowedDomains', null);
    const three = rowsOf([newAddress(), newAddress(), newAddress()]);
    const key = newKey();
    const { body: before } = await send(three, {}, key);
    await set('invitationsPerBatch', 2);
    t.clock.advance(1_000);
    expect(await send(three)).toMatchObject({
      status: 400,
      body: { fields: { rows: expect.stringContaining('2 rows') } },
    });
    expect((await send(three, {}, key)).body, 'repeated, it is the list that was taken').toEqual(before);
    await set('invitationsPerBatch', null);
    t.clock.advance(1_000);
  });
});

describe('undoing a batch', () => {
  test('revokes what nobody redeemed, keeps the rest, and sends no mail that waits (security 24)', async () => {
    const [open, redeemed] = [newAddress(), newAddress()];
    const { body: batch } = await send(rowsOf([open, redeemed]));
    const ids = await t.select<{ id: string; email: string }>(
      'select id, email from invitations where batch_id = $1',
      [batch.id],
    );
    const idOf = (email: string) => ids.find((row) => row.email === email)?.id as string;
    const token = await t.mint({ sub: redeemed, emails: [redeemed], invitationId: idOf(redeemed) });
    expect(
      (await t.app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${token}` } }))
        .statusCode,
    ).toBe(200);
    const link = (
      await t.call(getInvitationLink, { token: admin.token, params: { invitationId: idOf(open) } })
    ).body.link;
    const call = () => t.call(undoBatch, { token: admin.token, params: { batchId: batch.id } });
    expect((await call()).body).toMatchObject({
      id: batch.id,
      redeemed: 1,
      revoked: 1,
      open: 0,
      mails: { none: 2, queued: 0, sent: 0, failed: 0 },
      undoneAt: new Date(t.clock.now()).toISOString(),
    });
    const code = new URL(link).searchParams.get('i') as string;
    expect((await t.call(getInviteToken, { body: { code } })).body.ErrorMessage).toBe('Invalid');
    t.clock.advance(60_000);
    // Once more changes nothing and is no error.
    expect((await call()).body).toEqual(
      (await t.call(getBatch, { token: admin.token, params: { batchId: batch.id } })).body,
    );
    expect(
      await countOf('audit_log', "action = 'invitation_batch.undone' and target_id = $1", [batch.id]),
    ).toBe(1);
    expect(await countOf('audit_log', "action = 'invitation.revoked' and target_id = $1", [idOf(open)])).toBe(
      1,
    );
    const inside = await t.app.inject({
      url: '/api/users/me',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(inside.statusCode).toBe(200);
  });

  test('also revokes what has expired, so that nothing of the list can be renewed (P4)', async () => {
    const { body: batch } = await send(rowsOf([newAddress()]), { lifetimeDays: 1 });
    await t.select('update invitations set expires_at = $2 where batch_id = $1', [
      batch.id,
      new Date(t.clock.now()),
    ]);
    const params = { batchId: batch.id };
    expect((await t.call(getBatch, { token: admin.token, params })).body.open).toBe(1);
    expect((await t.call(undoBatch, { token: admin.token, params })).body).toMatchObject({
      revoked: 1,
      open: 0,
    });
  });

  test('of an unknown one is a 404', async () => {
    const params = { batchId: '0192f0c1-2345-7abc-8def-0123456789ab' };
    for (const route of [getBatch, undoBatch])
      expect(await t.call(route, { token: admin.token, params })).toMatchObject({
        status: 404,
        body: { code: 'invitation_batch.not_found' },
      });
  });
});

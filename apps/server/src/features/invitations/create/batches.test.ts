import { createBatch, getBatch, listBatches, undoBatch } from '@vestibule/contract/invitations/batches';
import { getInvitationLink, listInvitations } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { changeSettings } from '@vestibule/contract/settings';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { withRefusedWrites } from '../../../test/database/test-faults.ts';
import { createBatchApp, rowsOf } from './test-batches.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createBatchApp());

describe('a batch', () => {
  test('invites new addresses with audit rows and mails, and returns the counts', async () => {
    const [one, two, three] = [t.newAddress(), t.newAddress(), t.newAddress()];
    await t.join(three);
    const { status, body } = await t.send(
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
      createdBy: t.admin.email,
      createdAt: new Date(t.clock.now()).toISOString(),
      counts: { created: 2, sentAgain: 0, skipped: 2 },
    });
    const filters = JSON.stringify([{ column: 'batchId', is: 'oneOf', values: [body.id] }]);
    const list = await t.callAs(t.admin, listInvitations, {
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
    expect(await t.countOf('audit_log', "action = 'invitation.created' and target_id = any($1)", [ids])).toBe(
      2,
    );
    expect(await t.countOf('jobs.job', "split_part(data->>'subjectId', '/', 1) = any($1)", [ids])).toBe(2);
    expect(
      await t.countOf('audit_log', "action = 'invitation_batch.created' and target_id = $1", [body.id]),
    ).toBe(1);
    const named = { id: body.id, inviter: { id: t.admin.id, displayName: 'Someone' } };
    expect((await t.callAs(t.admin, listBatches)).body.rows[0]).toMatchObject(named);
    const progress = await t.callAs(t.admin, getBatch, { params: { batchId: body.id } });
    expect(progress.body).toMatchObject(named);
    expect(list.text).not.toContain('hash');
  });

  test('resends open invitations, and invites addresses similar to existing ones, only if the request says so', async () => {
    const { email, id } = await t.invitationTo('twin.one@batch.example');
    const rows = rowsOf([email, 'twinone@batch.example']);
    expect((await t.send(rows)).body.counts).toEqual({ created: 0, sentAgain: 0, skipped: 2 });
    expect((await t.send(rows, { sendAgain: true })).body.counts).toMatchObject({ created: 0, sentAgain: 1 });
    expect(await t.countOf('jobs.job', "data->>'subjectId' = $1", [`${id}/2`])).toBe(1);
    expect((await t.send(rows, { inviteLookAlikes: true })).body.counts).toMatchObject({ created: 1 });
  });

  test('is written once for 64 concurrent requests with one key on two server processes', async () => {
    const second = await createTestApp({ sharedWith: t });
    try {
      const rows = rowsOf([t.newAddress(), t.newAddress()]);
      const key = t.newKey();
      const responses = await Promise.all(
        Array.from({ length: 64 }, (_, index) => t.send(rows, {}, key, index % 2 ? t : second)),
      );
      expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(responses[0]).toMatchObject({ status: 200, body: { counts: { created: 2 } } });
      expect(await t.countOf('invitations', 'email = any($1)', [rows.map(({ email }) => email)])).toBe(2);
      expect(await t.countOf('invitation_batches', 'idempotency_key = $1', [key])).toBe(1);
    } finally {
      await second.close();
    }
  });

  test('returns the same response for a request repeated half an hour later, and rejects a different list with the same key', async () => {
    const rows = rowsOf([t.newAddress()]);
    const key = t.newKey();
    const first = await t.send(rows, {}, key);
    t.clock.advance(30 * 60_000);
    expect((await t.send(rows, {}, key)).body).toEqual(first.body);
    const others = await Promise.all([
      t.send(rowsOf([t.newAddress()]), {}, key),
      t.send(rows, { role: 'admin' }, key),
    ]);
    for (const other of others)
      expect(other).toMatchObject({ status: 409, body: { code: 'invitation_batch.key_taken' } });
    const colleague = await t.join(t.newAddress(), 'admin');
    const theirs = await t.callAs(colleague, createBatch, {
      headers: { 'idempotency-key': key },
      body: { rows: rowsOf([t.newAddress()]) },
    });
    expect(theirs.status).toBe(200);
  });

  test.each([
    [{}],
    [{ 'idempotency-key': '' }],
    [{ 'idempotency-key': 'x'.repeat(101) }],
    [{ 'idempotency-key': 'a b' }],
  ])('is rejected with the headers %j and a message about the required header', async (headers) => {
    const response = await t.callAs(t.admin, createBatch, {
      headers: headers as never,
      body: { rows: rowsOf([t.newAddress()]) },
    });
    expect(response).toMatchObject({
      status: 400,
      body: { fields: { 'idempotency-key': expect.stringContaining('Idempotency-Key') } },
    });
  });

  test('is not written without its audit rows or mail jobs (security 50)', async () => {
    for (const table of ['audit_log', 'jobs.job_common']) {
      const email = t.newAddress();
      const key = t.newKey();
      const response = await withRefusedWrites(t, table, () => t.send(rowsOf([email]), {}, key));
      expect(response.status).toBe(500);
      expect(await t.countOf('invitations', 'email = $1', [email])).toBe(0);
      expect((await t.send(rowsOf([email]), {}, key)).body.counts.created).toBe(1);
    }
  });

  test('two concurrent batches with the same addresses both succeed and invite each address once (security 25)', async () => {
    const addresses = Array.from({ length: 300 }, t.newAddress);
    const responses = await Promise.all([t.send(rowsOf(addresses)), t.send(rowsOf(addresses.toReversed()))]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses.reduce((sum, { body }) => sum + body.counts.created, 0)).toBe(300);
    expect(await t.countOf('invitations', 'email = any($1)', [addresses])).toBe(300);
  });

  test('is written in chunks and undone completely if it has several thousand rows', async () => {
    const rows = rowsOf(Array.from({ length: 2_100 }, (_, index) => `many-${index}@many.example`));
    const { body } = await t.send(rows);
    expect(body.counts).toEqual({ created: 2_100, sentAgain: 0, skipped: 0 });
    const undone = await t.callAs(t.admin, undoBatch, { params: { batchId: body.id } });
    expect(undone).toMatchObject({ status: 200, body: { revoked: 2_100, open: 0 } });
  });
});

describe('the settings', () => {
  const change = async (values: object) =>
    expect((await t.callAs(t.admin, changeSettings, { body: { versions: {}, ...values } })).status).toBe(200);

  test('limit the domains and the number of rows', async () => {
    const version = async (name: string) =>
      (await t.select<{ version: number }>`select version from settings where name = ${name}`)[0]?.version ??
      0;
    const set = async (name: string, value: unknown) =>
      change({ [name]: value, versions: { [name]: await version(name) } });
    await set('allowedDomains', ['allowed.example']);
    t.clock.advance(1_000);
    const { rows } = await t.check(
      rowsOf(['ann@allowed.example', 'ann@Other.example', 'ann@sub.allowed.example']),
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual(['new', 'domain_not_allowed', 'domain_not_allowed']);
    expect(rows[1]?.message).toContain('other.example');
    expect((await t.send(rowsOf(['ann@other.example']))).body.counts.created).toBe(0);
    await set('allowedDomains', null);
    const three = rowsOf([t.newAddress(), t.newAddress(), t.newAddress()]);
    const key = t.newKey();
    const { body: before } = await t.send(three, {}, key);
    await set('invitationsPerBatch', 2);
    t.clock.advance(1_000);
    expect(await t.send(three)).toMatchObject({
      status: 400,
      body: { fields: { rows: expect.stringContaining('2 rows') } },
    });
    expect((await t.send(three, {}, key)).body, 'repeated, it is the list that was taken').toEqual(before);
    await set('invitationsPerBatch', null);
    t.clock.advance(1_000);
  });
});

describe('undoing a batch', () => {
  test('revokes open invitations, keeps redeemed ones, and cancels queued mails (security 24)', async () => {
    const [open, redeemed] = [t.newAddress(), t.newAddress()];
    const { body: batch } = await t.send(rowsOf([open, redeemed]));
    const ids = await t.select<{ id: string; email: string }>`
      select id, email from invitations where batch_id = ${batch.id}`;
    const idOf = (email: string) => ids.find((row) => row.email === email)?.id as string;
    const { status, token } = await t.signIn(redeemed, { invitationId: idOf(redeemed) });
    expect(status).toBe(200);
    const link = (await t.callAs(t.admin, getInvitationLink, { params: { invitationId: idOf(open) } })).body
      .link;
    const call = () => t.callAs(t.admin, undoBatch, { params: { batchId: batch.id } });
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
    // A second call changes nothing.
    expect((await call()).body).toEqual(
      (await t.callAs(t.admin, getBatch, { params: { batchId: batch.id } })).body,
    );
    expect(
      await t.countOf('audit_log', "action = 'invitation_batch.undone' and target_id = $1", [batch.id]),
    ).toBe(1);
    expect(
      await t.countOf('audit_log', "action = 'invitation.revoked' and target_id = $1", [idOf(open)]),
    ).toBe(1);
    expect((await t.call(getMe, { token })).status).toBe(200);
  });
});

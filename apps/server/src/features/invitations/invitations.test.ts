import {
  countInvitations,
  getInvitation,
  getInvitationLink,
  invite,
  listInvitations,
} from '@vestibule/contract/invitations';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { removePerson } from '@vestibule/contract/people';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { withRefusedWrites } from '../../test/database/test-faults.ts';
import { createInvitingApp } from './test-inviting.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createInvitingApp());
// Resets the limit of failed exchanges.
beforeEach(() => t.clock.advance(60_000));

describe('inviting', () => {
  test('creates a pending invitation with its audit row and mail job', async () => {
    const email = t.newAddress();
    const response = await t.inviteTo(` ${email.toUpperCase()} `, {
      name: 'Ann',
      role: 'admin',
      message: 'Hi\nAnn',
    });
    expect(response).toMatchObject({
      status: 200,
      body: {
        email: email.toUpperCase(),
        name: 'Ann',
        role: 'admin',
        message: 'Hi\nAnn',
        status: 'pending',
        mailState: 'queued',
        createdBy: 'admin@example.com',
        createdAt: new Date(t.clock.now()).toISOString(),
        expiresAt: new Date(t.clock.now() + 7 * 24 * 3600_000).toISOString(),
      },
    });
    expect(
      await t.select`select action, actor_id from audit_log where target_id = ${response.body.id}`,
    ).toEqual([{ action: 'invitation.created', actor_id: t.admin.id }]);
    expect(
      await t.select`
        select data->>'template' as template from jobs.job where data->>'subjectId' = ${`${response.body.id}/1`}`,
    ).toEqual([{ template: 'invitation' }]);
  });

  test('rejects a second open invitation to an address, in any spelling', async () => {
    const email = t.newAddress();
    await t.inviteTo(email);
    expect(await t.inviteTo(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { code: 'invitation.already_invited' },
    });
  });

  test('succeeds once for 64 concurrent requests with one address on two server processes', async () => {
    const second = await createTestApp({ sharedWith: t });
    try {
      const email = t.newAddress();
      const responses = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          (index % 2 ? t : second).call(invite, { token: t.admin.token, body: { email } }),
        ),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(63);
      expect(await t.select`select from invitations where email_canonical = ${email}`).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  test.each([
    ['no address', {}],
    ['an array of addresses', { email: ['a@example.com'] }],
    ['an object', { email: { $ne: '' } }],
    ['a quoted local part', { email: '"a b"@example.com' }],
    ['two @', { email: 'a@b@example.com' }],
    ['CR and LF in the address', { email: 'a@example.com\r\nBcc: b@example.com' }],
    ['a full-width domain', { email: 'a@ｅxample.com' }],
    ['a line break in the name', { email: 'a@example.com', name: 'A\r\nBcc: b@example.com' }],
    ['a line separator in the name', { email: 'a@example.com', name: 'A\u2028B' }],
    ['a NUL in the message', { email: 'a@example.com', message: 'A\0B' }],
    ['an unknown role', { email: 'a@example.com', role: 'owner' }],
    ['a status', { email: 'a@example.com', status: 'redeemed' }],
    ['a 100 KB address', { email: `${'('.repeat(50_000)}${')'.repeat(50_000)}@example.com` }],
  ])('returns 400 and names the field for %s', async (_what, body) => {
    const response = await t.callAs(t.admin, invite, { body: body as { email: string } });
    expect(response).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(Object.keys(response.body.fields ?? {})).toHaveLength(1);
  });

  test('creates no invitation without its audit row or mail job', async () => {
    for (const table of ['audit_log', 'jobs.job_common']) {
      const email = t.newAddress();
      expect((await withRefusedWrites(t, table, () => t.inviteTo(email))).status).toBe(500);
      expect(await t.select`select from invitations where email = ${email}`).toEqual([]);
    }
  });
});

describe('the link', () => {
  test('has a code of 128 bits and stays the same, and copying it is recorded in the audit log', async () => {
    const { id } = (await t.inviteTo(t.newAddress())).body;
    const link = await t.linkOf(id);
    expect(link).toMatch(/^https:\/\/portal\.example\.com\/signup\?i=[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(await t.linkOf(id)).toBe(link);
    expect(
      await t.select`select from audit_log where target_id = ${id} and action = 'invitation.link_copied'`,
    ).toHaveLength(2);
  });

  test('uses the configured address regardless of the host in the request', async () => {
    const { id } = (await t.inviteTo(t.newAddress())).body;
    const response = await t.callAs(t.admin, getInvitationLink, {
      params: { invitationId: id },
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example;proto=http',
      },
    });
    expect(new URL(response.body.link).origin).toBe('https://portal.example.com');
  });

  test('the list of invitations contains neither the code nor its hash, and the database stores only a keyed hash', async () => {
    const { id } = (await t.inviteTo(t.newAddress())).body;
    const code = await t.codeOf(id);
    const hash = t.shortCodes.hashOf(code);
    const { text, body } = await t.callAs(t.admin, listInvitations, { query: { limit: 500 } });
    expect(body.rows.find((row) => row.id === id)).toBeDefined();
    for (const secret of [code, hash.toString('hex'), hash.toString('base64'), 'hash', 'code'])
      expect(text).not.toContain(secret);
    const stored = await t.scalar<string>`
      select invitations::text as stored from invitations where id = ${id}`;
    expect(stored).not.toContain(code);
    expect(stored).toContain(hash.toString('hex'));
  });
});

test('the preview shows the mail in the language of the invitation, with an invalid link (K2)', async () => {
  const { token } = t.admin;
  const body = {
    email: 'nora@example.com',
    message: ' Bis <b>gleich</b> ',
    language: 'de',
    lifetimeDays: 3,
  } as const;
  const preview = await t.call(previewInvitation, { token, body });
  expect(preview).toMatchObject({ status: 200, body: { subject: 'Ihre Einladung zu Vestibule' } });
  for (const part of ['nora@example.com', 'Bis &lt;b&gt;gleich', '/signup?i=EXAMPLE', 'admin@example.com'])
    expect(preview.body.html).toContain(part);
});

test('an incomplete draft can be previewed, and a preview sends no invitation (K2)', async () => {
  const { token } = t.admin;
  const preview = await t.call(previewInvitation, { token, body: { email: 'half an addr' } });
  expect(preview.body.html).toContain('half an addr');
  const draft = await t.call(previewInvitation, { token, body: { email: 'invitee@example.com' } });
  expect(draft.status).toBe(200);
  expect(await t.call(invite, { token, body: { email: 'invitee@example.com' } })).toMatchObject({
    status: 200,
  });
  const long = await t.call(previewInvitation, { token, body: { message: 'x'.repeat(2_001) } });
  expect(long).toMatchObject({ status: 400 });
});

test('group counts match the filtered list and require an administrator (K2)', async () => {
  const counts = async (): Promise<Record<string, number>> => {
    const { body } = await t.callAs(t.admin, countInvitations);
    const { all, waiting, expiring, failed, expired, joined } = body;
    return { all, waiting, expiring, failed, expired, joined };
  };
  const before = await counts();
  await t.invited({ lifetimeDays: 30 });
  await t.invited({ lifetimeDays: 1 });
  const { id: failed } = await t.invited({ lifetimeDays: 30 });
  await t.select`update invitations set mail_state = 'failed' where id = ${failed}`;
  const { id: expired } = await t.invited();
  await t.select`update invitations set mail_state = 'failed' where id = ${expired}`;
  await t.expire(expired);
  const after = await counts();
  const more = Object.fromEntries(
    Object.entries(after).map(([group, count]) => [group, count - (before[group] ?? 0)]),
  );
  expect(more).toEqual({ all: 4, waiting: 3, expiring: 1, failed: 1, expired: 1, joined: 0 });
  for (const [group, count] of Object.entries(after)) {
    if (group === 'all') continue;
    const filters = JSON.stringify([{ column: 'group', is: 'oneOf', values: [group] }]);
    const { body } = await t.callAs(t.admin, listInvitations, { query: { filters } });
    expect([group, body.total]).toEqual([group, count]);
  }
  const member = await t.join(t.newAddress());
  expect((await t.callAs(member, countInvitations)).status).toBe(403);
});

test('details contain the person who signed up, until the person is removed (K2)', async () => {
  const { id: open } = await t.invited();
  expect((await t.call(getInvitation, t.one(open))).body.personId).toBeNull();
  const person = await t.join(t.newAddress());
  const id = await t.scalar<string>`select id from invitations where email = ${person.email}`;
  const found = (await t.call(getInvitation, t.one(id))).body;
  expect(found).toMatchObject({ status: 'redeemed', personId: person.id });
  await t.callAs(t.admin, removePerson, { params: { personId: person.id } });
  expect((await t.call(getInvitation, t.one(id))).body.personId).toBeNull();
});

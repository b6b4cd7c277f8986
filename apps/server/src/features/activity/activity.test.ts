import { listActivity, verifyActivity } from '@vestibule/contract/activity';
import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { getSettings } from '@vestibule/contract/settings';
import { expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createTestApp());
const admin = await t.join('admin@example.com', 'admin');

test('the activity contains actor, action, target, address and request id, newest first', async () => {
  const { token } = admin;
  const invited = await t.call(invite, { token, body: { email: 'ann@example.com' } });
  const revoked = await t.call(revokeInvitation, { token, params: { invitationId: invited.body.id } });
  const { body } = await t.call(listActivity, { token });
  expect(body.total).toBe(3);
  expect(body.rows.slice(0, 2)).toMatchObject([
    {
      action: 'invitation.revoked',
      actor: 'admin@example.com',
      target: 'ann@example.com',
      address: '127.0.0.1',
      requestId: revoked.headers['x-request-id'],
    },
    { action: 'invitation.created', requestId: invited.headers['x-request-id'] },
  ]);
});

test('the activity can be searched by person, target and action', async () => {
  const { token } = admin;
  await t.call(invite, { token, body: { email: 'bob@example.com' } });
  const found = async (search: string) =>
    (await t.call(listActivity, { token, query: { search } })).body.rows.map(({ target }) => target);
  expect(await found('BOB@')).toEqual(['bob@example.com']);
  expect(await found('redeemed')).toEqual(['admin@example.com']);
  expect(await found('no such text')).toEqual([]);
});

test('the activity can be filtered by actor, action, target, time and address (K4)', async () => {
  const { token } = admin;
  const other = await t.join('other@example.com', 'admin');
  await t.callAs(other, invite, { body: { email: 'carl@example.com' } });
  const found = async (...filters: object[]) =>
    (await t.call(listActivity, { token, query: { filters: JSON.stringify(filters) } })).body.rows.map(
      ({ action, target }) => `${action} ${target}`,
    );
  const actor = { column: 'actor', is: 'contains', text: 'other@' };
  expect(await found(actor)).toEqual([
    'invitation.created carl@example.com',
    'invitation.redeemed other@example.com',
  ]);
  expect(await found(actor, { column: 'action', is: 'oneOf', values: ['invitation.created'] })).toEqual([
    'invitation.created carl@example.com',
  ]);
  expect(await found({ column: 'target', is: 'contains', text: 'CARL' })).toHaveLength(1);
  expect(await found(actor, { column: 'address', is: 'contains', text: '127.0.0' })).toHaveLength(2);
  expect(await found(actor, { column: 'address', is: 'contains', text: '10.' })).toEqual([]);
  const lastAt = await t.scalar<Date>`select at from audit_log order by id desc limit 1`;
  const from = lastAt.toISOString();
  expect(await found(actor, { column: 'at', is: 'between', from })).toHaveLength(1);
  expect(await found(actor, { column: 'at', is: 'between', to: from })).toHaveLength(1);
});

test('verifying the log returns the number of entries, the time of the first one, and the first entry that was altered (K4; security 49)', async () => {
  const { token } = admin;
  const verify = async () => (await t.call(verifyActivity, { token, query: { after: 0 } })).body;
  const rows = await t.select<{ id: number; at: Date }>('select id, at from audit_log order by id');
  expect(await verify()).toMatchObject({ checked: 0, sealed: 0, unsealed: rows.length, done: true });
  await t.auditSeals.seal();
  expect(await verify()).toMatchObject({
    checked: rows.length,
    sealed: rows.length,
    unsealed: 0,
    since: rows[0]?.at.toISOString(),
    problem: null,
    done: false,
  });
  await t.select('alter table audit_log disable trigger user');
  await t.select`update audit_log set actor_label = 'unknown@example.com' where id = ${rows[1]?.id}`;
  const { problem, checked, done } = await verify();
  expect({ checked, done }).toEqual({ checked: 1, done: true });
  expect(problem).toEqual({
    kind: 'altered',
    rowId: rows[1]?.id,
    message: `Entry ${rows[1]?.id} of the log was altered after it was sealed.`,
  });
});

test('getSettings returns no secrets', async () => {
  const secret = 'x'.repeat(40);
  const configured = await createTestApp({
    sharedWith: t,
    environment: {
      SECRET: secret,
      SMTP_URL: `smtp://user:${secret}@mail.example.com`,
      GRID_LICENSE_KEY: secret,
    },
  });
  const { status, text } = await configured.callAs(admin, getSettings);
  expect(status).toBe(200);
  expect(text).not.toContain(secret);
  await configured.close();
});

test('actors and targets with an account are linked to the person; a file named like the address of a person is not (K4)', async () => {
  const { token } = admin;
  const ina = await t.join('Ina@example.com', 'member');
  await t.call(invite, { token, body: { email: 'invitee@example.com' } });
  await t.database.query({
    text: `insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
           values ('attachment.deleted', $1, 'ina@example.com', 'attachment', $2, 'ina@example.com', '', '', '{}')`,
    values: [ina.id, admin.id],
  });
  const { rows } = (await t.call(listActivity, { token, query: { limit: 3 } })).body;
  const named = ({ id }: TestPerson) => ({ id, displayName: expect.stringMatching(/./) as string });
  expect(
    rows.map(({ action, actorPerson, targetPerson }) => ({ action, actorPerson, targetPerson })),
  ).toEqual([
    { action: 'attachment.deleted', actorPerson: named(ina), targetPerson: null },
    { action: 'invitation.created', actorPerson: named(admin), targetPerson: null },
    { action: 'invitation.redeemed', actorPerson: named(ina), targetPerson: named(ina) },
  ]);
});

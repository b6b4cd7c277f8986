/** The audit log as administrators read it. */
import { listActivity } from '@vestibule/contract/activity';
import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import { getSettings } from '@vestibule/contract/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test-app.ts';

let t: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
});
afterAll(() => t.close());

test('says who did what to whom, from where, newest first, with the id of the request', async () => {
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

test('is searched by person, target and action', async () => {
  const { token } = admin;
  await t.call(invite, { token, body: { email: 'bob@example.com' } });
  const found = async (search: string) =>
    (await t.call(listActivity, { token, query: { search } })).body.rows.map(({ target }) => target);
  expect(await found('BOB@')).toEqual(['bob@example.com']);
  expect(await found('redeemed')).toEqual(['admin@example.com']);
  expect(await found('nobody did this')).toEqual([]);
});

test('the settings hold nothing secret', async () => {
  const secret = 'x'.repeat(40);
  const configured = await createTestApp({
    beside: t,
    environment: {
      SECRET: secret,
      SMTP_URL: `smtp://user:${secret}@mail.example.com`,
      GRID_LICENSE_KEY: secret,
    },
  });
  const { status, text } = await configured.call(getSettings, { token: admin.token });
  expect(status).toBe(200);
  expect(text).not.toContain(secret);
  await configured.close();
});

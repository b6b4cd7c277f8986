import { invite } from '@vestibule/contract/invitations';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvitingApp, type InvitingApp } from '../test-inviting.ts';

let t: InvitingApp;
beforeAll(async () => {
  t = await createInvitingApp();
});
afterAll(() => t.close());

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

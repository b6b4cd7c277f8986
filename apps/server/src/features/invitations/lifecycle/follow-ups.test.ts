import { getInvitation, renewInvitation, resendInvitation, invite } from '@vestibule/contract/invitations';
import { inviteToOrganization } from '@vestibule/contract/invitations/in-organization';
import { changeOrganization, createOrganization } from '@vestibule/contract/organizations';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../../test/test-app.ts';
import { invitationMails } from '../invitation-mail.ts';
import { remindBeforeExpiry } from './follow-ups.ts';

const day = 24 * 3600_000;

let t: TestApp;
let admin: TestPerson;
beforeEach(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
});
afterEach(() => t.close());

const remind = (reminderDays = 2, app = t) =>
  remindBeforeExpiry({
    ...app,
    now: t.clock.now,
    settings: { current: () => Promise.resolve({ reminderDays }) },
  });
const templates = () => invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now });
async function invited(email: string, more: object = {}) {
  const { id } = (await t.callAs(admin, invite, { body: { email, ...more } })).body;
  await templates().invitation.sent?.(`${id}/1`);
  return id;
}
const advance = async (milliseconds: number) => {
  t.clock.advance(milliseconds);
  const token = await t.mint({ sub: admin.subject });
  admin = { ...admin, token };
};

test('an invitee is reminded once, two days before expiry, in the language of the invitation', async () => {
  const id = await invited('ann@example.com', { language: 'de', lifetimeDays: 7 });
  await advance(5 * day - 1);
  expect(await remind()).toBe(0);
  await advance(1);
  expect(await remind()).toBe(1);
  expect(await remind()).toBe(0);
  expect(await t.select("select from jobs.job where data->>'template' = 'invitation-reminder'")).toHaveLength(
    1,
  );
  expect(await templates()['invitation-reminder'].write(`${id}/2`)).toMatchObject({
    to: { address: 'ann@example.com' },
    subject: expect.stringContaining('28. November 2026'),
    text: expect.stringContaining(t.shortCodes.codeOf(id)),
  });
  // The reminder supersedes the earlier mail.
  expect(await templates().invitation.write(`${id}/1`)).toBeNull();
  const { timeline } = (await t.callAs(admin, getInvitation, { params: { invitationId: id } })).body;
  expect(timeline.filter(({ kind }) => kind === 'reminded')).toMatchObject([{ by: null }]);
});

test('no reminder is sent before the invitation is mailed, for a lifetime of one day, or if reminders are disabled', async () => {
  const pending = (await t.callAs(admin, invite, { body: { email: 'waiting@example.com' } })).body.id;
  await invited('short@example.com', { lifetimeDays: 1 });
  expect(await remind()).toBe(0);
  await advance(6 * day);
  expect(await remind(0)).toBe(0);
  expect(await remind()).toBe(0);
  await templates().invitation.sent?.(`${pending}/1`);
  expect(await remind()).toBe(1);
});

test('no reminder is sent while the organization of the invitation is suspended', async () => {
  const { body: acme } = await t.callAs(admin, createOrganization, { body: { name: 'Acme', slug: 'acme' } });
  const params = { organizationId: acme.id };
  const { body } = await t.callAs(admin, inviteToOrganization, {
    params,
    body: { email: 'ann@example.com' },
  });
  await templates().invitation.sent?.(`${body.id}/1`);
  await t.callAs(admin, changeOrganization, { params, body: { status: 'suspended' } });
  await advance(6 * day);
  expect(await remind()).toBe(0);
  await t.callAs(admin, changeOrganization, { params, body: { status: 'active' } });
  expect(await remind()).toBe(1);
});

test('a renewed invitation is reminded again', async () => {
  const id = await invited('ann@example.com');
  await advance(6 * day);
  expect(await remind()).toBe(1);
  await advance(2 * day);
  const one = { token: admin.token, params: { invitationId: id } };
  expect((await t.call(renewInvitation, { ...one, body: {} })).status).toBe(200);
  await templates().invitation.sent?.(`${id}/3`);
  expect(await remind()).toBe(0);
  await advance(6 * day);
  expect(await remind()).toBe(1);
  // The reminder is the newest mail and still queued.
  expect((await t.call(resendInvitation, { ...one, token: admin.token })).body.code).toBe(
    'invitation.mail_on_its_way',
  );
});

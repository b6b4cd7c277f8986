import { getInviteToken } from '@vestibule/contract/invitations/link';
import { getMe } from '@vestibule/contract/profile/me';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../../test/test-app.ts';
import { newId } from '../../../platform/database/new-id.ts';
import { inviteFirstAdministrator } from './first-administrator.ts';

let t: TestApp;
beforeEach(async () => {
  t = await createTestApp();
});
afterEach(() => t.close());

const start = (more: { adminEmail?: string } = {}) =>
  inviteFirstAdministrator({
    ...t.config,
    database: t.database,
    shortCodes: t.shortCodes,
    lifetimeDays: 7,
    now: t.clock.now,
    newId,
    ...more,
  });
const codeIn = (link: string | null) => new URL(link as string).searchParams.get('i') as string;
const exchange = async (link: string | null) =>
  (await t.call(getInviteToken, { body: { code: codeIn(link) } })).body;

test('an empty database has no people and one link, which creates an administrator', async () => {
  expect(await t.select('select from people')).toEqual([]);
  const link = await start();
  expect(link).toMatch(/^https:\/\/portal\.example\.com\/signup\?i=[1-9A-HJ-NP-Za-km-z]{22}$/);
  expect((await exchange(link)).Succeeded).toBe(true);
  const [invitation] = await t.select<{ id: string }>('select id from invitations');
  const claims = { emails: ['admin@example.com'], invitationId: invitation?.id };
  const token = await t.mint({ sub: 'first', ...claims });
  expect((await t.call(getMe, { token })).body.IsAdmin).toBe(true);
  expect(await t.select("select from audit_log where action = 'invitation.created'")).toHaveLength(1);
});

test('the link stays the same until it is used, and is not printed afterwards', async () => {
  const link = await start();
  expect(await start()).toBe(link);
  await t.join('member@example.com');
  expect(await start()).toBeNull();
});

test('an expired link is replaced', async () => {
  const link = await start();
  t.clock.advance(7 * 24 * 60 * 60_000);
  const newLink = await start();
  expect(newLink).not.toBe(link);
  expect((await exchange(link)).ErrorMessage).toBe('Expired');
  expect((await exchange(newLink)).Succeeded).toBe(true);
});

test('another ADMIN_EMAIL gets a new link, and the earlier link is revoked', async () => {
  const link = await start();
  const other = await start({ adminEmail: 'other@example.com' });
  expect((await exchange(link)).Succeeded).toBe(false);
  expect((await exchange(other)).Succeeded).toBe(true);
  const logged = await t.select('select action, actor_label, target_label from audit_log order by id');
  expect(logged).toEqual([
    { action: 'invitation.created', actor_label: 'Vestibule', target_label: 'admin@example.com' },
    { action: 'invitation.revoked', actor_label: 'Vestibule', target_label: 'admin@example.com' },
    { action: 'invitation.created', actor_label: 'Vestibule', target_label: 'other@example.com' },
  ]);
});

test('server processes that start together print one link', async () => {
  const links = await Promise.all(Array.from({ length: 8 }, () => start()));
  expect(new Set(links).size).toBe(1);
  expect(await t.select('select from invitations')).toHaveLength(1);
});

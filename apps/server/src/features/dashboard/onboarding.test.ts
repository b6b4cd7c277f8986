import { dismissOnboarding, getDashboardFigures } from '@vestibule/contract/dashboard';
import { invite } from '@vestibule/contract/invitations';
import { changeSettings, sendTestMail } from '@vestibule/contract/settings';
import { afterEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { createOnboardingStore } from './onboarding.ts';

let t: TestApp;
let admin: TestPerson;
async function begin(options: Parameters<typeof createTestApp>[0] = {}) {
  t = await createTestApp({ sendNow: () => Promise.resolve('250 OK'), ...options });
  admin = await t.join('admin@example.com', 'admin');
}
afterEach(() => t.close());

/** Returns the names of the steps, completed ones in capitals; null if the onboarding is over. */
async function steps(): Promise<string | null> {
  const { body } = await t.callAs(admin, getDashboardFigures, { query: {} });
  return body.firstDay?.map(({ step, done }) => (done ? step.toUpperCase() : step)).join(' ') ?? null;
}
const dismiss = (token = admin.token) => t.call(dismissOnboarding, { token });

test('each onboarding step is completed by its action, and onboarding ends with the last one (K1)', async () => {
  await begin();
  const { token } = admin;
  expect(await steps()).toBe('site mail provider invite');
  await t.call(invite, { token, body: { email: 'nora@example.com' } });
  expect(await steps()).toBe('site mail provider INVITE');
  await t.call(changeSettings, { token, body: { productName: 'Gate', versions: { productName: 0 } } });
  expect(await steps()).toBe('SITE mail provider INVITE');
  await t.call(sendTestMail, { token, body: {} });
  expect(await steps()).toBe('SITE MAIL provider INVITE');
  await createOnboardingStore({ database: t.database, now: t.clock.now })('provider_checked_at');
  expect(await steps()).toBeNull();
});

test('a rejected test mail does not complete the mail step (K1)', async () => {
  await begin({ sendNow: () => Promise.reject(new Error('550 No')) });
  expect((await t.callAs(admin, sendTestMail, { body: {} })).body.accepted).toBe(false);
  expect(await steps()).toBe('site mail provider invite');
});

test('the mail step is omitted if mails are disabled (K1)', async () => {
  await begin({ sendNow: null });
  expect(await steps()).toBe('site provider invite');
});

test('dismissing the onboarding applies to all administrators and is logged once (K1)', async () => {
  await begin();
  const member = await t.join('member@example.com');
  expect((await dismiss(member.token)).status).toBe(403);
  expect(await steps()).toBe('site mail provider INVITE');
  await dismiss();
  await dismiss();
  expect(await steps()).toBeNull();
  expect(
    await t.select("select actor_id from audit_log where action = 'settings.first_steps_dismissed'"),
  ).toEqual([{ actor_id: admin.id }]);
});

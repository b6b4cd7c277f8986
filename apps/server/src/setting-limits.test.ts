/** Checks that every limited setting works at both of its bounds, by using it (security 66). */
import { getConfiguration } from '@vestibule/contract/configuration';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { invite, renewInvitation, resendInvitation } from '@vestibule/contract/invitations';
import { getInvitationLinkState, requestNewLink } from '@vestibule/contract/invitations/link';
import { productNameMaximum } from '@vestibule/contract/rules/limits';
import {
  allowedDomainsMaximum,
  retentionDays,
  MailLanguage,
  settingBounds,
  signInDomainsMaximum,
  PasskeyRequired,
  type SettingName,
} from '@vestibule/contract/settings/rules';
import { changeSettings, getMailPreview, getSettings } from '@vestibule/contract/settings';
import { startSignIn } from '@vestibule/contract/sign-in';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { remindBeforeExpiry } from './features/invitations/lifecycle/follow-ups.ts';
import { needsPasskey } from './features/auth/passkeys/passkey-session.ts';
import { purgeExpired } from './features/retention/retention.ts';
import { newId } from './platform/database/new-id.ts';
import { mailNow } from './test/mail/test-mail.ts';
import { createTestApp, testSecret } from './test/test-app.ts';
import { createTestSession } from './test/sign-in/test-session.ts';
import { closeAfterTests } from './test/test-close.ts';

const day = 24 * 3600_000;
const t = closeAfterTests(
  await createTestApp({
    environment: {
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: 'https://login.acme.example',
      OIDC_ACME_CLIENT_ID: 'vestibule',
      OIDC_ACME_CLIENT_SECRET: 'a secret',
    },
  }),
);
let admin = await t.join('admin@example.com', 'admin');
afterEach(async () => {
  await t.select('delete from settings');
  t.settings.invalidate();
});

const [, reminderDaysMaximum] = settingBounds.reminderDays;
let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const sendInvitation = (email = newAddress(), more: object = {}) =>
  t.callAs(admin, invite, { body: { email, ...more } });
const createInvitation = async (more: object = {}) => {
  const { status, body } = await sendInvitation(newAddress(), more);
  expect(status).toBe(200);
  return body;
};
const requestFor = (invitationId: string) => ({ token: admin.token, params: { invitationId } });
const preview = async () =>
  (await t.callAs(admin, getMailPreview, { params: { template: 'invitation' }, query: {} })).body;
const configuration = async () => (await t.call(getConfiguration, {})).body;
const sendBatch = (count: number, email?: string) =>
  t.callAs(admin, createBatch, {
    headers: { 'idempotency-key': newId() },
    body: { rows: Array.from({ length: count }, () => ({ email: email ?? newAddress() })) },
  });
const markMailSent = (id: string) => t.select`update invitations set mail_state = 'sent' where id = ${id}`;
const lifetimeDaysOf = ({ expiresAt }: { expiresAt: string }) =>
  (Date.parse(expiresAt) - t.clock.now()) / day;
const longAddress = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(2)}${'c'.repeat(59)}.example`;

type Change = (value: unknown) => Promise<void>;

async function forEachValue<Value>(
  change: Change,
  bounds: readonly Value[],
  use: (value: Value) => Promise<void>,
) {
  for (const value of bounds) {
    await change(value);
    await use(value);
  }
}

/** Checks that rows within the retention period stay and older ones are purged. */
const checkRetention = (change: Change, table: 'sign_ins' | 'invitations' | 'audit_log') =>
  forEachValue(change, [0, retentionDays.minimum, retentionDays.maximum], async (days) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-limits-'));
    const age = Math.max(days, 1) * day;
    await createInvitation();
    await t.auditSeals.seal();
    const written = table === 'audit_log' ? Date.now() : t.clock.now();
    if (table === 'sign_ins')
      await t.select`
        insert into sign_ins (person_id, session, at, address, user_agent)
        values (${admin.id}, gen_random_uuid()::text, ${new Date(written - 1)}, '', '')`;
    if (table === 'invitations') await t.select`update invitations set expires_at = ${new Date(written - 1)}`;
    const purge = async (afterMs: number) => {
      const purged = await purgeExpired({
        database: t.database,
        secret: testSecret,
        directory,
        now: () => written + afterMs,
        retentionPeriods: () => t.settings.current(),
      });
      return purged.activity + purged.signIns + purged.invitations > 0;
    };
    expect(await purge(age - day)).toBe(false);
    expect(await purge(age + day)).toBe(days > 0);
    await rm(directory, { recursive: true });
  });

/** Returns whether a session is accepted one second before it reaches the age, and when it has reached it. */
async function acceptsAtAges(column: 'seen_at' | 'created_at', milliseconds: number): Promise<boolean[]> {
  const { cookie } = await createTestSession(t, admin);
  const results: boolean[] = [];
  for (const ago of [milliseconds - 1_000, milliseconds]) {
    await t.select(`update sessions set ${column} = $1`, [new Date(t.clock.now() - ago)]);
    const response = await t.app.inject({ url: '/api/users/me', headers: { cookie } });
    results.push(response.statusCode === 200);
    await t.select`update sessions set seen_at = ${new Date(t.clock.now())}`;
  }
  await t.select('delete from sessions');
  return results;
}

const checkLink = (change: Change, name: 'PrivacyUrl' | 'ImprintUrl') =>
  forEachValue(change, ['', `https://a.example/${'p'.repeat(482)}`], async (address) =>
    expect((await configuration())[name]).toBe(address || null),
  );

const settingTests: Record<SettingName, (change: Change) => Promise<void>> = {
  keepInvitationsDays: (change) => checkRetention(change, 'invitations'),
  keepSignInsDays: (change) => checkRetention(change, 'sign_ins'),
  keepActivityDays: (change) => checkRetention(change, 'audit_log'),
  productName: (change) =>
    forEachValue(change, ['V', 'n'.repeat(productNameMaximum)], async (name) => {
      expect((await configuration()).ProductName).toBe(name);
      expect((await preview()).text).toContain(name);
    }),
  accentColor: (change) =>
    forEachValue(change, ['', '#000000', '#ffffff'], async (color) => {
      expect((await configuration()).AccentColor).toBe(color || null);
      expect((await preview()).html).toContain('<');
    }),
  supportEmail: (change) =>
    forEachValue(change, ['a@b.example', longAddress, 'help@b.dev'], async (address) => {
      expect((await configuration()).SupportEmail).toBe(address);
      expect((await mailNow(t)).replyTo?.[0]?.address).toBe(address === 'help@b.dev' ? address : undefined);
    }),
  privacyUrl: (change) => checkLink(change, 'PrivacyUrl'),
  imprintUrl: (change) => checkLink(change, 'ImprintUrl'),
  senderName: (change) =>
    forEachValue(change, ['V', 'n'.repeat(productNameMaximum)], async (name) => {
      expect((await mailNow(t)).from?.name).toBe(name);
    }),
  senderAddress: (change) =>
    forEachValue(change, ['a@b.example', longAddress], async (address) => {
      expect((await mailNow(t)).from?.address).toBe(address);
    }),
  mailLanguage: (change) =>
    forEachValue(change, MailLanguage.options, async (language) =>
      expect((await createInvitation()).language).toBe(language),
    ),
  invitationLifetimeDays: (change) =>
    forEachValue(change, settingBounds.invitationLifetimeDays, async (days) => {
      expect(lifetimeDaysOf(await createInvitation())).toBe(days);
      const named = await createInvitation({ lifetimeDays: days });
      expect(lifetimeDaysOf(named)).toBe(days);
      expect((await sendBatch(2)).body.counts.created).toBe(2);
      await t.select`update invitations set expires_at = ${new Date(t.clock.now())} where id = ${named.id}`;
      const { body } = await t.call(renewInvitation, {
        ...requestFor(named.id),
        body: { lifetimeDays: days },
      });
      expect(lifetimeDaysOf(body)).toBe(days);
    }),
  reminderDays: (change) =>
    forEachValue(change, settingBounds.reminderDays, async (days) => {
      await t.select(
        `update invitations set status = 'revoked', revoked_at = now() where status = 'pending'`,
      );
      const { id } = await createInvitation({ lifetimeDays: 2 * reminderDaysMaximum });
      await markMailSent(id);
      const remindedWith = async (daysLeft: number) => {
        const now = () => t.clock.now() + (2 * reminderDaysMaximum - daysLeft) * day;
        return remindBeforeExpiry({ ...t, now });
      };
      expect(await remindedWith(days + 1)).toBe(0);
      expect(await remindedWith(Math.max(days, 1))).toBe(days === 0 ? 0 : 1);
    }),
  newLinkDays: (change) =>
    forEachValue(change, settingBounds.newLinkDays, async (days) => {
      const { id } = await createInvitation();
      await t.select`
        update invitations set expires_at = ${new Date(t.clock.now() - Math.max(1, days * day - 1))} where id = ${id}`;
      const code = t.shortCodes.codeOf(id);
      const renewed = () => t.select`select from invitations where id = ${id} and code_version = 1`;
      await t.call(requestNewLink, { body: { code } });
      await expect.poll(renewed).toHaveLength(days === 0 ? 0 : 1);
    }),
  invitationsPerBatch: (change) =>
    forEachValue(change, settingBounds.invitationsPerBatch, async (maximum) => {
      expect((await sendBatch(maximum, admin.email)).body.counts.skipped).toBe(maximum);
      expect((await sendBatch(maximum + 1, admin.email)).status).toBe(400);
    }),
  resendsPerHour: (change) =>
    forEachValue(change, settingBounds.resendsPerHour, async (maximum) => {
      const { id } = await createInvitation();
      for (let time = 1; time <= maximum + 1; time += 1) {
        await markMailSent(id);
        expect([time, (await t.call(resendInvitation, requestFor(id))).status]).toEqual([
          time,
          time > maximum ? 429 : 200,
        ]);
      }
    }),
  sessionIdleHours: (change) =>
    forEachValue(change, settingBounds.sessionIdleHours, async (hours) =>
      expect(await acceptsAtAges('seen_at', hours * 3_600_000)).toEqual([true, false]),
    ),
  sessionDays: (change) =>
    forEachValue(change, settingBounds.sessionDays, async (days) =>
      expect(await acceptsAtAges('created_at', days * day)).toEqual([true, false]),
    ),
  passkeyRequired: (change) =>
    forEachValue(change, PasskeyRequired.options, async (required) => {
      expect([await needsPasskey(t.settings, 'member'), await needsPasskey(t.settings, 'admin')]).toEqual([
        required === 'everybody',
        required !== 'none',
      ]);
    }),
  codeBeforePasskey: (change) =>
    forEachValue(change, [false, true], async (isCodeFirst) => {
      const code = t.shortCodes.codeOf((await createInvitation()).id);
      expect((await t.call(getInvitationLinkState, { body: { code } })).body.codeFirst).toBe(isCodeFirst);
    }),
  signInDomains: (change) =>
    forEachValue(
      change,
      [[], Array.from({ length: signInDomainsMaximum }, (_, index) => `domain-${index}.example b2c`)],
      async (rules: string[]) => {
        const { status, body } = await t.call(startSignIn, {
          body: { address: `person@${rules.at(-1)?.split(' ')[0] ?? 'example.com'}` },
          headers: { 'sec-fetch-site': 'same-origin' },
        });
        expect([status, body.way?.id]).toEqual(rules.length === 0 ? [400, undefined] : [200, 'b2c']);
      },
    ),
  allowedDomains: (change) =>
    forEachValue(
      change,
      [[], Array.from({ length: allowedDomainsMaximum }, (_, index) => `domain-${index}.example`)],
      async (domains: string[]) => {
        expect((await sendInvitation(`person@${domains.at(-1) ?? 'example.com'}`)).status).toBe(200);
        expect((await sendInvitation('person@elsewhere.example')).status).toBe(
          domains.length === 0 ? 200 : 409,
        );
      },
    ),
};

test.each(Object.entries(settingTests))(
  'the setting %s works at its bounds',
  async (name, checkBounds) => {
    await checkBounds(async (value) => {
      // A new token, because the clock may have advanced past the old one.
      admin = { ...admin, token: await t.mint({ sub: admin.subject }) };
      const settings = (await t.callAs(admin, getSettings)).body;
      const body = { [name]: value, versions: { [name]: settings[name as SettingName].version } };
      expect((await t.callAs(admin, changeSettings, { body })).status).toBe(200);
      t.clock.advance(1_000);
    });
  },
  60_000,
);

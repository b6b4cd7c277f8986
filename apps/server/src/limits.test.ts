/** Checks that every limited setting and variable works at both of its bounds, by using it (security 66). */
import { NamedAccess } from '@vestibule/contract/applications';
import { AttachmentKind, AttachmentStatus, Sharing } from '@vestibule/contract/attachments';
import { getConfiguration } from '@vestibule/contract/configuration';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { invite, MailState, renewInvitation, resendInvitation } from '@vestibule/contract/invitations';
import { getInvitationLinkState, requestNewLink } from '@vestibule/contract/invitations/link';
import { Directory } from '@vestibule/contract/directory';
import { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { DomainState, Enrolment } from '@vestibule/contract/organizations/domains';
import { OrganizationStatus } from '@vestibule/contract/organizations';
import { Person } from '@vestibule/contract/people';
import { Role } from '@vestibule/contract/rules/role';
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
import { WebhookMessage } from '@vestibule/contract/webhooks';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { inviteFirstAdministrator } from './features/invitations/create/first-administrator.ts';
import { remindBeforeExpiry } from './features/invitations/lifecycle/follow-ups.ts';
import { createListeningApp } from './features/attachments/uploads/test-uploads.ts';
import { needsPasskey } from './features/auth/passkeys/passkey-session.ts';
import { purgeExpired } from './features/retention/retention.ts';
import { newId } from './platform/database/new-id.ts';
import { readConfig } from './platform/config/read-config.ts';
import { variableBounds } from './platform/config/variables.ts';
import { listTeamTables } from './test/database/test-team-tables.ts';
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
  t.settings.forget();
});

test('the database has no check constraints on lengths or numbers, and its enumerations equal those of the contract', async () => {
  const checks = await t.select<{ name: string; definition: string }>(
    `select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'c' and connamespace = 'public'::regnamespace and conrelid::regclass::text <> all($1) order by 1`,
    [await listTeamTables()],
  );
  const wordsOf = (definition: string) =>
    [...definition.matchAll(/'(\w+)'::text/g)].map(([, word = '']) => word).toSorted();
  const words = new Map(checks.map(({ name, definition }) => [name, wordsOf(definition)]));
  const limits = checks.filter(
    ({ name, definition }) => words.get(name)?.length === 0 && /length|\b[1-9]\d*|interval/.test(definition),
  );
  expect(limits).toEqual([]);
  for (const [name, listed] of words) if (listed.length === 0) words.delete(name);
  expect(Object.fromEntries(words)).toEqual(
    Object.fromEntries(
      Object.entries({
        'people.people_role_check': Role.options,
        'people.people_status_check': Person.shape.status.options,
        'invitations.invitations_role_check': Role.options,
        'invitations.invitations_language_check': InvitationLanguage.options,
        'invitations.invitations_mail_state_check': MailState.options,
        'application_access.application_access_kind_check': NamedAccess.shape.kind.options,
        'attachments.attachments_kind_check': AttachmentKind.options,
        'attachments.attachments_sharing_check': Sharing.options,
        'organization_domains.organization_domains_enrolment_check': Enrolment.options,
        'organization_domains.organization_domains_state_check': DomainState.options,
        'organizations.organizations_status_check': OrganizationStatus.options,
        'membership_requests.membership_requests_status_check': ['pending', 'declined'],
        'webhooks.webhooks_off_because_check': ['failing', 'gone'],
        'webhook_messages.webhook_messages_state_check': WebhookMessage.shape.state.options,
        'attachments.attachments_status_check': AttachmentStatus.options,
        'directory.directory_on_create_check': Directory.shape.onCreate.options,
        // Internal values: the server derives `opened` and `expired` from times, and returns no counts or events as such.
        'invitations.invitations_status_check': ['pending', 'redeemed', 'revoked', 'replaced'],
        'invitation_events.invitation_events_kind_check': words.get(
          'invitation_events.invitation_events_kind_check',
        ) as string[],
        'counts.counts_what_check': words.get('counts.counts_what_check') as string[],
      }).map(([name, listed]) => [name, [...listed].toSorted()]),
    ),
  );
  const limited = `select from information_schema.columns where table_schema = 'public' and character_maximum_length is not null`;
  expect(await t.select(limited)).toEqual([]);
});

const [, reminderDaysMaximum] = settingBounds.reminderDays;
let counter = 0;
const newAddress = () => `guest-${(counter += 1)}@example.com`;
const inviteTo = (email = newAddress(), more: object = {}) =>
  t.callAs(admin, invite, { body: { email, ...more } });
const invited = async (more: object = {}) => {
  const { status, body } = await inviteTo(newAddress(), more);
  expect(status).toBe(200);
  return body;
};
const requestFor = (invitationId: string) => ({ token: admin.token, params: { invitationId } });
const preview = async () =>
  (await t.callAs(admin, getMailPreview, { params: { template: 'invitation' }, query: {} })).body;
const configuration = async () => (await t.call(getConfiguration, {})).body;
const batchOf = (count: number, email?: string) =>
  t.callAs(admin, createBatch, {
    headers: { 'idempotency-key': newId() },
    body: { rows: Array.from({ length: count }, () => ({ email: email ?? newAddress() })) },
  });
const markMailSent = (id: string) =>
  t.select("update invitations set mail_state = 'sent' where id = $1", [id]);
const lifetimeDaysOf = ({ expiresAt }: { expiresAt: string }) =>
  (Date.parse(expiresAt) - t.clock.now()) / day;
const longAddress = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(2)}${'c'.repeat(59)}.example`;

type Change = (value: unknown) => Promise<void>;

async function each<Value>(change: Change, bounds: readonly Value[], use: (value: Value) => Promise<void>) {
  for (const value of bounds) {
    await change(value);
    await use(value);
  }
}

/** Checks that rows within the retention period stay and older ones are purged. */
const checkRetention = (change: Change, table: 'sign_ins' | 'invitations' | 'audit_log') =>
  each(change, [0, retentionDays.minimum, retentionDays.maximum], async (days) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'vestibule-limits-'));
    const age = Math.max(days, 1) * day;
    await invited();
    await t.auditSeals.seal();
    const written = table === 'audit_log' ? Date.now() : t.clock.now();
    if (table === 'sign_ins')
      await t.select(
        `insert into sign_ins (person_id, session, at, address, user_agent) values ($1, gen_random_uuid()::text, $2, '', '')`,
        [admin.id, new Date(written - 1)],
      );
    if (table === 'invitations')
      await t.select('update invitations set expires_at = $1', [new Date(written - 1)]);
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
    await t.select('update sessions set seen_at = $1', [new Date(t.clock.now())]);
  }
  await t.select('delete from sessions');
  return results;
}

const checkLink = (change: Change, name: 'PrivacyUrl' | 'ImprintUrl') =>
  each(change, ['', `https://a.example/${'p'.repeat(482)}`], async (address) =>
    expect((await configuration())[name]).toBe(address || null),
  );

const settingTests: Record<SettingName, (change: Change) => Promise<void>> = {
  keepInvitationsDays: (change) => checkRetention(change, 'invitations'),
  keepSignInsDays: (change) => checkRetention(change, 'sign_ins'),
  keepActivityDays: (change) => checkRetention(change, 'audit_log'),
  productName: (change) =>
    each(change, ['V', 'n'.repeat(productNameMaximum)], async (name) => {
      expect((await configuration()).ProductName).toBe(name);
      expect((await preview()).text).toContain(name);
    }),
  accentColor: (change) =>
    each(change, ['', '#000000', '#ffffff'], async (color) => {
      expect((await configuration()).AccentColor).toBe(color || null);
      expect((await preview()).html).toContain('<');
    }),
  supportEmail: (change) =>
    each(change, ['a@b.example', longAddress, 'help@b.dev'], async (address) => {
      expect((await configuration()).SupportEmail).toBe(address);
      expect((await mailNow(t)).replyTo?.[0]?.address).toBe(address === 'help@b.dev' ? address : undefined);
    }),
  privacyUrl: (change) => checkLink(change, 'PrivacyUrl'),
  imprintUrl: (change) => checkLink(change, 'ImprintUrl'),
  senderName: (change) =>
    each(change, ['V', 'n'.repeat(productNameMaximum)], async (name) => {
      expect((await mailNow(t)).from?.name).toBe(name);
    }),
  senderAddress: (change) =>
    each(change, ['a@b.example', longAddress], async (address) => {
      expect((await mailNow(t)).from?.address).toBe(address);
    }),
  mailLanguage: (change) =>
    each(change, MailLanguage.options, async (language) => expect((await invited()).language).toBe(language)),
  invitationLifetimeDays: (change) =>
    each(change, settingBounds.invitationLifetimeDays, async (days) => {
      expect(lifetimeDaysOf(await invited())).toBe(days);
      const named = await invited({ lifetimeDays: days });
      expect(lifetimeDaysOf(named)).toBe(days);
      expect((await batchOf(2)).body.counts.created).toBe(2);
      await t.select('update invitations set expires_at = $2 where id = $1', [
        named.id,
        new Date(t.clock.now()),
      ]);
      const { body } = await t.call(renewInvitation, {
        ...requestFor(named.id),
        body: { lifetimeDays: days },
      });
      expect(lifetimeDaysOf(body)).toBe(days);
    }),
  reminderDays: (change) =>
    each(change, settingBounds.reminderDays, async (days) => {
      await t.select(
        `update invitations set status = 'revoked', revoked_at = now() where status = 'pending'`,
      );
      const { id } = await invited({ lifetimeDays: 2 * reminderDaysMaximum });
      await markMailSent(id);
      const remindedWith = async (daysLeft: number) => {
        const now = () => t.clock.now() + (2 * reminderDaysMaximum - daysLeft) * day;
        return remindBeforeExpiry({ ...t, now });
      };
      expect(await remindedWith(days + 1)).toBe(0);
      expect(await remindedWith(Math.max(days, 1))).toBe(days === 0 ? 0 : 1);
    }),
  newLinkDays: (change) =>
    each(change, settingBounds.newLinkDays, async (days) => {
      const { id } = await invited();
      await t.select('update invitations set expires_at = $2 where id = $1', [
        id,
        new Date(t.clock.now() - Math.max(1, days * day - 1)),
      ]);
      const code = t.shortCodes.codeOf(id);
      const renewed = () => t.select('select from invitations where id = $1 and code_version = 1', [id]);
      await t.call(requestNewLink, { body: { code } });
      await expect.poll(renewed).toHaveLength(days === 0 ? 0 : 1);
    }),
  invitationsPerBatch: (change) =>
    each(change, settingBounds.invitationsPerBatch, async (maximum) => {
      expect((await batchOf(maximum, admin.email)).body.counts.skipped).toBe(maximum);
      expect((await batchOf(maximum + 1, admin.email)).status).toBe(400);
    }),
  resendsPerHour: (change) =>
    each(change, settingBounds.resendsPerHour, async (maximum) => {
      const { id } = await invited();
      for (let time = 1; time <= maximum + 1; time += 1) {
        await markMailSent(id);
        expect([time, (await t.call(resendInvitation, requestFor(id))).status]).toEqual([
          time,
          time > maximum ? 429 : 200,
        ]);
      }
    }),
  sessionIdleHours: (change) =>
    each(change, settingBounds.sessionIdleHours, async (hours) =>
      expect(await acceptsAtAges('seen_at', hours * 3_600_000)).toEqual([true, false]),
    ),
  sessionDays: (change) =>
    each(change, settingBounds.sessionDays, async (days) =>
      expect(await acceptsAtAges('created_at', days * day)).toEqual([true, false]),
    ),
  passkeyRequired: (change) =>
    each(change, PasskeyRequired.options, async (required) => {
      expect([await needsPasskey(t.settings, 'member'), await needsPasskey(t.settings, 'admin')]).toEqual([
        required === 'everybody',
        required !== 'none',
      ]);
    }),
  codeBeforePasskey: (change) =>
    each(change, [false, true], async (isCodeFirst) => {
      const code = t.shortCodes.codeOf((await invited()).id);
      expect((await t.call(getInvitationLinkState, { body: { code } })).body.codeFirst).toBe(isCodeFirst);
    }),
  signInDomains: (change) =>
    each(
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
    each(
      change,
      [[], Array.from({ length: allowedDomainsMaximum }, (_, index) => `domain-${index}.example`)],
      async (domains: string[]) => {
        expect((await inviteTo(`person@${domains.at(-1) ?? 'example.com'}`)).status).toBe(200);
        expect((await inviteTo('person@elsewhere.example')).status).toBe(domains.length === 0 ? 200 : 409);
      },
    ),
};

test.each(Object.entries(settingTests))(
  'the setting %s works at its bounds',
  async (name, tryBounds) => {
    await tryBounds(async (value) => {
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

const listen = async (port: number) => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect((server.address() as AddressInfo).port).toBeGreaterThanOrEqual(port);
  server.close();
};
const attachmentVariables = [
  'ATTACHMENT_FILE_LIMIT_MB',
  'ATTACHMENT_QUOTA_MB',
  'ATTACHMENT_SITE_QUOTA_MB',
] as const;
const attachmentsWith = (name: string) => async (megabytes: number) => {
  const largest = Object.fromEntries(attachmentVariables.map((other) => [other, '100000000']));
  const app = await createListeningApp({ environment: { ...largest, [name]: String(megabytes) } });
  try {
    const ann = await app.join('ann@example.com');
    const size = megabytes * 1024 * 1024;
    expect((await app.createUpload(ann, { name: 'a.bin', size: size + 1 })).status).toBe(413);
    expect((await app.createUpload(ann, { name: 'a.bin', size })).status).toBe(201);
    if (name !== 'ATTACHMENT_FILE_LIMIT_MB')
      expect((await app.createUpload(ann, { name: 'b.bin', size: 1 })).status).toBe(413);
  } finally {
    await app.close();
  }
};

/** The excluded variables are tested in token.test.ts of the embedded provider and in e2e/process/process.spec.ts. */
type Variable = Exclude<keyof typeof variableBounds, `IDP_${string}_SECONDS` | 'SHUTDOWN_DELAY_SECONDS'>;
const variableTests: Record<Variable, (value: number) => Promise<void>> = {
  PORT: (value) => listen(readConfig({ PORT: String(value) }).port),
  IDP_PORT: (value) => listen(readConfig({ IDP_PORT: String(value) }).embeddedProvider?.port as number),
  MAILBOX_PORT: (value) => listen(readConfig({ MAILBOX_PORT: String(value) }).mailbox?.httpPort as number),
  MAILBOX_SMTP_PORT: (value) =>
    listen(readConfig({ MAILBOX_SMTP_PORT: String(value) }).mailbox?.smtpPort as number),
  ATTACHMENT_FILE_LIMIT_MB: attachmentsWith('ATTACHMENT_FILE_LIMIT_MB'),
  ATTACHMENT_QUOTA_MB: attachmentsWith('ATTACHMENT_QUOTA_MB'),
  ATTACHMENT_SITE_QUOTA_MB: attachmentsWith('ATTACHMENT_SITE_QUOTA_MB'),
  INVITATION_LIFETIME_DAYS: async (days) => {
    const other = await createTestApp({ environment: { INVITATION_LIFETIME_DAYS: String(days) } });
    try {
      const link = await inviteFirstAdministrator({
        ...other.config,
        database: other.database,
        shortCodes: other.shortCodes,
        lifetimeDays: other.config.invitationLifetimeDays,
        now: other.clock.now,
        newId,
      });
      expect(link).toContain('/signup?i=');
      const { token } = await other.join('person@example.com', 'admin');
      const { status, body } = await other.call(invite, { token, body: { email: newAddress() } });
      expect([status, (Date.parse(body.expiresAt) - other.clock.now()) / day]).toEqual([200, days]);
    } finally {
      await other.close();
    }
  },
};

test.each(Object.entries(variableTests))('the variable %s works at its bounds', async (name, use) => {
  for (const bound of variableBounds[name as Variable]) await expect(use(bound)).resolves.toBeUndefined();
});

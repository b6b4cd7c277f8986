import { getConfiguration } from '@vestibule/contract/configuration';
import { changeSettings, getMailPreview, getSettings } from '@vestibule/contract/settings';
import { retentionDays, type SettingsChange } from '@vestibule/contract/settings/rules';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';
import { withRefusedWrites } from '../../test/database/test-faults.ts';
import { closeAfterTests } from '../../test/test-close.ts';

/** Id of the last log entry before the test. */
let lastAudited = 0;
const t = closeAfterTests(
  await createTestApp({ environment: { PRODUCT_NAME: 'Portal', INVITATION_LIFETIME_DAYS: '14' } }),
);
const ann = await t.join('ann@example.com', 'admin');
const ben = await t.join('ben@example.com', 'admin');
afterEach(async () => {
  await t.select('delete from settings');
  t.settings.invalidate();
  lastAudited = await t.scalar<number>`select max(id) from audit_log`;
});

const read = async () => (await t.callAs(ann, getSettings)).body;
const change = (body: SettingsChange, token = ann.token) => t.call(changeSettings, { token, body });
const audited = () =>
  t.select<{ action: string; actor_label: string; target_id: string; detail: object }>`
    select action, actor_label, target_id, detail from audit_log where target_type = 'settings' and id > ${lastAudited}
    order by id`;

test('an unchanged setting has the value of the environment or the built-in default (K5)', async () => {
  const settings = await read();
  expect(settings).toMatchObject({
    productName: { value: 'Portal', default: 'Portal', variable: 'PRODUCT_NAME', version: 0, changed: null },
    supportEmail: { value: 'support@example.com', variable: 'SUPPORT_EMAIL' },
    senderName: { value: 'Portal', variable: 'PRODUCT_NAME' },
    senderAddress: { value: 'no-reply@portal.example.com', variable: 'MAIL_FROM' },
    invitationLifetimeDays: { value: 14, variable: 'INVITATION_LIFETIME_DAYS' },
    mailLanguage: { value: 'en', variable: null },
    reminderDays: { value: 0, variable: null },
    invitationsPerBatch: { value: 10_000, variable: null },
    resendsPerHour: { value: 3, variable: null },
    newLinkDays: { value: 30, variable: null },
    allowedDomains: { value: [], variable: null },
    logo: { value: null, variable: null },
    publicUrl: 'https://portal.example.com',
    provider: 'contoso.b2clogin.com',
    providerIsEmbedded: false,
  });
});

test('the accent colour is stored in lower case, can be reset, and must be a colour (G1)', async () => {
  expect((await t.call(getConfiguration, {})).body.AccentColor).toBeNull();
  const { body } = await change({ accentColor: ' #0B6653 ', versions: { accentColor: 0 } });
  expect(body.accentColor).toMatchObject({ value: '#0b6653', default: '', version: 1 });
  expect((await t.call(getConfiguration, {})).body.AccentColor).toBe('#0b6653');
  for (const accentColor of ['green', '#0b665', '#0b6653;color:red', 'url(//example.com)', '#0b665g'])
    expect((await change({ accentColor, versions: { accentColor: 1 } })).status).toBe(400);
  await change({ accentColor: '', versions: { accentColor: 1 } });
  expect((await t.call(getConfiguration, {})).body.AccentColor).toBeNull();
});

test('links to pages of the operator must be complete addresses, and are in mails (K5)', async () => {
  for (const privacyUrl of [
    'example.com/privacy',
    'javascript:alert(1)',
    'https://',
    'mailto:a@example.com',
    'https://user:secret@example.com',
  ])
    expect(await change({ privacyUrl, versions: { privacyUrl: 0 } })).toMatchObject({
      status: 400,
      body: {
        fields: { privacyUrl: 'Enter the complete address of a page, such as https://example.com/privacy.' },
      },
    });
  const twoLines = { privacyUrl: 'https://example.com/\n\nYour account', versions: { privacyUrl: 0 } };
  expect((await change(twoLines)).status).toBe(400);
  await change({ imprintUrl: 'https://example.com/?a="1"&b', versions: { imprintUrl: 0 } });
  const { body } = await t.callAs(ann, getMailPreview, {
    params: { template: 'invitation' },
    query: { language: 'de', scheme: 'light' },
  });
  expect(body.text).toContain('\nImpressum: https://example.com/?a="1"&b');
  expect(body.html).toContain('<a class="muted" href="https://example.com/?a=&quot;1&quot;&amp;b"');
  expect(body.html).not.toContain('Datenschutz');
});

test('a change applies at once for all users and processes, and shows its author (K5)', async () => {
  const other = await createTestApp({ sharedWith: t });
  expect((await other.call(getConfiguration, {})).body).toMatchObject({ ProductName: 'Vestibule' });
  const { status, body } = await change({
    productName: 'Gate',
    supportEmail: 'help@example.com',
    invitationLifetimeDays: 30,
    reminderDays: 2,
    versions: { productName: 0, supportEmail: 0, invitationLifetimeDays: 0, reminderDays: 0 },
  });
  expect(status).toBe(200);
  expect(body.productName).toEqual({
    value: 'Gate',
    default: 'Portal',
    variable: 'PRODUCT_NAME',
    version: 1,
    changed: { at: new Date(t.clock.now()).toISOString(), by: 'ann@example.com', byName: 'Someone' },
  });
  expect(body.senderName).toMatchObject({ value: 'Gate', changed: null });
  expect(await read()).toEqual(body);
  expect(await t.settings.current()).toMatchObject({
    productName: 'Gate',
    senderName: 'Gate',
    invitationLifetimeDays: 30,
    reminderDays: 2,
  });
  const shown = { ProductName: 'Gate', SupportEmail: 'help@example.com' };
  expect((await t.call(getConfiguration, {})).body).toMatchObject(shown);
  t.clock.advance(1_000);
  expect((await other.call(getConfiguration, {})).body).toMatchObject(shown);
  await other.close();
});

test('a reset restores the default (K5)', async () => {
  await change({ productName: 'Gate', senderName: 'Doorman', versions: { productName: 0, senderName: 0 } });
  const { body } = await change({ productName: null, versions: { productName: 1 } });
  expect(body.productName).toMatchObject({ value: 'Portal', version: 2, changed: null });
  expect(body.senderName).toMatchObject({ value: 'Doorman', default: 'Portal' });
});

test('every change is recorded in the activity log with the values before and after (K4, K5)', async () => {
  await change({
    allowedDomains: ['Example.com', 'bücher.example'],
    resendsPerHour: 5,
    versions: { allowedDomains: 0, resendsPerHour: 0 },
  });
  await change({ resendsPerHour: null, versions: { resendsPerHour: 1 } }, ben.token);
  expect(await audited()).toEqual([
    {
      action: 'settings.changed',
      actor_label: 'ann@example.com',
      target_id: 'resendsPerHour',
      detail: { before: 3, after: 5 },
    },
    {
      action: 'settings.changed',
      actor_label: 'ann@example.com',
      target_id: 'allowedDomains',
      detail: { before: [], after: ['example.com', 'xn--bcher-kva.example'] },
    },
    {
      action: 'settings.reset',
      actor_label: 'ben@example.com',
      target_id: 'resendsPerHour',
      detail: { before: 5, after: 3 },
    },
  ]);
});

test('writing the current value keeps the version and adds no log entry', async () => {
  const wanted = { productName: 'Gate', allowedDomains: ['example.com'] };
  const { body } = await change({ ...wanted, versions: { productName: 0, allowedDomains: 0 } });
  const again = { ...wanted, allowedDomains: ['Example.com'], reminderDays: null };
  const response = await change({
    ...again,
    versions: { productName: 1, allowedDomains: 1, reminderDays: 0 },
  });
  expect(response).toMatchObject({ status: 200, body });
  expect(await audited()).toHaveLength(2);
  // A default that is set explicitly does not follow the environment.
  await change({ reminderDays: 0, versions: { reminderDays: 0 } });
  expect(await audited()).toHaveLength(3);
});

test('a change whose audit entry cannot be written is rolled back (security 50)', async () => {
  const write = () => change({ productName: 'Gate', versions: { productName: 0 } });
  expect((await withRefusedWrites(t, 'audit_log', write)).status).toBe(500);
  expect((await read()).productName).toMatchObject({ value: 'Portal', version: 0 });
});

describe('concurrent changes by two administrators', () => {
  test('report the current value to the second administrator and lose neither change (K5)', async () => {
    await t.select(`update people set display_name = 'Ben Builder' where id = '${ben.id}'`);
    await change({ productName: 'Gate', versions: { productName: 0 } }, ben.token);
    const refused = await change({
      productName: 'Door',
      supportEmail: 'help@example.com',
      versions: { productName: 0, supportEmail: 0 },
    });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'settings.changed_meanwhile',
        fields: {
          productName: 'Ben Builder has changed this in the meantime. It is now: Gate.',
        },
      },
    });
    expect(refused.body.fields).not.toHaveProperty('supportEmail');
    expect(await read()).toMatchObject({
      productName: { value: 'Gate', version: 1 },
      supportEmail: { value: 'support@example.com', version: 0 },
    });
    const again = await change({
      productName: 'Door',
      supportEmail: 'help@example.com',
      versions: { productName: 1, supportEmail: 0 },
    });
    expect(again.body).toMatchObject({
      productName: { value: 'Door' },
      supportEmail: { value: 'help@example.com' },
    });
    await t.select(`update people set display_name = 'Someone' where id = '${ben.id}'`);
  });

  test('do not conflict if they change different settings (K5)', async () => {
    await change({ productName: 'Gate', versions: { productName: 0 } }, ben.token);
    const { status, body } = await change({ reminderDays: 3, versions: { reminderDays: 0 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ productName: { value: 'Gate' }, reminderDays: { value: 3 } });
  });
});

describe('invalid input', () => {
  const long = (length: number) => 'a'.repeat(length);
  const outsideRetention = [retentionDays.minimum - 1, retentionDays.maximum + 1];
  const rows: [keyof SettingsChange, unknown[]][] = [
    ['productName', ['', '   ', long(61), 'a\nb', 'a\u2028b', 7, ['Gate'], { toString: 'Gate' }]],
    ['senderName', ['', long(61), 'Portal\r\nBcc: evil@example.com', true]],
    [
      'supportEmail',
      [
        '',
        'no-address',
        'a@b@example.com',
        'a@example.com\r\nBcc: b@example.com',
        `${long(250)}@example.com`,
        'a@-x.example',
        5,
        ['a@example.com'],
      ],
    ],
    [
      'senderAddress',
      ['Portal <a@example.com>', '"a b"@example.com', 'a@[127.0.0.1]', 'a@ex\u212Aample.com', {}],
    ],
    ['mailLanguage', ['fr', 'EN', '', 1]],
    ['invitationLifetimeDays', [0, 366, -1, 1.5, '7', Number.MAX_VALUE, [7]]],
    ['reminderDays', [-1, 31, 0.5, '3', {}]],
    ['invitationsPerBatch', [0, 10_001, 2.5, '100']],
    ['resendsPerHour', [0, 61, -3, '3', true]],
    ['newLinkDays', [-1, 366, 0.5, '30']],
    ...(['keepInvitationsDays', 'keepSignInsDays', 'keepActivityDays'] as const).map(
      (name): [keyof SettingsChange, unknown[]] => [name, [...outsideRetention, 1, -1, 30.5]],
    ),
    [
      'allowedDomains',
      [
        'example.com',
        ['localhost'],
        ['@example.com'],
        ['*.example.com'],
        ['example..com'],
        ['exa mple.com'],
        ['example.com/path'],
        ['\u212Aelvin.example'],
        [long(254) + '.com'],
        [7],
        Array.from({ length: 101 }, (_, index) => `d${index}.example`),
      ],
    ],
  ];
  test.each(rows)('is rejected with a message for the setting %s (K5)', async (name, values) => {
    for (const value of values) {
      const { status, body } = await change({ [name]: value, versions: { [name]: 0 } });
      expect({ value, status }).toEqual({ value, status: 400 });
      const [[field, sentence] = ['', '']] = Object.entries(body.fields ?? {});
      expect(field.split('.')[0]).toBe(name);
      expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
    }
    expect(await t.select('select from settings')).toEqual([]);
  });

  test('is rejected if it has an unknown setting, no version, __proto__, or is not an object', async () => {
    const send = (payload: string) =>
      t.app.inject({
        method: 'PATCH',
        url: '/api/settings',
        headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
        payload,
      });
    for (const payload of [
      '{"theme":"dark","versions":{}}',
      '{"logo":{"hash":"x"},"versions":{"logo":0}}',
      '{"productName":"Gate","versions":{}}',
      '{"productName":"Gate"}',
      '{"productName":"Gate","versions":{"productName":"0"}}',
      '{"productName":"Gate","versions":{"productName":-1}}',
      '{"__proto__":{"productName":"Gate"},"versions":{}}',
      '[]',
      'null',
      '"productName"',
    ])
      expect([payload, (await send(payload)).statusCode]).toEqual([payload, 400]);
    expect(await t.select('select from settings')).toEqual([]);
  });
});

test('domains are stored once each, in lower case and as A-labels (security 21)', async () => {
  const { body } = await change({
    allowedDomains: ['Example.COM', ' example.com', 'BÜCHER.example'.toLowerCase(), 'xn--bcher-kva.example'],
    versions: { allowedDomains: 0 },
  });
  expect(body.allowedDomains.value).toEqual(['example.com', 'xn--bcher-kva.example']);
});

test('the last known settings apply while the database is unavailable', async () => {
  let isUnavailable = false;
  const otherProcess = await createTestApp({
    sharedWith: t,
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => (isUnavailable ? Promise.reject(new Error('away')) : database.query(config)),
    }),
  });
  await change({ productName: 'Gate', versions: { productName: 0 } });
  const name = async () => (await otherProcess.call(getConfiguration, {})).body.ProductName;
  expect(await name()).toBe('Gate');
  isUnavailable = true;
  t.clock.advance(60_000);
  expect(await name()).toBe('Gate');
  isUnavailable = false;
  await change({ productName: 'Door', versions: { productName: 1 } });
  t.clock.advance(1_000);
  expect(await name()).toBe('Door');
  await otherProcess.close();
});

test.each([
  ['smtp://mail.example.com', '', 'smtp', 'starttls'],
  ['smtp://mail.example.com', 'yes', 'smtp', 'plain'],
  ['smtps://mail.example.com', '', 'smtp', 'tls'],
  ['smtp://localhost', '', 'smtp', 'local'],
  ['', '', 'development-mailbox', null],
  ['off', '', 'off', null],
] as const)(
  'SMTP_URL=%s with SMTP_ALLOW_PLAIN_TEXT="%s" is shown as %s, %s (N)',
  async (url, plain, mail, connection) => {
    const otherProcess = await createTestApp({
      sharedWith: t,
      environment: { SMTP_URL: url, SMTP_ALLOW_PLAIN_TEXT: plain, ALLOW_DEVELOPMENT_PARTS: 'yes' },
    });
    expect((await otherProcess.callAs(ann, getSettings)).body).toMatchObject({
      mail,
      mailConnection: connection,
    });
    await otherProcess.close();
  },
);

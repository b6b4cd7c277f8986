import { listSecurityWarnings, securityWarnings } from '@vestibule/contract/settings/security-warnings';
import { expect, test } from 'vitest';
import { createTestApp, testEnvironment } from '../../test/test-app.ts';
import { readConfig } from '../../platform/config/read-config.ts';
import { evaluateWarnings } from './security-warnings.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const real = { SUPPORT_EMAIL: 'help@contoso.com', MAIL_FROM: 'door@contoso.com' };
const t = closeAfterTests(await createTestApp({ environment: real }));
const ann = await t.join('ann@example.com', 'admin');

test('a separate application role causes no warning', async () => {
  expect((await t.callAs(ann, listSecurityWarnings)).body).toEqual({ weaknesses: [] });
});

test('a role that owns the activity log causes a warning, since it can disable the protection of the log', async () => {
  const { databaseUrl: _, ...sharedWith } = t;
  const alone = await createTestApp({
    environment: real,
    sharedWith: { ...sharedWith, databaseUrl: t.ownerUrl },
  });
  const { body } = await alone.callAs(ann, listSecurityWarnings);
  expect(body).toEqual({ weaknesses: [{ ...securityWarnings.logOwner, values: {} }] });
  expect(securityWarnings.logOwner.message).toContain('DATABASE_OWNER_URL');
  await alone.database.query({ text: 'alter table audit_log disable trigger user' });
  await alone.database.query({ text: 'alter table audit_log enable trigger user' });
  await expect(t.database.query({ text: 'alter table audit_log disable trigger user' })).rejects.toThrow(
    /owner/,
  );
  await alone.close();
});

const fine = { owns_log: false, is_local: true, is_encrypted: false };
const addresses = { supportEmail: real.SUPPORT_EMAIL, senderAddress: real.MAIL_FROM };
const s3 = (endpoint: string) => ({ ATTACHMENT_STORAGE: `s3://bucket?endpoint=${endpoint}` });

test.each([
  ['a database on another machine without encryption', 'plainDatabase', { ...fine, is_local: false }, {}, {}],
  ['trust in every IPv4 address', 'anyProxy', fine, { TRUST_PROXY: '10.0.0.1, 0.0.0.0/0' }, {}],
  ['trust in every IPv6 address', 'anyProxy', fine, { TRUST_PROXY: '::/0' }, {}],
  [
    'mail in plain text',
    'plainMail',
    fine,
    { SMTP_URL: 'smtp://mail.test', SMTP_ALLOW_PLAIN_TEXT: 'yes' },
    {},
  ],
  ['a scanner on another machine', 'plainScanner', fine, { CLAMD_URL: 'tcp://clamd.test:3310' }, {}],
  ['a storage by http', 'plainStorage', fine, s3('http://s3.test'), {}],
  ['an example support address', 'exampleAddress', fine, {}, { supportEmail: 'support@example.com' }],
  ['an example sender', 'exampleAddress', fine, {}, { senderAddress: 'a@mail.example.com' }],
  ['a sender in a reserved domain', 'exampleAddress', fine, {}, { senderAddress: 'door@portal.test' }],
  ['a SECRET that is being replaced', 'previousSecret', fine, { SECRET_PREVIOUS: 'x'.repeat(32) }, {}],
  ['a demonstration', 'demonstration', fine, { SMTP_URL: '', ALLOW_DEVELOPMENT_PARTS: 'yes' }, {}],
] as const)('%s causes a warning', (_what, name, database, environment, settings) => {
  const config = readConfig({ ...testEnvironment, ...environment });
  expect(evaluateWarnings(database, config, { ...addresses, ...settings })).toEqual([securityWarnings[name]]);
});

test.each([
  ['a database on another machine with encryption', { ...fine, is_local: false, is_encrypted: true }, {}],
  [
    'mail, scanner and storage on this machine',
    fine,
    { SMTP_URL: 'smtp://localhost', CLAMD_URL: 'tcp://127.0.0.1:3310', ...s3('http://[::1]:9000') },
  ],
  ['a storage by https', fine, s3('https://s3.test')],
] as const)('%s causes no warning', (_what, database, environment) => {
  expect(evaluateWarnings(database, readConfig({ ...testEnvironment, ...environment }), addresses)).toEqual(
    [],
  );
});

test('reserved example addresses cause no warning on a site that is only reachable locally', () => {
  const settings = { supportEmail: 'support@example.com', senderAddress: 'no-reply@example.com' };
  expect(evaluateWarnings(fine, readConfig({}), settings)).toEqual([]);
});

/** Values with the additional characters that env files, editors and container platforms add. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '../../test/test-app.ts';
import { readConfig } from './read-config.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-values-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('surrounding spaces, line ends of Windows and byte order marks are removed', () => {
  const file = path.join(directory, 'client');
  writeFileSync(file, '\uFEFFhidden \r\n');
  expect(
    readConfig({
      PORT: '8080\r',
      HOST: ' 127.0.0.1 ',
      DATA_DIR: '/var/lib/vestibule\r\n',
      SMTP_URL: '\uFEFFsmtps://u:p@mail.example.com\r',
      OIDC_PROVIDERS: 'acme\r',
      OIDC_ACME_ISSUER: 'https://login.example.com\r',
      OIDC_ACME_CLIENT_ID: ' portal\r',
      OIDC_ACME_CLIENT_SECRET_FILE: `${file}\r`,
    }),
  ).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    dataDirectory: '/var/lib/vestibule',
    smtpUrl: 'smtps://u:p@mail.example.com',
    oidc: [
      {
        issuer: 'https://login.example.com',
        clientId: 'portal',
        authentication: { secret: 'hidden' },
      },
    ],
  });
});

test('each character of a secret is kept, because stored data depend on it', () => {
  for (const secret of [`${'x'.repeat(32)}\r`, `"${'x'.repeat(32)}"`])
    expect(readConfig({ SECRET: secret }).secret).toBe(secret);
});

test.each([
  ['DATA_DIR', '"/data"'],
  ['PRODUCT_NAME', "'Portal'"],
  ['SMTP_URL', '"smtps://u:p@mail.example.com"'],
  ['PORT', '"3000"\r'],
])('%s=%s is refused because of the quotation marks', (variable, value) => {
  expect(() => readConfig({ [variable]: value })).toThrow(
    `  ${variable}: should not be in quotation marks, which are part of the value here`,
  );
});

test('TENANT_NAME may be the domain that the portal of Azure shows', () => {
  const domain = { ...testEnvironment, TENANT_NAME: 'contoso.onmicrosoft.com' };
  expect(readConfig(domain).provider?.tenantName).toBe('contoso');
});

/** Valid and invalid configurations, and the completeness of their documentation (statement O4). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { testEnvironment } from '../../test/test-app.ts';
import { childEnvironment, readConfig, variableNames } from './read-config.ts';
import { StartUpError } from './start-up-error.ts';

function complaint(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof StartUpError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

afterEach(() => vi.unstubAllEnvs());

test("programs that the server starts inherit its environment without Vestibule's variables", () => {
  vi.stubEnv('SECRET', 'x'.repeat(32));
  vi.stubEnv('SOMETHING_ELSE', 'yes');
  expect(readConfig().secret).toBe('x'.repeat(32));
  expect(childEnvironment()).toMatchObject({ SOMETHING_ELSE: 'yes' });
  expect(Object.keys(childEnvironment())).not.toContain('SECRET');
});

test('all parts are embedded if no variable is set', () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    dataDirectory: path.resolve('.data'),
    archiveDirectory: path.resolve('.data/archive'),
    databaseUrl: null,
    databaseOwnerUrl: null,
    databaseReadUrl: null,
    secret: null,
    previousSecret: null,
    trustProxy: false,
    logLevel: 'info',
    metricsToken: null,
    traces: null,
    shutdownDelayMs: 0,
    isPublic: false,
    isDemonstration: false,
    developmentPartsHost: '127.0.0.1',
    provider: {
      authBaseUrl: 'https://vestibule.b2clogin.com',
      tenantName: 'vestibule',
      clientId: '3d2f5f0e-6c1b-4a53-9a40-51f0a7d3c8e1',
      audience: '3d2f5f0e-6c1b-4a53-9a40-51f0a7d3c8e1',
      apiScopes: ['https://vestibule.onmicrosoft.com/api/access'],
      signInPolicy: 'B2C_1A_SignIn',
      signUpPolicy: 'B2C_1A_SignUp_Invitation',
      resetPasswordPolicy: 'B2C_1A_PasswordReset',
      invitationClaim: 'invitationId',
      url: 'http://localhost:3001',
    },
    oidc: [],
    passkeys: null,
    embeddedProvider: { port: 3001, tenantId: expect.any(String), lifetimes: {} },
    smtpUrl: null,
    smtpAllowsPlainText: false,
    mailbox: { smtpPort: 2525, httpPort: 3002 },
    mailFrom: 'no-reply@example.com',
    adminEmail: 'admin@example.com',
    supportEmail: 'support@example.com',
    productName: 'Vestibule',
    dnsServers: [],
    invitationLifetimeDays: 7,
    webhooksToPrivateAddresses: false,
    providersOnPrivateAddresses: false,
    gridLicenseKey: null,
    attachments: {
      storage: null,
      limits: { fileBytes: 5 * 1024 ** 3, personBytes: 20 * 1024 ** 3, siteBytes: 200 * 1024 ** 3 },
      clamdUrl: null,
    },
  });
});

const good: [string, string, object][] = [
  ['PORT', '8080', { port: 8080, publicUrl: 'http://localhost:8080' }],
  ['PORT', '8080', { embeddedProvider: { port: 8081 }, mailbox: { httpPort: 8082 } }],
  ['PORT', '65535', { embeddedProvider: { port: 65_534 }, mailbox: { httpPort: 65_533 } }],
  ['PORT', '0', { port: 0 }],
  ['HOST', '::1', { host: '::1', isPublic: false }],
  ['PUBLIC_URL', 'https://localhost:8443/', { publicUrl: 'https://localhost:8443', isPublic: false }],
  ['DATA_DIR', '/var/lib/vestibule', { dataDirectory: '/var/lib/vestibule' }],
  ['DATABASE_URL', 'postgres://u:p@h/d', { databaseUrl: 'postgres://u:p@h/d' }],
  ['SECRET', 'x'.repeat(32), { secret: 'x'.repeat(32) }],
  ['SECRET_PREVIOUS', 'x'.repeat(32), { previousSecret: 'x'.repeat(32) }],
  ['TRUST_PROXY', '10.0.0.0/8, ::1', { trustProxy: ['10.0.0.0/8', '::1'] }],
  ['SHUTDOWN_DELAY_SECONDS', '7', { shutdownDelayMs: 7_000 }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['METRICS_TOKEN', 'abcdefgh-1234567', { metricsToken: 'abcdefgh-1234567' }],
  ['SMTP_ALLOW_PLAIN_TEXT', 'yes', { smtpAllowsPlainText: true }],
  ['API_AUDIENCE', 'api', { provider: { audience: 'api' } }],
  ['INVITATION_CLAIM', 'extension_invitationId', { provider: { invitationClaim: 'extension_invitationId' } }],
  ['IDP_PORT', '3005', { embeddedProvider: { port: 3005 } }],
  ['IDP_ACCESS_TOKEN_SECONDS', '5', { embeddedProvider: { lifetimes: { accessTokenSeconds: 5 } } }],
  ['IDP_REFRESH_TOKEN_SECONDS', '6', { embeddedProvider: { lifetimes: { refreshTokenSeconds: 6 } } }],
  ['IDP_SESSION_SECONDS', '7', { embeddedProvider: { lifetimes: { sessionSeconds: 7 } } }],
  ['SMTP_URL', 'off', { smtpUrl: null, mailbox: null }],
  ['SMTP_URL', 'smtps://u:p@mail.example.com', { smtpUrl: 'smtps://u:p@mail.example.com', mailbox: null }],
  ['MAIL_FROM', 'door@example.com', { mailFrom: 'door@example.com' }],
  ['MAILBOX_SMTP_PORT', '2526', { mailbox: { smtpPort: 2526 } }],
  ['MAILBOX_DIRECTORY', '.data/mailbox', { mailbox: { directory: '.data/mailbox' } }],
  ['ADMIN_EMAIL', 'boss@example.com', { adminEmail: 'boss@example.com' }],
  ['SUPPORT_EMAIL', 'help@example.com', { supportEmail: 'help@example.com' }],
  ['DNS_SERVERS', '::1, 192.0.2.2:53', { dnsServers: ['::1', '192.0.2.2:53'] }],
  ['PRODUCT_NAME', ' Portal ', { productName: 'Portal' }],
  ['INVITATION_LIFETIME_DAYS', '30', { invitationLifetimeDays: 30 }],
  ['WEBHOOKS_TO_PRIVATE_ADDRESSES', 'yes', { webhooksToPrivateAddresses: true }],
  ['PROVIDERS_ON_PRIVATE_ADDRESSES', 'yes', { providersOnPrivateAddresses: true }],
  ['GRID_LICENSE_KEY', 'key', { gridLicenseKey: 'key' }],
];
test.each(good)('%s=%s is accepted', (variable, value, outcome) => {
  expect(readConfig({ [variable]: value })).toMatchObject(outcome);
  expect(readConfig({ [variable]: ' ' })).toEqual(readConfig({}));
});

const bad: [string, string][] = [
  ['PORT', '70000'],
  ['PORT', '3000.5'],
  ['PORT', '0x10'],
  ['PORT', '-1'],
  ['PUBLIC_URL', 'my.site.example'],
  ['PUBLIC_URL', 'https://portal.example.com/app'],
  ['PUBLIC_URL', 'ftp://portal.example.com'],
  ['PUBLIC_URL', 'http://portal.example.com'],
  ['METRICS_TOKEN', 'short'],
  ['METRICS_TOKEN', 'with a space in it, and long'],
  ['ALLOW_DEVELOPMENT_PARTS', 'true'],
  ['SMTP_ALLOW_PLAIN_TEXT', 'maybe'],
  ['AUTH_BASE_URL', 'http://contoso.b2clogin.com'],
  ['DATABASE_URL', 'mysql://u:p@h/d'],
  ['DATABASE_OWNER_URL', 'mysql://u:p@h/d'],
  ['DATABASE_READ_URL', 'mysql://u:p@h/d'],
  ['DATABASE_URL', 'host=localhost'],
  ['SECRET', 'too short'],
  ['SECRET_PREVIOUS', 'too short'],
  ['DNS_SERVERS', 'dns.example.com'],
  ['TRUST_PROXY', '10.0.0.0/99'],
  ['TRUST_PROXY', '10.0.0/8'],
  ['TRUST_PROXY', '::1/129'],
  ['SHUTDOWN_DELAY_SECONDS', '121'],
  ['LOG_LEVEL', 'loud'],
  ['AUTH_BASE_URL', 'https://contoso.b2clogin.com/contoso'],
  ['TENANT_NAME', 'con toso'],
  ['CLIENT_ID', '{id}'],
  ['API_AUDIENCE', 'a b'],
  ['API_SCOPES', ','],
  ['SIGN_IN_POLICY', 'a/b'],
  ['SIGN_UP_POLICY', 'a/b'],
  ['RESET_PASSWORD_POLICY', 'a/b'],
  ['INVITATION_CLAIM', 'a b'],
  ['IDP_PORT', 'x'],
  ['IDP_ACCESS_TOKEN_SECONDS', '0'],
  ['IDP_REFRESH_TOKEN_SECONDS', '1h'],
  ['IDP_SESSION_SECONDS', '-5'],
  ['SMTP_URL', 'mail.example.com:587'],
  ['MAIL_FROM', 'Portal <a@example.com>'],
  ['MAILBOX_SMTP_PORT', '99999'],
  ['MAILBOX_PORT', 'x'],
  ['ADMIN_EMAIL', 'a@ｅxample.com'],
  ['SUPPORT_EMAIL', 'support'],
  ['PRODUCT_NAME', 'x'.repeat(61)],
  ['PRODUCT_NAME', 'Portal\r\nBcc: x@example.com'],
  ['INVITATION_LIFETIME_DAYS', '366'],
  ['ATTACHMENT_STORAGE', 's3://bucket/folder'],
  ['GRID_LICENSE_KEY', 'x'.repeat(2001)],
];

describe('invalid variables', () => {
  test.each(bad)('the error for %s=%s describes valid values only', (variable, value) => {
    const line = complaint({ [variable]: value })
      .split('\n')
      .find((one) => one.startsWith(`  ${variable}: should be `));
    expect(line).toBeDefined();
    expect(line).not.toMatch(/invalid|expected|regex|zod/i);
    expect(line).not.toContain(`'${value}'`);
    expect(line?.includes(value) && value.length > 5).toBe(false);
  });
});

test('one error names all invalid variables', () => {
  const message = complaint(Object.fromEntries(bad));
  for (const [variable] of bad) expect(message).toContain(`  ${variable}: should be`);
});

describe('a real provider', () => {
  test('replaces the embedded one', () => {
    expect(readConfig(testEnvironment)).toMatchObject({
      embeddedProvider: null,
      provider: { tenantName: 'contoso', audience: testEnvironment.CLIENT_ID },
    });
  });

  const { PUBLIC_URL: _, SMTP_URL: __, ADMIN_EMAIL: ___, ...providerVariables } = testEnvironment;
  test.each(Object.keys(providerVariables))('requires %s', (variable) => {
    const message = complaint({ ...testEnvironment, [variable]: undefined });
    expect(message).toContain(`  ${variable}: is missing`);
    expect(message.split('\n')).toHaveLength(2);
  });
});

describe('secrets in files', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-secrets-'));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return path.join(directory, name);
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  test('set their variables, without the line break that editors add', () => {
    const secret = 'a secret of many characters, with blanks ';
    expect(
      readConfig({
        SECRET_FILE: file('secret', `${secret}\n`),
        DATABASE_URL_FILE: file('database', 'postgres://u:p@h/d\r\n'),
        OIDC_PROVIDERS: 'acme',
        OIDC_ACME_ISSUER: 'https://login.example.com',
        OIDC_ACME_CLIENT_ID: 'portal',
        OIDC_ACME_CLIENT_SECRET_FILE: file('client', 'hidden\n'),
      }),
    ).toMatchObject({
      secret,
      databaseUrl: 'postgres://u:p@h/d',
      oidc: [{ authentication: { secret: 'hidden' } }],
    });
  });

  test.each([
    ['does not exist', () => path.join(directory, 'nothing')],
    ['is a directory', () => directory],
    ['is empty', () => file('empty', '\n')],
    ['is larger than 64 KB', () => file('large', 'x'.repeat(65 * 1024))],
  ])('the error for a file that %s names the variable', (_what, make) => {
    expect(complaint({ SECRET_FILE: make() })).toContain(
      '  SECRET_FILE: should be a file that this user can read',
    );
  });

  test('the content of a file is validated like the variable, and setting both is refused', () => {
    expect(complaint({ SECRET_FILE: file('short', 'short') })).toContain('  SECRET: should be');
    expect(complaint({ SECRET: 'x'.repeat(40), SECRET_FILE: file('other', 'y'.repeat(40)) })).toContain(
      '  SECRET_FILE: set either it or SECRET',
    );
  });
});

test('the shutdown delay is 5 seconds by default on a public address, and 0 elsewhere', () => {
  expect(readConfig({}).shutdownDelayMs).toBe(0);
  expect(readConfig(testEnvironment).shutdownDelayMs).toBe(5_000);
  expect(readConfig({ ...testEnvironment, SHUTDOWN_DELAY_SECONDS: '0' }).shutdownDelayMs).toBe(0);
});

describe('addresses that other machines can reach (O7, L5; security 15, 68)', () => {
  const { PUBLIC_URL, SMTP_URL, ADMIN_EMAIL, ...provider } = testEnvironment;
  const addresses = [
    { PUBLIC_URL },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.5' },
    { DEVELOPMENT_PARTS_HOST: '0.0.0.0' },
  ];
  const named = (env: Record<string, string>) =>
    complaint(env)
      .split('\n')
      .slice(1)
      .map((line) => /^ {2}(\w+): is missing; /.exec(line)?.[1]);

  test.each(addresses)('%j requires real services and starts no development parts', (address) => {
    expect(named({ ...address, SIGN_IN_WITH: 'b2c' })).toEqual(['AUTH_BASE_URL', 'SMTP_URL', 'ADMIN_EMAIL']);
    expect(named({ ...address, ...provider })).toEqual(['SMTP_URL', 'ADMIN_EMAIL']);
    expect(named({ ...address, SIGN_IN_WITH: 'b2c', SMTP_URL, ADMIN_EMAIL })).toEqual(['AUTH_BASE_URL']);
    expect(named({ ...address, ...provider, SMTP_URL: 'off' })).toEqual(['ADMIN_EMAIL']);
    expect(readConfig({ ...address, ...provider, SMTP_URL, ADMIN_EMAIL })).toMatchObject({
      isPublic: true,
      isDemonstration: false,
      embeddedProvider: null,
      mailbox: null,
    });
  });

  test('the error names the variables to set, and ALLOW_DEVELOPMENT_PARTS for a demonstration', () => {
    const lines = complaint({ PUBLIC_URL, SIGN_IN_WITH: 'b2c' }).split('\n');
    expect(lines[1]).toContain('Set AUTH_BASE_URL, TENANT_NAME, CLIENT_ID');
    expect(lines[2]).toContain('Set it to your mail server, or to off');
    for (const line of lines.slice(1, 3)) expect(line).toContain('ALLOW_DEVELOPMENT_PARTS=yes');
  });

  test.each(addresses)('%j with ALLOW_DEVELOPMENT_PARTS=yes starts the demonstration mode', (address) => {
    expect(readConfig({ ...address, ALLOW_DEVELOPMENT_PARTS: 'yes' })).toMatchObject({
      isPublic: true,
      isDemonstration: true,
    });
    const whole = { ...address, ...provider, SMTP_URL, ADMIN_EMAIL, ALLOW_DEVELOPMENT_PARTS: 'yes' };
    expect(readConfig(whole).isDemonstration).toBe(false);
  });

  test('a server with a loopback HOST requires no variables and never runs in demonstration mode', () => {
    for (const HOST of ['127.0.0.1', '::1', 'localhost'])
      expect(readConfig({ HOST, ALLOW_DEVELOPMENT_PARTS: 'yes' })).toMatchObject({
        isPublic: false,
        isDemonstration: false,
      });
  });

  test('development parts listen on 127.0.0.1 unless DEVELOPMENT_PARTS_HOST is set', () => {
    const shown = { HOST: '0.0.0.0', ALLOW_DEVELOPMENT_PARTS: 'yes' };
    expect(readConfig(shown).developmentPartsHost).toBe('127.0.0.1');
    expect(readConfig({ ...shown, DEVELOPMENT_PARTS_HOST: '::' }).developmentPartsHost).toBe('::');
  });

  test('an AUTH_BASE_URL without encryption is accepted for localhost', () => {
    const local = { ...testEnvironment, AUTH_BASE_URL: 'http://localhost:3001' };
    expect(readConfig(local).provider?.authBaseUrl).toBe('http://localhost:3001');
  });
});

describe('without a provider', () => {
  const { PUBLIC_URL, SMTP_URL, ADMIN_EMAIL } = testEnvironment;

  test('a public site with a mail server uses passkeys and codes', () => {
    expect(readConfig({ PUBLIC_URL, SMTP_URL, ADMIN_EMAIL })).toMatchObject({
      isDemonstration: false,
      provider: null,
      embeddedProvider: null,
      oidc: [],
      passkeys: { rpId: 'portal.example.com', allowsOtherHosts: false },
    });
  });

  test.each([{}, { SMTP_URL: 'off' }])('a public site without a mail server is refused: %j', (mail) => {
    const problems = complaint({ PUBLIC_URL, ADMIN_EMAIL, ...mail });
    expect(problems).toMatch(
      /SIGN_IN_WITH: nothing says how people sign in\. Set SMTP_URL .*, or set a provider \(OIDC_PROVIDERS/,
    );
  });

  test('a local site uses the embedded provider unless SIGN_IN_WITH is passkeys', () => {
    expect(readConfig({}).passkeys).toBeNull();
    expect(readConfig({ SMTP_URL }).passkeys).toBeNull();
    expect(readConfig({ SIGN_IN_WITH: 'passkeys', PORT: '3005' })).toMatchObject({
      passkeys: { rpId: 'localhost' },
      provider: null,
      embeddedProvider: null,
      publicUrl: 'http://localhost:3005',
    });
  });

  test('passkeys can be combined with a provider, and are then enabled only when SIGN_IN_WITH names them', () => {
    expect(readConfig({ ...testEnvironment, SIGN_IN_WITH: 'passkeys,b2c' })).toMatchObject({
      passkeys: { rpId: 'portal.example.com' },
      provider: { tenantName: 'contoso' },
    });
    expect(readConfig(testEnvironment).passkeys).toBeNull();
    expect(readConfig({ ...testEnvironment, ALLOW_DEVELOPMENT_PARTS: 'yes' }).passkeys).toBeNull();
  });

  test.each([
    [{ SMTP_URL: 'off' }, /SMTP_URL: should be your mail server/],
    [
      { PUBLIC_URL: 'http://127.0.0.1:3000' },
      /PUBLIC_URL: should have a host name, such as http:\/\/localhost:3000/,
    ],
    [{ PUBLIC_URL: 'http://[::1]:3000' }, /PUBLIC_URL: should have a host name/],
    [{ PASSKEYS_OF_OTHER_HOST: 'yes' }, /PASSKEYS_OF_OTHER_HOST: should be keep/],
  ])('the error names a variable that conflicts with passkeys: %j', (env, problems) => {
    expect(complaint({ SIGN_IN_WITH: 'passkeys', ...env })).toMatch(problems);
  });

  test('an OpenID Provider cannot have the id passkeys', () => {
    expect(complaint({ OIDC_PROVIDERS: 'passkeys' })).toContain('OIDC_PROVIDERS');
  });
});

describe('docs/configuration.md', () => {
  const rows = readFileSync(path.join(import.meta.dirname, '../../../../../docs/configuration.md'), 'utf8')
    .split('\n')
    .map((line) => /^\| `([A-Z_]+|OIDC_<ID>_[A-Z_]+)` +\| (?:`([^`]+)` +\|)?/.exec(line))
    .filter((row) => row !== null);

  test('lists exactly the variables that are read', () => {
    expect(new Set(rows.map((row) => row[1]))).toEqual(new Set(variableNames));
  });

  test('names the actual defaults', () => {
    const named = rows.filter(
      ([, variable, value]) => value !== undefined && variable !== 'API_AUDIENCE' && !variable?.includes('<'),
    );
    const env = Object.fromEntries(named.map(([, variable, value]) => [variable, value]));
    expect([named.length > 10, readConfig(env)]).toEqual([true, readConfig({})]);
  });
});

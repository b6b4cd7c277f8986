/** Valid and invalid configurations of OpenID Providers (statements M1, M2, O4). */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from './read-config.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));
const fileOf = (name: string, { privateKey }: { privateKey: KeyObject }) => {
  const file = path.join(directory, `${name}.pem`);
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return file;
};
const keyFile = fileOf('key', generateKeyPairSync('ec', { namedCurve: 'P-256' }));

const acme = {
  OIDC_PROVIDERS: 'acme',
  OIDC_ACME_ISSUER: 'https://login.acme.example',
  OIDC_ACME_CLIENT_ID: 'vestibule',
  OIDC_ACME_CLIENT_SECRET: 'secret',
};

test('a configured provider is the only sign-in method, and B2C is not started', () => {
  const { oidc, provider, embeddedProvider } = readConfig(acme);
  expect(oidc).toEqual([
    {
      id: 'acme',
      name: 'Acme',
      issuer: 'https://login.acme.example',
      clientId: 'vestibule',
      authentication: { method: 'any', secret: 'secret' },
      scopes: 'openid email profile',
      email: 'ask-unverified',
      parameters: {},
    },
  ]);
  expect([provider, embeddedProvider]).toEqual([null, null]);
});

test('a policy of Azure AD B2C whose metadata has its issuer is accepted', () => {
  const issuer = 'https://contoso.b2clogin.com/tfp/9c5d1a52/b2c_1_signin/v2.0/';
  expect(readConfig({ ...acme, OIDC_ACME_ISSUER: issuer }).oidc).toMatchObject([{ issuer }]);
});

test('several providers with all options are read in their order', () => {
  const { oidc } = readConfig({
    ...acme,
    OIDC_PROVIDERS: 'google, acme',
    OIDC_ACME_NAME: 'Acme staff',
    OIDC_ACME_SCOPES: 'openid email offline_access',
    OIDC_ACME_AUTH_METHOD: 'client_secret_post',
    OIDC_ACME_EMAIL: 'ask',
    OIDC_ACME_PARAMETERS: 'hd=acme.example&prompt=consent',
    OIDC_GOOGLE_ISSUER: 'https://accounts.google.com',
    OIDC_GOOGLE_CLIENT_ID: 'google-client',
    OIDC_GOOGLE_PRIVATE_KEY_FILE: keyFile,
    OIDC_GOOGLE_PRIVATE_KEY_ID: '2026-11',
    OIDC_GOOGLE_PARAMETERS: 'response_mode=form_post',
  });
  expect(oidc.map(({ id }) => id)).toEqual(['google', 'acme']);
  expect(oidc[0]?.authentication).toMatchObject({ method: 'private_key_jwt', keyId: '2026-11' });
  expect(oidc[1]).toMatchObject({
    name: 'Acme staff',
    scopes: 'openid email offline_access',
    email: 'ask',
    authentication: { method: 'client_secret_post' },
    parameters: { hd: 'acme.example', prompt: 'consent' },
  });
});

test.each([
  ['with a mail server', { SMTP_URL: 'smtp://mail.example.com' }, 'ask-unverified'],
  ['with the development mailbox', {}, 'ask-unverified'],
  ['without mails', { SMTP_URL: 'off' }, 'verified'],
  ['configured as verified', { OIDC_ACME_EMAIL: 'verified' }, 'verified'],
  ['configured as ask, without mails', { OIDC_ACME_EMAIL: 'ask', SMTP_URL: 'off' }, 'ask'],
])('%s (%j), the rule for unverified email addresses is %s', (_title, env, email) => {
  expect(readConfig({ ...acme, ...env }).oidc[0]?.email).toBe(email);
});

test.each([
  ['nothing', {}, ['b2c'], 0],
  ['a provider', acme, [], 1],
  ['both by name', { ...acme, SIGN_IN_WITH: 'b2c,oidc' }, ['b2c'], 1],
  ['b2c alone by name', { ...acme, SIGN_IN_WITH: 'b2c' }, ['b2c'], 0],
])('the variables select the sign-in methods: %s', (_what, env, b2c, count) => {
  const config = readConfig(env);
  expect([config.provider === null ? [] : ['b2c'], config.oidc.length]).toEqual([b2c, count]);
});

test.each<[Record<string, string>, string]>([
  [{ OIDC_PROVIDERS: 'Acme' }, 'OIDC_PROVIDERS: should be short names in lower-case letters'],
  [{ OIDC_PROVIDERS: 'acme,acme' }, 'OIDC_PROVIDERS: should be different names'],
  [{ OIDC_PROVIDERS: 'b2c' }, 'OIDC_PROVIDERS: should be short names'],
  [{ OIDC_ACME_ISSUER: '' }, 'OIDC_ACME_ISSUER: should be the issuer of the provider'],
  [
    { OIDC_ACME_ISSUER: 'http://login.acme.example' },
    'OIDC_ACME_ISSUER: should be the issuer of the provider, an address on https',
  ],
  [{ OIDC_ACME_ISSUER: 'https://login.acme.example/?a=1' }, 'OIDC_ACME_ISSUER: should be the issuer'],
  [
    { OIDC_ACME_ISSUER: 'https://login.acme.example/.well-known/openid-configuration' },
    'OIDC_ACME_ISSUER: should be the issuer only',
  ],
  [
    { OIDC_ACME_ISSUER: 'https://Contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin/v2.0' },
    'Azure AD B2C is configured by AUTH_BASE_URL, TENANT_NAME, ',
  ],
  [
    { OIDC_ACME_ISSUER: 'https://login.microsoftonline.com/common/v2.0' },
    "OIDC_ACME_ISSUER: should be your own tenant's issuer",
  ],
  [
    { OIDC_ACME_ISSUER: 'https://login.microsoftonline.com:443/Common/v2.0' },
    "OIDC_ACME_ISSUER: should be your own tenant's issuer",
  ],
  [
    { OIDC_ACME_ISSUER: 'https://login.microsoftonline.com//organizations/v2.0' },
    "OIDC_ACME_ISSUER: should be your own tenant's issuer",
  ],
  [
    {
      OIDC_PROVIDERS: 'acme,twin',
      OIDC_TWIN_ISSUER: 'https://login.acme.example/',
      OIDC_TWIN_CLIENT_ID: 'another',
      OIDC_TWIN_CLIENT_SECRET: 'secret',
    },
    'OIDC_TWIN_ISSUER: should differ from OIDC_ACME_ISSUER',
  ],
  [{ OIDC_ACME_PRIVATE_KEY_ID: 'k1' }, 'OIDC_ACME_PRIVATE_KEY_ID: should be left out'],
  [{ OIDC_ACME_CLIENT_ID: '' }, 'OIDC_ACME_CLIENT_ID: should be the client ID'],
  [{ OIDC_ACME_CLIENT_SECRET: '' }, 'OIDC_ACME_CLIENT_SECRET: set either it or OIDC_ACME_PRIVATE_KEY_FILE'],
  [{ OIDC_ACME_PRIVATE_KEY_FILE: keyFile }, 'OIDC_ACME_CLIENT_SECRET: set either it or'],
  [
    { OIDC_ACME_CLIENT_SECRET: '', OIDC_ACME_PRIVATE_KEY_FILE: '/nowhere' },
    'OIDC_ACME_PRIVATE_KEY_FILE: should be a file',
  ],
  [{ OIDC_ACME_AUTH_METHOD: 'private_key_jwt' }, 'OIDC_ACME_PRIVATE_KEY_FILE: is missing'],
  [{ OIDC_ACME_AUTH_METHOD: 'none' }, 'OIDC_ACME_AUTH_METHOD: should be client_secret_basic'],
  [{ OIDC_ACME_SCOPES: 'email' }, 'OIDC_ACME_SCOPES: should be scopes separated by spaces, including openid'],
  [{ OIDC_ACME_EMAIL: 'yes' }, 'OIDC_ACME_EMAIL: should be verified, ask-unverified or ask'],
  [
    { OIDC_ACME_PARAMETERS: 'redirect_uri=https://evil.example' },
    'OIDC_ACME_PARAMETERS: should be parameters',
  ],
  [
    { OIDC_ACME_PARAMETERS: 'hd=acme.example&request_uri=https://evil.example' },
    'OIDC_ACME_PARAMETERS: should be parameters',
  ],
  [{ OIDC_ACME_PARAMETERS: 'prompt=login none' }, 'OIDC_ACME_PARAMETERS: should be parameters'],
  [{ OIDC_ACME_PARAMETERS: 'response_mode=fragment' }, 'OIDC_ACME_PARAMETERS: should be parameters'],
  [{ OIDC_ACME_PARAMETERS: 'client_secret=hush' }, 'OIDC_ACME_PARAMETERS: should be parameters'],
  [{ OIDC_ACME_ISUER: 'https://a.example' }, 'OIDC_ACME_ISUER: belongs to no provider'],
  [{ OIDC_OTHER_ISSUER: 'https://a.example' }, 'OIDC_OTHER_ISSUER: belongs to no provider'],
  [{ SIGN_IN_WITH: 'saml' }, 'SIGN_IN_WITH: should be b2c, oidc'],
])('the start with %j fails with the error "%s"', (more, line) => {
  expect(() => readConfig({ ...acme, ...more })).toThrow(line);
});

test('one error names all invalid variables and repeats no secret', () => {
  const read = () =>
    readConfig({
      ...acme,
      OIDC_ACME_ISSUER: 'x',
      OIDC_ACME_EMAIL: 'y',
      OIDC_ACME_PARAMETERS: 'state=1',
      OIDC_ACME_CLIENT_SECRET: 'hush',
      OIDC_ACME_AUTH_METHOD: 'private_key_jwt',
    });
  expect(read).toThrow(
    /OIDC_ACME_ISSUER[\s\S]*OIDC_ACME_EMAIL[\s\S]*OIDC_ACME_PARAMETERS[\s\S]*OIDC_ACME_PRIVATE_KEY_FILE/,
  );
  expect(read).not.toThrow(/hush/);
});

test('the error names every unknown variable together with other invalid ones', () => {
  expect(() =>
    readConfig({ ...acme, OIDC_ACME_EMAIL: 'y', OIDC_ACME_ISUER: 'a', OIDC_OTHER_NAME: 'b' }),
  ).toThrow(/OIDC_ACME_ISUER[\s\S]*OIDC_OTHER_NAME[\s\S]*OIDC_ACME_EMAIL/);
});

test.each([
  ['of P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['of Ed25519', generateKeyPairSync('ed25519')],
  ['of RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
  ['of RSA with 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 })],
])('a private key %s is refused with an error that names the supported keys', (what, pair) => {
  const file = fileOf(what, pair);
  expect(() =>
    readConfig({ ...acme, OIDC_ACME_CLIENT_SECRET: '', OIDC_ACME_PRIVATE_KEY_FILE: file }),
  ).toThrow(/OIDC_ACME_PRIVATE_KEY_FILE: .*RSA with at least 2048 bits, or P-256/);
});

test('SIGN_IN_WITH=oidc is refused without a provider', () => {
  expect(() => readConfig({ SIGN_IN_WITH: 'oidc' })).toThrow('OIDC_PROVIDERS: is missing');
});

test('a public site needs no B2C when another provider is configured', () => {
  const config = readConfig({
    ...acme,
    PUBLIC_URL: 'https://portal.example.com',
    SMTP_URL: 'off',
    ADMIN_EMAIL: 'a@b.example',
  });
  expect([config.isPublic, config.isDemonstration]).toEqual([true, false]);
});

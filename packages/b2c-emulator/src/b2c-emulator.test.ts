import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startB2cEmulator } from './b2c-emulator.ts';
import { testCertificate } from './test/test-certificate.ts';
import {
  anna,
  authorizeRequest,
  clientId,
  openTestTenant,
  redeemCode,
  refresh,
  signInWithTokens,
  startHintIssuer,
  testConfig,
  type TestTenant,
} from './test/test-tenant.ts';

const deps = { sendMail: async () => {} };
const metadataPath = '/vestibule.onmicrosoft.com/b2c_1a_signin/v2.0/.well-known/openid-configuration';

describe('starting', () => {
  test('uses the free port in all URLs', async () => {
    const emulator = await startB2cEmulator({ ...testConfig, people: [], port: 0 }, deps);
    expect(emulator.url).toMatch(/^http:\/\/localhost:\d{4,5}$/);
    const metadata = (await (await fetch(emulator.url + metadataPath)).json()) as Record<string, string>;
    expect(metadata['token_endpoint']).toMatch(new RegExp(`^${emulator.url}/`));
    await emulator.close();
    await expect(fetch(emulator.url + metadataPath)).rejects.toThrow('fetch failed');
  });

  test('serves https with a key and a certificate', async () => {
    const emulator = await startB2cEmulator(
      { ...testConfig, people: [], port: 0, tls: testCertificate },
      deps,
    );
    expect(emulator.url).toMatch(/^https:\/\/localhost:/);
    const status = await new Promise((resolve, reject) => {
      const options = { ca: testCertificate.cert };
      httpsRequest(emulator.url + metadataPath, options, (response) => resolve(response.statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await emulator.close();
  });

  test('rejects a public address (L5, security 15)', async () => {
    await expect(startB2cEmulator({ ...testConfig, host: '0.0.0.0' }, deps)).rejects.toThrow(
      /can be reached from other machines/,
    );
  });
});

const keyIdOf = (token: string | undefined) => decodeProtectedHeader(token ?? '').kid;

describe('a restart with a database file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('keeps accounts, sessions, refresh tokens, redeemed hints and the signing key', async () => {
    const databaseFile = join(directory, 'idp.json');
    const issuer = await startHintIssuer(Date.now);
    const settings = { databaseFile, people: [anna], hintIssuer: issuer.config };

    const before = await openTestTenant(settings);
    before.clock.now = Date.now();
    const browser = before.browser();
    const { tokens } = await signInWithTokens(before, browser);
    const signUp = authorizeRequest('b2c_1a_signup', { id_token_hint: await issuer.sign() });
    const visitor = before.browser();
    const strong = { newPassword: 'Violet-Glass-7', reenterPassword: 'Violet-Glass-7' };
    await visitor.submit(await visitor.get(signUp.url), 'continue', strong);
    const openPage = await before.browser().get(authorizeRequest('b2c_1a_signin').url);
    await before.close();

    const after = await openTestTenant(settings);
    after.clock.now = Date.now();
    const refreshed = await refresh(after, 'b2c_1a_signin', tokens.refresh_token!);
    expect(refreshed.status).toBe(200);
    expect(keyIdOf(refreshed.body.id_token)).toBe(keyIdOf(tokens.id_token));

    const again = after.browser();
    again.cookies.push(...browser.cookies);
    const silent = await again.get(authorizeRequest('b2c_1a_signin', { prompt: 'none' }).url);
    expect(silent.response.has('code')).toBe(true);
    const refused = await after.browser().get(signUp.url);
    expect(refused.response.get('error_description')).toMatch(/^AADB2C90210: /);
    const stale = await after.browser().get(openPage.url);
    expect(stale.html).toContain('This page is out of date');

    await after.close();
    await issuer.close();
  });

  test('writes a data file that only its owner can read, also in place of a readable one (security 15)', async () => {
    const databaseFile = join(directory, 'idp.json');
    writeFileSync(databaseFile, '{}', { mode: 0o644 });
    const tenant = await openTestTenant({ databaseFile, people: [anna] });
    expect(readdirSync(directory)).toEqual(['idp.json']);
    expect(statSync(databaseFile).mode & 0o777).toBe(0o600);
    await tenant.close();
  });

  test('reads the accounts of the SQLite file of version 1.0.0', async () => {
    const settings = { databaseFile: join(directory, 'idp.json'), people: [anna] };
    const first = await openTestTenant(settings);
    const account = first.tenant.accounts.findByEmail(anna.email)!;
    await first.close();
    rmSync(settings.databaseFile);
    const database = new DatabaseSync(join(directory, 'idp.sqlite'));
    database.exec(
      `create table accounts (id text primary key, email text, email_key text, display_name text,
         password_hash text, invitation_id text, hint_id text, created_at integer)`,
    );
    database
      .prepare('insert into accounts values (?, ?, ?, ?, ?, ?, ?, 0)')
      .run(account.id, anna.email, account.emailKey, 'Anna', account.passwordHash, 'invitation-1', null);
    database.close();

    const second = await openTestTenant(settings);
    const { tokens } = await signInWithTokens(second, second.browser());
    expect(decodeJwt(tokens.id_token!)).toMatchObject({ sub: account.id, invitationId: 'invitation-1' });
    await second.close();
  });

  test.each(['SQLite format 3', '{ "tenant": "contoso", "clients": [] }'])(
    'rejects a data file with other contents and does not change it: %s',
    async (text) => {
      const databaseFile = join(directory, 'emulator.json');
      writeFileSync(databaseFile, text);
      await expect(openTestTenant({ databaseFile, people: [anna] })).rejects.toThrow(
        'is not a data file of this version',
      );
      expect(readFileSync(databaseFile, 'utf8')).toBe(text);
    },
  );
});

describe('every page', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await openTestTenant({ people: [anna] });
  });
  afterAll(() => tenant.close());

  const pages: [string, () => string][] = [
    ['sign-in', () => authorizeRequest('b2c_1a_signin').url],
    ['reset', () => authorizeRequest('b2c_1a_passwordreset').url],
    ['sign-up without an invitation', () => authorizeRequest('b2c_1a_signup').url],
    ['a refused request', () => authorizeRequest('b2c_1a_signin', { client_id: 'x' }).url],
    ['signed out', () => '/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/logout'],
    ['not found', () => '/'],
    ['an unknown policy', () => authorizeRequest('b2c_1a_other').url],
    ['an unknown tenant', () => authorizeRequest('b2c_1a_signin').url.replace('vestibule.', 'contoso.')],
    ['out of date', () => '/vestibule.onmicrosoft.com/b2c_1a_signin/interaction/x'],
  ];
  test.each(pages)(
    'has a development notice, runs no script and cannot be framed: %s (L5)',
    async (_, url) => {
      const page = await tenant.browser().get(url());
      expect(page.html).toContain('Development sign-in. Not for production.');
      expect(page.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      const csp = String(page.headers['content-security-policy']);
      for (const part of [
        "default-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ]) {
        expect(csp).toContain(part);
      }
      expect(csp).not.toContain('unsafe');
      expect(csp).not.toContain('script-src');
      expect(page.html).not.toContain('<script');
    },
  );

  test('allows its form to submit to the emulator and the application only', async () => {
    const page = await tenant.browser().get(authorizeRequest('b2c_1a_signin').url);
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:3000;");
  });

  test("shows the application's name and logo if set, and allows that image only (G1)", async () => {
    const branded = await openTestTenant({
      people: [anna],
      brand: () => Promise.resolve({ name: 'Gate & Co', logo: 'https://app.example.com/api/logo?v=1' }),
    });
    const page = await branded.browser().get(authorizeRequest('b2c_1a_signin').url);
    expect(page.html).toContain('<img src="https://app.example.com/api/logo?v=1" alt="" />');
    expect(page.html).toContain('<span>Gate &amp; Co</span>');
    expect(page.html).toMatch(/<title>.* · Gate &amp; Co<\/title>/);
    expect(page.html).not.toContain('vestibule</');
    expect(page.headers['content-security-policy']).toContain('img-src data: https://app.example.com;');
    await branded.close();
  });
});

test.each([
  ['http://localhost:3001', 'HttpOnly; SameSite=Lax'],
  // Hidden frames of other sites receive only these.
  ['https://login.example', 'HttpOnly; Secure; SameSite=None'],
])(
  'cookies of %s have the attributes %s, and those of transactions are limited to their page',
  async (publicUrl, attributes) => {
    const tenant = await openTestTenant({ people: [anna], publicUrl });
    const base = '/vestibule.onmicrosoft.com/b2c_1a_signin';
    const { pathname, search } = new URL(authorizeRequest('b2c_1a_signin').url);
    const start = await tenant.app.inject(pathname + search);
    expect(String(start.headers['set-cookie'])).toMatch(
      new RegExp(`; Path=${base}/interaction/[0-9a-f-]{36}; ${attributes}$`),
    );
    const logout = await tenant.app.inject(`${base}/oauth2/v2.0/logout`);
    expect(String(logout.headers['set-cookie'])).toContain(attributes);
    await tenant.close();
  },
);

test('the log contains no code, token, hint, cookie or password', async () => {
  const issuer = await startHintIssuer(Date.now);
  const tenant = await openTestTenant({ people: [anna], hintIssuer: issuer.config });
  tenant.clock.now = Date.now();
  const secrets: string[] = [anna.password, 'Violet-Glass-7'];

  const browser = tenant.browser();
  const { back, verifier, tokens } = await signInWithTokens(tenant, browser);
  await redeemCode(tenant, 'b2c_1a_signin', back, verifier);
  secrets.push(back.response.get('code')!, verifier, tokens.refresh_token!, tokens.id_token!);
  await refresh(tenant, 'b2c_1a_signup', tokens.refresh_token!);

  const hints = [await issuer.sign(), await issuer.sign({ exp: 1 }), await issuer.sign({ aud: 'x' })];
  for (const [index, hint] of hints.entries()) {
    issuer.setDown(index === 0);
    const visitor = tenant.browser();
    await visitor.get(authorizeRequest('b2c_1a_signup', { id_token_hint: hint }).url);
    await visitor.get(authorizeRequest('b2c_1a_signup', { id_token_hint: hint, client_id: 'x' }).url);
    secrets.push(hint);
  }
  await tenant.app.inject({
    method: 'POST',
    url: `/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/token?code=${secrets[2]}`,
    payload: { client_id: clientId, code: secrets[2] },
  });
  secrets.push(...browser.cookies.map(({ value }) => value));

  const log = tenant.logLines.join('\n');
  expect(log).toContain('AADB2C90129, correlation id ');
  expect(log).toContain('AADB2C90208, correlation id ');
  for (const secret of secrets) expect(log).not.toContain(secret);
  await tenant.close();
  await issuer.close();
});

test('a failed mail is logged and the response is unchanged', async () => {
  const tenant = await openTestTenant({
    people: [anna],
    sendMail: () => Promise.reject(new Error('no mail server')),
  });
  const browser = tenant.browser();
  const page = await browser.get(authorizeRequest('b2c_1a_passwordreset').url);
  const next = await browser.submit(page, 'sendCode', { email: anna.email });
  expect(next.has('verificationCode')).toBe(true);
  await tenant.close();
  expect(tenant.logLines).toEqual(['a mail could not be sent: no mail server']);
});

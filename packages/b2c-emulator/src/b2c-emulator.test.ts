import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
} from './test/test-tenant.ts';
import type { TestTenant } from './test/test-tenant.ts';

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
  test('keeps accounts, sessions, refresh tokens, redeemed hints and the signing key', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
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
    expect(silent.answer.has('code')).toBe(true);
    const refused = await after.browser().get(signUp.url);
    expect(refused.answer.get('error_description')).toMatch(/^AADB2C90210: /);
    const stale = await after.browser().get(openPage.url);
    expect(stale.html).toContain('This page is out of date');

    await after.close();
    await issuer.close();
    rmSync(directory, { recursive: true });
  });

  test('writes a data file that only its owner can read, also in place of a readable one (security 15)', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
    const databaseFile = join(directory, 'idp.json');
    writeFileSync(databaseFile, '{}', { mode: 0o644 });
    const tenant = await openTestTenant({ databaseFile, people: [anna] });
    expect(readdirSync(directory)).toEqual(['idp.json']);
    expect(statSync(databaseFile).mode & 0o777).toBe(0o600);
    await tenant.close();
    rmSync(directory, { recursive: true });
  });

  test('reads the accounts of the SQLite file of version 1.0.0', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
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
    rmSync(directory, { recursive: true });
  });

  test('rejects a data file that is no JSON', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'b2c-emulator-'));
    const databaseFile = join(directory, 'emulator.db');
    writeFileSync(databaseFile, 'SQLite format 3');
    await expect(openTestTenant({ databaseFile })).rejects.toThrow('is not a data file of this version');
    rmSync(directory, { recursive: true });
  });
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

  test('links to an existing stylesheet', async () => {
    const response = await tenant.app.inject('/b2c-emulator.css');
    expect(response.headers['content-type']).toBe('text/css; charset=utf-8');
    expect(response.payload).toContain('color-scheme: light dark');
  });

  test("uses the application's accent colour if set (G1)", async () => {
    const requested: [string, string[]][] = [];
    const branded = await openTestTenant({
      people: [anna],
      accent: (kind, surfaces) => {
        requested.push([kind, surfaces]);
        const accent = kind === 'light' ? '#aa0000' : '#ffaaaa';
        return Promise.resolve({ accent, hover: accent, text: '#ffffff', soft: '#ffeeee' });
      },
    });
    const { payload } = await branded.app.inject('/b2c-emulator.css');
    expect(payload).toContain('--accent: light-dark(#aa0000, #ffaaaa);');
    expect(requested.map(([kind]) => kind)).toEqual(['light', 'dark']);
    // The colour must be readable on the surfaces of the stylesheet.
    for (const colour of requested.flatMap(([, surfaces]) => surfaces)) expect(payload).toContain(colour);
    await branded.close();
  });
});

/** Returns the Set-Cookie headers of an authorize request and a logout. */
async function cookiesOf(publicUrl: string): Promise<string[]> {
  const tenant = await openTestTenant({ people: [anna], publicUrl });
  const start = await tenant.app.inject(
    new URL(authorizeRequest('b2c_1a_signin').url).href.replace('http://localhost:3001', ''),
  );
  const browser = tenant.browser();
  const page = await browser.get(start.headers.location!);
  expect(page.status).toBe(400);
  const lines = [String(start.headers['set-cookie'])];
  const logout = await tenant.app.inject('/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/logout');
  lines.push(String(logout.headers['set-cookie']));
  await tenant.close();
  return lines;
}

describe('a Set-Cookie header', () => {
  test('is HttpOnly and SameSite=Lax on http', async () => {
    for (const line of await cookiesOf('http://localhost:3001')) {
      expect(line).toContain('HttpOnly; SameSite=Lax');
      expect(line).not.toContain('Secure');
    }
  });

  test('is Secure and SameSite=None on https, so that hidden frames receive it', async () => {
    for (const line of await cookiesOf('https://login.example')) {
      expect(line).toContain('HttpOnly; Secure; SameSite=None');
    }
  });

  test('is limited to its page for transactions', async () => {
    const [line] = await cookiesOf('http://localhost:3001');
    expect(line).toMatch(/Path=\/vestibule\.onmicrosoft\.com\/b2c_1a_signin\/interaction\/[0-9a-f-]{36};/);
  });
});

describe('malformed requests', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await openTestTenant({ people: [] });
  });
  afterAll(() => tenant.close());

  const base = '/vestibule.onmicrosoft.com/b2c_1a_signin';
  const addresses = [
    `${base}/oauth2/v2.0/authorize`,
    `${base}/oauth2/v2.0/token`,
    `${base}/oauth2/v2.0/logout`,
    `${base}/interaction/x`,
    `${base}/discovery/v2.0/keys`,
    '/%00/%ff/oauth2/v2.0/authorize',
    `/${'x'.repeat(3000)}/y/oauth2/v2.0/authorize`,
    '/__proto__/constructor/oauth2/v2.0/authorize',
    '//evil.example/oauth2/v2.0/authorize',
  ];
  const queries = [
    '',
    '?%',
    '?client_id=%ff%fe',
    `?client_id=${'x'.repeat(10_000)}`,
    '?__proto__=1&client_id=__proto__',
  ];
  const bodies: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['application/x-www-form-urlencoded', '%%%&&==&a[b]=c&\u0000'],
    ['application/x-www-form-urlencoded', 'x'.repeat(100_000)],
    ['application/json', '{"grant_type":'],
    ['text/plain', 'x'],
    ['multipart/form-data', '--'],
    ['nonsense', 'x'],
  ];
  test.each(addresses)('never return a 5xx status at %s', async (address) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT', 'HEAD', 'DELETE'] as const) {
      for (const query of queries) {
        for (const [type, payload] of method === 'POST' ? bodies : bodies.slice(0, 1)) {
          const response = await tenant.app.inject({
            method,
            url: address + query,
            headers: { ...(type && { 'content-type': type }), cookie: 'b2c-emulator-session=%%; =;;' },
            ...(payload !== undefined && { payload }),
          });
          expect(`${method} ${query.slice(0, 20)} ${type} ${response.statusCode}`).toMatch(/ [2-4]\d\d$/);
        }
      }
    }
  });
});

test('the log contains no code, token, hint, cookie or password', async () => {
  const issuer = await startHintIssuer(Date.now);
  const tenant = await openTestTenant({ people: [anna], hintIssuer: issuer.config });
  tenant.clock.now = Date.now();
  const secrets: string[] = [anna.password, 'Violet-Glass-7'];

  const browser = tenant.browser();
  const { back, verifier, tokens } = await signInWithTokens(tenant, browser);
  await redeemCode(tenant, 'b2c_1a_signin', back, verifier);
  secrets.push(back.answer.get('code')!, verifier, tokens.refresh_token!, tokens.id_token!);
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

test('an account with additional properties in the configuration can sign in', async () => {
  const tenant = await openTestTenant({ people: [Object.assign({ note: 'the owner' }, anna)] });
  const { tokens } = await signInWithTokens(tenant, tenant.browser());
  expect(tokens.id_token).toBeDefined();
  await tenant.close();
});

test('a failed mail is logged and the response is unchanged', async () => {
  const lines: string[] = [];
  const emulator = await startB2cEmulator(
    { ...testConfig, people: [anna], port: 0 },
    {
      sendMail: () => Promise.reject(new Error('no mail server')),
      log: (line) => void lines.push(line),
    },
  );
  const start = await fetch(
    authorizeRequest('b2c_1a_passwordreset').url.replace('http://localhost:3001', emulator.url),
    { redirect: 'manual' },
  );
  const cookie = start.headers.get('set-cookie')!.split(';')[0]!;
  const page = start.headers.get('location')!;
  const html = await (await fetch(page, { headers: { cookie } })).text();
  const token = /name="csrf_token"\s+value="([^"]+)"/.exec(html)![1]!;
  const body = new URLSearchParams({
    csrf_token: token,
    step: 'reset-email',
    action: 'send-code',
    email: anna.email,
  });
  const next = await fetch(page, { method: 'POST', headers: { cookie }, body });
  expect(await next.text()).toContain('id="verificationCode"');
  await emulator.close();
  expect(lines).toEqual(['a mail could not be sent: no mail server']);
});

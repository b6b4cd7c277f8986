import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  anna,
  authorizeRequest,
  ben,
  openTestTenant,
  redeemCode,
  signInWithTokens,
  type TestTenant,
} from '../test/test-tenant.ts';

const policy = 'b2c_1a_signin';
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await openTestTenant();
});
afterEach(() => tenant.close());

async function openSignIn(parameters: Record<string, string> = {}, browser = tenant.browser()) {
  const { url, verifier } = authorizeRequest(policy, parameters);
  return { browser, verifier, page: await browser.get(url) };
}

describe('the sign-in page (L3)', () => {
  test("has B2C's element ids and labels", async () => {
    const { page } = await openSignIn();
    for (const id of ['email', 'password', 'next', 'forgotPassword']) expect(page.has(id)).toBe(true);
    for (const text of ['Email Address', 'Password', 'Sign in', 'Forgot your password?']) {
      expect(page.html).toContain(text);
    }
  });

  test.each([
    ['B2C_1_SISOPolicy', 'sign-in', 'logonIdentifier', 'email'],
    ['B2C_1A_signin', 'sign-in', 'email', 'logonIdentifier'],
    ['anything', 'sign-in', 'email', 'logonIdentifier'],
    ['B2C_1A_signin', { kind: 'sign-in', signInField: 'signInName' }, 'signInName', 'email'],
    ['B2C_1_signin', { kind: 'sign-in', signInField: 'email' }, 'email', 'logonIdentifier'],
  ] as const)(
    'has at the policy %s (%j) a field #%s with a label #%s',
    async (name, config, field, label) => {
      const named = await openTestTenant({ policies: { [name]: config } });
      const browser = named.browser();
      const page = await browser.get(authorizeRequest(name).url);
      expect(page.html).toMatch(new RegExp(`<label for="${field}" id="${label}">`));
      expect(page.value(field)).toBe('');
      expect(page.value(label)).toBeUndefined();
      expect(page.has('localAccountForm')).toBe(true);
      const again = await browser.submit(page, 'next', { email: 'unknown', password: 'x' });
      expect(again.html).toContain(`aria-describedby="${field}-problem"`);
      expect(again.html).toContain(`id="${field}-problem"`);
      expect((await browser.submit(page, 'next', anna)).status).not.toBe(400);
      await named.close();
    },
  );

  test('is prefilled from login_hint', async () => {
    const { page } = await openSignIn({ login_hint: 'ben@example.com', domain_hint: 'example.com' });
    expect(page.value('email')).toBe('ben@example.com');
    expect(page.html).toMatch(/id="password"[^>]*autofocus/);
  });

  test('ignores the case of the address and returns state and nonce', async () => {
    const { browser, page, verifier } = await openSignIn();
    const back = await browser.submit(page, 'next', { email: ' ANNA@example.COM ', password: anna.password });
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/#state=state-1&code=/);
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.id_token!)['nonce']).toBe('nonce-1');
  });

  test('returns AADB2C90118 for a forgotten password (C3)', async () => {
    const { browser, page } = await openSignIn();
    const back = await browser.submit(page, 'forgotPassword');
    expect(back.response.get('error')).toBe('access_denied');
    expect(back.response.get('error_description')).toMatch(
      /^AADB2C90118: The user has forgotten their password\.\r\n/,
    );
  });

  test('returns the same response for an unknown address and a wrong password', async () => {
    const { browser, page } = await openSignIn();
    const wrong = await browser.submit(page, 'next', { email: anna.email, password: 'wrong' });
    const unknown = await browser.submit(page, 'next', { email: 'none@example.com', password: 'wrong' });
    expect(wrong.status).toBe(400);
    expect(wrong.value('email')).toBe(anna.email);
    expect(wrong.alerts).toEqual(['The email address or password is incorrect. Check both and try again.']);
    expect(unknown.html.replace('none@example.com', anna.email)).toBe(wrong.html);
  });

  test.each([
    [{ email: '', password: 'x' }, 'Enter your email address.'],
    [{ email: 'unknown', password: 'x' }, 'Enter an email address such as name@example.com.'],
    [{ email: anna.email, password: '' }, 'Enter your password.'],
    [
      { email: `${'a'.repeat(60_000)}@b.example`, password: 'x' },
      'Enter an email address such as name@example.com.',
    ],
  ])('shows a field error for %j', async (values, text) => {
    const { browser, page } = await openSignIn();
    const again = await browser.submit(page, 'next', values);
    expect(again.status).toBe(400);
    expect(again.alerts).toEqual([text]);
  });
});

describe('lock-out (L4)', () => {
  test.each([anna.email, 'none@example.com'])(
    'locks %s after ten failed attempts, also for the correct password',
    async (email) => {
      const { browser, page } = await openSignIn();
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await browser.submit(page, 'next', { email, password: 'wrong' })).status).toBe(400);
      }
      const locked = await browser.submit(page, 'next', {
        email: email.toUpperCase(),
        password: anna.password,
      });
      expect(locked.status).toBe(429);
      expect(locked.alerts).toEqual([
        'AADB2C90114: Your account is temporarily locked to prevent unauthorized use. Try again later.',
      ]);
      const other = await openSignIn();
      const back = await other.browser.submit(other.page, 'next', {
        email: ben.email,
        password: ben.password,
      });
      expect(back.response.has('code')).toBe(true);
    },
  );

  test('expires, and a successful sign-in resets the count', async () => {
    const { browser, page } = await openSignIn();
    const wrong = () => browser.submit(page, 'next', { email: anna.email, password: 'wrong' });
    for (let attempt = 0; attempt < 11; attempt += 1) await wrong();
    tenant.passSeconds(301);
    for (let attempt = 0; attempt < 9; attempt += 1) await wrong();
    const back = await browser.submit(page, 'next', { email: anna.email, password: anna.password });
    expect(back.response.has('code')).toBe(true);
    const next = await openSignIn({ prompt: 'login' }, browser);
    const again = await browser.submit(next.page, 'next', { email: anna.email, password: 'wrong' });
    expect(again.status).toBe(400);
  });
});

describe('account selection (C2)', () => {
  test("lists this browser's accounts and signs in the chosen one", async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser, anna);
    await signInWithTokens(tenant, browser, ben);
    await signInWithTokens(tenant, tenant.browser(), anna);
    const { page, verifier } = await openSignIn({ prompt: 'select_account' }, browser);
    expect(page.html).toContain('Pick an account');
    const ids = [...page.html.matchAll(/name="account"\s+value="([^"]+)"\s+data-email="([^"]+)"/g)];
    expect(new Set(ids.map((match) => match[2]))).toEqual(new Set([anna.email, ben.email]));
    const annas = ids.find((match) => match[2] === anna.email)![1]!;
    const back = await browser.submit(page, 'otherAccount', { action: '', account: annas });
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.id_token!).sub).toBe(annas);
  });

  test('offers another account', async () => {
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser, anna);
    const { page, verifier } = await openSignIn({ prompt: 'select_account' }, browser);
    const signIn = await browser.submit(page, 'otherAccount');
    expect(signIn.has('password')).toBe(true);
    const back = await browser.submit(signIn, 'next', { email: ben.email, password: ben.password });
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.id_token!)['emails']).toEqual([ben.email]);
  });

  test('rejects an account that is not signed in in this browser', async () => {
    const stranger = await signInWithTokens(tenant, tenant.browser(), ben);
    const browser = tenant.browser();
    await signInWithTokens(tenant, browser, anna);
    const { page } = await openSignIn({ prompt: 'select_account' }, browser);
    const account = decodeJwt(stranger.tokens.id_token!).sub!;
    const next = await browser.submit(page, 'otherAccount', { action: '', account });
    expect(next.has('password')).toBe(true);
  });
});

describe('interaction pages', () => {
  test('show a finished page on Back after signing in, and issue no second code', async () => {
    const { browser, page, verifier } = await openSignIn();
    const back = await browser.submit(page, 'next', anna);
    await redeemCode(tenant, policy, back, verifier);
    const again = await browser.get(page.url);
    expect(again.html).toContain('This step is finished');
    expect(again.html).toContain('href="http://localhost:3000/"');
    const posted = await browser.submit(page, 'next', anna);
    expect(posted.html).toContain('This step is finished');
  });

  test('ignore a form with a missing or foreign CSRF token', async () => {
    const { browser, page } = await openSignIn();
    const other = await openSignIn({}, browser);
    const foreign = /name="csrf_token"\s+value="([^"]+)"/.exec(other.page.html)![1]!;
    for (const token of ['', 'x', foreign]) {
      const stale = await browser.submit(page, 'next', { ...anna, csrf_token: token });
      expect(stale.status).toBe(400);
      expect(stale.html).toContain('This page is out of date');
      expect(stale.html).toContain('href="http://localhost:3000/"');
    }
    expect((await browser.submit(page, 'next', anna)).response.has('code')).toBe(true);
  });

  test('are expired for another browser, another policy or after their lifetime', async () => {
    const { browser, page } = await openSignIn();
    expect((await tenant.browser().get(page.url)).html).toContain('AADB2C90046');
    expect((await tenant.browser().submit(page, 'next', anna)).status).toBe(400);
    browser.cookies.push({ ...browser.cookies[0]!, path: '/' });
    expect((await browser.get(page.url.replace('signin', 'passwordreset'))).status).toBe(400);
    tenant.passSeconds(3_601);
    const stale = await browser.submit(page, 'next', anna);
    expect(stale.html).toContain('This page is out of date');
  });

  test('replace the session cookie at sign-in', async () => {
    const browser = tenant.browser();
    const session = () => browser.cookies.find(({ name }) => name === 'b2c-emulator-session')?.value;
    await signInWithTokens(tenant, browser, anna);
    const before = session();
    await signInWithTokens(tenant, browser, ben);
    expect(session()).not.toBe(before);
    const thief = tenant.browser();
    thief.cookies.push({ name: 'b2c-emulator-session', value: before!, path: '/' });
    const back = await thief.get(authorizeRequest(policy, { prompt: 'none' }).url);
    expect(back.response.get('error')).toBe('interaction_required');
  });
});

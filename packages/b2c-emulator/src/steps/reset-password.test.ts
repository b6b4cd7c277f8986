import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  anna,
  authorizeRequest,
  openTestTenant,
  redeemCode,
  refresh,
  signInWithTokens,
  type TestTenant,
} from '../test/test-tenant.ts';

const policy = 'b2c_1a_passwordreset';
const newPasswords = { newPassword: 'Quiet-Harbour-9', reenterPassword: 'Quiet-Harbour-9' };

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await openTestTenant({ people: [anna] });
});
afterEach(() => tenant.close());

async function openReset(email: string, browser = tenant.browser()) {
  const { url, verifier } = authorizeRequest(policy);
  const first = await browser.get(url);
  return { browser, verifier, page: await browser.submit(first, 'sendCode', { email }) };
}

const mailedCode = () => /\b\d{6}\b/.exec(tenant.mails.at(-1)?.text ?? '')?.[0] ?? '';
const otherCode = () => String((Number(mailedCode()) + 1) % 1_000_000).padStart(6, '0');

describe('resetting a password (L2, security 48)', () => {
  test('accepts a mailed code, sets the new password and signs in', async () => {
    const { browser, verifier, page } = await openReset('anna@EXAMPLE.com');
    expect(tenant.mails).toHaveLength(1);
    expect(tenant.mails[0]).toMatchObject({ to: anna.email, subject: 'Your verification code' });
    for (const id of ['email', 'verificationCode', 'verifyCode', 'sendCode', 'cancel']) {
      expect(page.has(id)).toBe(true);
    }
    const choose = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    for (const id of ['newPassword', 'reenterPassword', 'continue', 'cancel'])
      expect(choose.has(id)).toBe(true);
    const back = await browser.submit(choose, 'continue', newPasswords);
    const { body } = await redeemCode(tenant, policy, back, verifier);
    expect(decodeJwt(body.id_token!)).toMatchObject({ tfp: 'B2C_1A_PasswordReset', emails: [anna.email] });

    const old = authorizeRequest('b2c_1a_signin');
    const signIn = tenant.browser();
    const signInPage = await signIn.get(old.url);
    expect((await signIn.submit(signInPage, 'next', anna)).status).toBe(400);
    const again = await signIn.submit(signInPage, 'next', {
      email: anna.email,
      password: newPasswords.newPassword,
    });
    expect(again.response.has('code')).toBe(true);
  });

  test('revokes every session, refresh token and unused code of the account', async () => {
    const elsewhere = tenant.browser();
    const { tokens } = await signInWithTokens(tenant, elsewhere, anna);
    const unused = authorizeRequest('b2c_1a_signin');
    const unusedCode = await elsewhere.get(unused.url);

    const { browser, page } = await openReset(anna.email);
    const choose = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    await browser.submit(choose, 'continue', newPasswords);

    const refused = await refresh(tenant, 'b2c_1a_signin', tokens.refresh_token!);
    expect(refused.body.error).toBe('invalid_grant');
    const code = await redeemCode(tenant, 'b2c_1a_signin', unusedCode, unused.verifier);
    expect(code.body.error_description).toMatch(/^AADB2C90129: /);
    const silent = await elsewhere.get(authorizeRequest('b2c_1a_signin', { prompt: 'none' }).url);
    expect(silent.response.get('error')).toBe('interaction_required');
    const here = await browser.get(authorizeRequest('b2c_1a_signin', { prompt: 'none' }).url);
    expect(here.response.has('code')).toBe(true);
  });

  test('unlocks a locked account', async () => {
    const { url } = authorizeRequest('b2c_1a_signin');
    const signIn = tenant.browser();
    const signInPage = await signIn.get(url);
    for (let attempt = 0; attempt < 11; attempt += 1) {
      await signIn.submit(signInPage, 'next', { email: anna.email, password: 'wrong' });
    }
    const { browser, page } = await openReset(anna.email);
    const choose = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    await browser.submit(choose, 'continue', newPasswords);
    const back = await signIn.submit(signInPage, 'next', {
      email: anna.email,
      password: newPasswords.newPassword,
    });
    expect(back.response.has('code')).toBe(true);
  });

  test('shows a weak or differing password as a field error', async () => {
    const { browser, page } = await openReset(anna.email);
    const choose = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    const weak = await browser.submit(choose, 'continue', { newPassword: 'short', reenterPassword: 'short' });
    expect(weak.html).toContain('id="newPassword-problem"');
    const differs = await browser.submit(weak, 'continue', { ...newPasswords, reenterPassword: 'else' });
    expect(differs.html).toContain('id="reenterPassword-problem"');
  });
});

describe('a reset code', () => {
  test('works once; a new reset needs a new code', async () => {
    const { browser, page } = await openReset(anna.email);
    const code = mailedCode();
    const choose = await browser.submit(page, 'verifyCode', { verificationCode: code });
    const twice = await browser.submit(page, 'verifyCode', { verificationCode: code });
    expect(twice.has('newPassword')).toBe(true);
    await browser.submit(choose, 'continue', newPasswords);
    const next = await openReset(anna.email);
    const refused = await next.browser.submit(next.page, 'verifyCode', { verificationCode: code });
    expect(refused.status).toBe(400);
  });

  test('expires after ten minutes', async () => {
    const { browser, page } = await openReset(anna.email);
    tenant.passSeconds(600);
    const late = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    expect(late.status).toBe(400);
  });

  test('can be tried five times, then returns AADB2C90157 (L4)', async () => {
    const { browser, page } = await openReset(anna.email);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const wrong = await browser.submit(page, 'verifyCode', { verificationCode: otherCode() });
      expect(wrong.alerts).toEqual([
        'That code is incorrect or no longer works. Check it, or send a new one.',
      ]);
    }
    const back = await browser.submit(page, 'verifyCode', { verificationCode: otherCode() });
    expect(back.response.get('error')).toBe('access_denied');
    expect(back.response.get('error_description')).toMatch(/^AADB2C90157: /);
    const after = await browser.submit(page, 'verifyCode', { verificationCode: mailedCode() });
    expect(after.response.get('error_description')).toMatch(/^AADB2C90157: /);
  });

  test('is replaced by a new one on request', async () => {
    const { browser, page } = await openReset(anna.email);
    const first = mailedCode();
    const again = await browser.submit(page, 'sendCode');
    expect(again.html).toContain('a new code has been sent');
    expect(tenant.mails).toHaveLength(2);
    expect((await browser.submit(again, 'verifyCode', { verificationCode: first })).status).toBe(400);
    const choose = await browser.submit(again, 'verifyCode', { verificationCode: mailedCode() });
    expect(choose.has('newPassword')).toBe(true);
  });
});

/** Removes the address and the values that differ between transactions. */
const normal = (html: string) =>
  html.replaceAll(/value="[\w-]{43}"/g, 'value=""').replaceAll(/anna@example\.com|none@example\.com/g, 'x');

describe('an address without an account', () => {
  test('gets the same pages but no mail', async () => {
    const known = await openReset('anna@example.com');
    const unknown = await openReset('none@example.com');
    expect(tenant.mails).toHaveLength(1);
    expect(normal(unknown.page.html)).toBe(normal(known.page.html));
    const wrong = { verificationCode: otherCode() };
    const one = await known.browser.submit(known.page, 'verifyCode', wrong);
    const two = await unknown.browser.submit(unknown.page, 'verifyCode', wrong);
    expect(normal(two.html)).toBe(normal(one.html));
  });
});

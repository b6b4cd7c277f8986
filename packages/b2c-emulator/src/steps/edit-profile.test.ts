import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anna, authorizeRequest, openTestTenant, redeemCode, signInWithTokens } from '../test/test-tenant.ts';
import type { TestTenant } from '../test/test-tenant.ts';

const policy = 'b2c_1a_profileedit';
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await openTestTenant({ people: [anna] });
});
afterEach(() => tenant.close());

test('edit-profile changes the name of a signed-in user', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const { url, verifier } = authorizeRequest(policy);
  const page = await browser.get(url);
  expect(page.value('displayName')).toBe('Anna Berg');
  const back = await browser.submit(page, 'continue', { displayName: ' Anna B. ' });
  const { body } = await redeemCode(tenant, policy, back, verifier);
  expect(decodeJwt(body.id_token!)).toMatchObject({ name: 'Anna B.', tfp: 'B2C_1A_ProfileEdit' });
});

test('edit-profile requires a sign-in first', async () => {
  const browser = tenant.browser();
  const { url, verifier } = authorizeRequest(policy);
  const signIn = await browser.get(url);
  const page = await browser.submit(signIn, 'next', anna);
  expect(page.value('displayName')).toBe('Anna Berg');
  const back = await browser.submit(page, 'continue', { displayName: 'Anna C.' });
  expect((await redeemCode(tenant, policy, back, verifier)).status).toBe(200);
});

test('edit-profile shows a missing or too long name as a field error', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const page = await browser.get(authorizeRequest(policy).url);
  for (const displayName of ['', 'x'.repeat(101)]) {
    const again = await browser.submit(page, 'continue', { displayName });
    expect(again.status).toBe(400);
    expect(again.html).toContain('id="displayName-problem"');
  }
});

test('edit-profile returns AADB2C90091 on cancel and changes nothing', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const page = await browser.get(authorizeRequest(policy).url);
  const back = await browser.submit(page, 'cancel', { displayName: 'Someone' });
  expect(back.answer.get('error_description')).toMatch(/^AADB2C90091: /);
  expect((await browser.get(authorizeRequest(policy).url)).value('displayName')).toBe('Anna Berg');
});

test('edit-profile requires a new sign-in after a sign-out in another tab', async () => {
  const browser = tenant.browser();
  await signInWithTokens(tenant, browser);
  const page = await browser.get(authorizeRequest(policy).url);
  await browser.get('/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/logout');
  const next = await browser.submit(page, 'continue', { displayName: 'Someone' });
  expect(next.has('password')).toBe(true);
});
